#include "symbol/dwarf/dwarf_line_run.h"

#include <errno.h>

#include "base/leb.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_entry.h"
#include "symbol/dwarf/dwarf_line.h"
#include "symbol/dwarf/dwarf_line_head.h"

/* Precomputed effect of a special opcode, which avoids a division per row. */
struct special {
	uint16_t ops; /* bytes, if an instruction has one operation */
	int16_t line;
	bool is_row; /* special opcode or DW_LNS_copy, which adds nothing */
};

/* Registers, and the state of the sequence that the next row depends on. */
struct state {
	uint64_t addr;
	uint64_t start, last; /* of the sequence; UINT64_MAX: no row yet */
	uint32_t line, file, column;
	uint32_t op;		   /* op_index of a VLIW machine */
	size_t n;		   /* number of rows */
	struct pipa_dw_row before; /* last row of the sequence */
};

struct machine {
	const struct pipa_dw_line_head *head;
	struct pipa_dw_lines *lines;
	struct pipa_dw_line_rows *rows;
	struct pipa_intervals *map;
	bool zero_is_code;
	struct state s;
	size_t first; /* index of the sequence's first row */
	struct special specials[UINT8_MAX + 1];
};

static void make_specials(struct machine *m)
{
	const struct pipa_dw_line_head *head = m->head;
	unsigned int opcode, ops = 0, line = 0, size = head->max_ops == 1 ? head->min_size : 1;

	m->specials[DW_LNS_copy].is_row = true;
	for (opcode = head->opcode_base; opcode <= UINT8_MAX; opcode++) {
		m->specials[opcode] = (struct special){ (uint16_t)(ops * size),
							(int16_t)(head->line_base + (int)line),
							true };
		if (++line == head->line_range) {
			line = 0;
			ops++;
		}
	}
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static void begin_sequence(struct machine *m)
{
	m->s = (struct state){ .start = UINT64_MAX,
			       .last = UINT64_MAX,
			       .file = 1,
			       .line = 1,
			       .n = m->s.n,
			       .before.offset = UINT32_MAX }; /* differs from every row */
	m->first = m->s.n;
}

static void end_sequence(struct machine *m)
{
	const struct state *s = &m->s;
	size_t n = s->n - m->first, number = m->lines->sequences.n;
	struct pipa_dw_sequence *sequence;

	if (!n || s->addr <= s->start || s->addr - s->start > UINT32_MAX ||
	    (!s->start && !m->zero_is_code) || number >= INT32_MAX || m->first > UINT32_MAX) {
		m->s.n = m->first; /* dropped by the linker, or corrupt */
		begin_sequence(m);
		return;
	}
	sequence = PIPA_VEC_ADD(&m->lines->sequences);
	if (!sequence) {
		m->lines->status = -ENOMEM;
		return;
	}
	*sequence = (struct pipa_dw_sequence){ s->start, (uint32_t)m->first, (uint32_t)n };
	m->lines->status = pipa_intervals_add(m->map, s->start, s->addr, (uint32_t)number);
	begin_sequence(m);
}

/*
 * Add a row. Of rows at one address the last one counts; a row equal to the previous one is
 * omitted. Branches on both would be mispredicted, so the row is always written and the count is
 * advanced or not. There must be space for one row; `addr` is relative to the sequence's start.
 */
static inline void add_row(struct state *s, struct pipa_dw_row *rows)
{
	uint32_t offset = (uint32_t)s->addr;
	size_t again = offset == s->before.offset;
	size_t same = !((s->line ^ s->before.line) | (s->file ^ s->before.file) |
			(s->column ^ s->before.column));

	rows[s->n - again] = (struct pipa_dw_row){ offset, s->line, s->file, s->column };
	s->n += (again | same) ^ 1;
	s->before.offset ^= (s->before.offset ^ offset) & ((uint32_t)same - 1);
	s->before.line = s->line;
	s->before.file = s->file;
	s->before.column = s->column;
}

static bool make_room(struct machine *m)
{
	struct pipa_dw_row *items = m->rows->items;

	if (m->s.n < m->rows->cap)
		return true;
	items = pipa_vec_grow(items, &m->rows->cap, m->s.n, sizeof(*items));
	if (items)
		m->rows->items = items;
	else
		m->lines->status = -ENOMEM;
	return items;
}

/* Add a row: the first of a sequence always, later ones only if the address does not decrease. */
static void put_row(struct machine *m)
{
	struct state *s = &m->s;

	if (s->start == UINT64_MAX) {
		s->start = s->addr;
		s->before.file = s->file + 1; /* differs from the file of the next row */
	} else if (s->addr < s->last || s->addr - s->start >= UINT32_MAX) {
		return;
	}
	s->last = s->addr;
	s->addr -= s->start;
	if (make_room(m))
		add_row(s, m->rows->items);
	s->addr += s->start;
}

/* ---- any opcode ------------------------------------------------------------------------------------------ */

static void advance(struct machine *m, uint64_t ops)
{
	const struct pipa_dw_line_head *head = m->head;

	if (head->max_ops == 1) {
		m->s.addr += ops * head->min_size;
		return;
	}
	ops += m->s.op;
	m->s.addr += ops / head->max_ops * head->min_size;
	m->s.op = (uint32_t)(ops % head->max_ops);
}

static uint32_t to_file(uint64_t file)
{
	return file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
}

static uint32_t to_column(uint64_t column)
{
	return column < UINT32_MAX ? (uint32_t)column : 0;
}

static void run_extended(struct machine *m, struct pipa_cursor *c)
{
	uint64_t length = pipa_get_uleb(c);
	struct pipa_cursor in = *c;

	if (c->status || !length || length > pipa_cursor_left(c)) {
		c->status = -EBADMSG;
		return;
	}
	c->pos += length;
	in.end = c->pos;
	switch (pipa_get_u8(&in)) {
	case DW_LNE_end_sequence: end_sequence(m); break;
	case DW_LNE_set_address:
		if (length == 3 || length == 5 || length == 9)
			m->s.addr = pipa_dw_get_addr(&in, (uint8_t)(length - 1));
		m->s.op = 0;
		break;
	case DW_LNE_define_file: pipa_dw_line_file_add(m->lines, &in); break;
	default: break; /* discriminators and vendor extensions */
	}
}

static void run_standard(struct machine *m, struct pipa_cursor *c, uint8_t opcode)
{
	unsigned int i;

	switch (opcode) {
	case DW_LNS_copy: put_row(m); break;
	case DW_LNS_advance_pc: advance(m, pipa_get_uleb(c)); break;
	case DW_LNS_advance_line: m->s.line += (uint32_t)pipa_get_sleb(c); break;
	case DW_LNS_set_file: m->s.file = to_file(pipa_get_uleb(c)); break;
	case DW_LNS_set_column: m->s.column = to_column(pipa_get_uleb(c)); break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin: break;
	case DW_LNS_const_add_pc:
		advance(m, (255u - m->head->opcode_base) / m->head->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->s.addr += pipa_get_u16(c);
		m->s.op = 0;
		break;
	default: /* set_isa, and opcodes of later standards */
		for (i = 0; i < m->head->lengths[opcode - 1]; i++)
			pipa_get_uleb(c);
		break;
	}
}

static void run_one(struct machine *m, struct pipa_cursor *c)
{
	uint8_t opcode = *c->pos++;

	if (!opcode) {
		run_extended(m, c);
	} else if (opcode < m->head->opcode_base) {
		run_standard(m, c, opcode);
	} else {
		if (m->head->max_ops == 1)
			m->s.addr += m->specials[opcode].ops;
		else
			advance(m, m->specials[opcode].ops);
		m->s.line += (uint32_t)(int)m->specials[opcode].line;
		put_row(m);
	}
}

/* ---- fast path for most rows ----------------------------------------------------------------- */

/*
 * Compilers write the opcodes before a row in one order, each of them optional: set_file,
 * set_column, negate_stmt, advance_line; then a special opcode or copy. Testing them in that order
 * predicts better than a switch per opcode. Everything else, and large numbers, are left to
 * run_one().
 */
enum {
	LONGEST = 16, /* limit of bytes that such a row takes, including bytes read ahead */
	FARTHEST = UINT8_MAX * UINT8_MAX /* limit of its address advance */
};

/* Read the operand of advance_line, of one byte or two. */
static inline uint32_t get_lines(const uint8_t **pos, uint32_t *all)
{
	const uint8_t *p = *pos;
	uint32_t number = p[0];

	if (number < 0x80) {
		*pos = p + 1;
		return number - ((number & 0x40) << 1); /* sign extension */
	}
	*all |= p[1];
	*pos = p + 2;
	number = (number & 0x7f) | (uint32_t)p[1] << 7;
	return number - ((number & 0x2000) << 1);
}

/* Run the opcodes of one row; returns the position after it, or NULL if it is not of this form. */
static inline const uint8_t *run_row(const struct special *specials, struct state *s,
				     struct pipa_dw_row *rows, const uint8_t *pos)
{
	uint32_t file = s->file, column = s->column, line = s->line;
	uint32_t all = 0; /* bit 7: a number has more than seven bits */
	const struct special *special;

	if (*pos == DW_LNS_set_file) {
		all |= file = pos[1];
		pos += 2;
	}
	if (*pos == DW_LNS_set_column) {
		all |= column = pos[1];
		pos += 2;
	}
	pos += *pos == DW_LNS_negate_stmt;
	if (*pos == DW_LNS_advance_line) {
		pos++;
		line += get_lines(&pos, &all);
	}
	special = &specials[*pos];
	if ((all & 0x80) || !special->is_row)
		return NULL;
	s->file = file;
	s->column = column;
	s->line = line + (uint32_t)(int)special->line;
	s->addr += special->ops;
	add_row(s, rows);
	return pos + 1;
}

/*
 * Run consecutive rows of this form with the state in registers, after the first row of a sequence.
 * Addresses do not decrease, so only the length of the sequence is checked.
 */
static void run_rows(struct machine *m, struct pipa_cursor *c)
{
	const uint8_t *pos = c->pos, *next = pos, *end = c->end - LONGEST;
	struct pipa_dw_row *rows = m->rows->items;
	size_t cap = m->rows->cap;
	struct state s = m->s;

	s.addr -= s.start;
	while (next && s.n < cap && s.addr < UINT32_MAX - FARTHEST && pos <= end) {
		next = run_row(m->specials, &s, rows, pos);
		pos = next ? next : pos;
	}
	s.addr += s.start;
	s.last = pos != c->pos ? s.addr : s.last;
	m->s = s;
	c->pos = pos;
}

void pipa_dw_line_run(struct pipa_dw_line_head *head, bool zero_is_code,
		      struct pipa_dw_lines *lines, struct pipa_dw_work *work)
{
	struct pipa_cursor *c = &head->program;
	bool in_order = head->max_ops == 1 && head->opcode_base > DW_LNS_negate_stmt;
	struct machine m = { .head = head,
			     .lines = lines,
			     .rows = &work->rows,
			     .map = &work->map,
			     .zero_is_code = zero_is_code };

	make_specials(&m);
	begin_sequence(&m);
	while (c->pos < c->end && !c->status && !lines->status) {
		if (in_order && m.s.start != UINT64_MAX && m.s.last <= m.s.addr &&
		    pipa_cursor_left(c) >= LONGEST)
			run_rows(&m, c);
		run_one(&m, c); /* the opcode that ended the fast path */
	}
	work->rows.n = m.first; /* drop a sequence without DW_LNE_end_sequence */
}
