#include "symbol/dwarf_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb.h"
#include "base/vec.h"
#include "symbol/dwarf_const.h"
#include "symbol/dwarf_entry.h"
#include "symbol/dwarf_line_head.h"

enum { COST = 8 }; /* of a byte of a program, which may become a row of twice that */

/* What a special opcode adds, so that running one takes no division. */
struct special {
	uint16_t ops;
	int16_t line;
};

/* The machine that a line program runs on. */
struct machine {
	struct pipa_dw_line_head head;
	struct pipa_dw_lines *lines;
	bool zero_is_code;
	uint64_t addr;
	struct pipa_dw_row row; /* as it would be added */
	uint32_t op;		/* within an instruction of a VLIW machine */
	uint64_t start, last;	/* of the sequence; UINT64_MAX: it has no row yet */
	size_t first;		/* row of the sequence */
	struct special specials[UINT8_MAX + 1];
};

static void make_specials(struct machine *m)
{
	unsigned int opcode, ops = 0, line = 0;

	for (opcode = m->head.opcode_base; opcode <= UINT8_MAX; opcode++) {
		m->specials[opcode] = (struct special){ (uint16_t)ops,
							(int16_t)(m->head.line_base + (int)line) };
		if (++line == m->head.line_range) {
			line = 0;
			ops++;
		}
	}
}

static void begin_sequence(struct machine *m)
{
	m->addr = 0;
	m->row = (struct pipa_dw_row){ .file = 1, .line = 1 };
	m->op = 0;
	m->start = m->last = UINT64_MAX;
	m->first = m->lines->rows.n;
}

static void end_sequence(struct machine *m)
{
	size_t n = m->lines->rows.n - m->first, number = m->lines->sequences.n;
	struct pipa_dw_sequence *sequence;

	if (!n || m->addr <= m->start || m->addr - m->start > UINT32_MAX ||
	    (!m->start && !m->zero_is_code) || number >= INT32_MAX || m->first > UINT32_MAX) {
		m->lines->rows.n = m->first; /* dropped by the linker, or damaged */
		begin_sequence(m);
		return;
	}
	sequence = PIPA_VEC_ADD(&m->lines->sequences);
	if (!sequence) {
		m->lines->status = -ENOMEM;
		return;
	}
	*sequence = (struct pipa_dw_sequence){ m->start, (uint32_t)m->first, (uint32_t)n };
	m->lines->status = pipa_intervals_add(&m->lines->map, m->start, m->addr, (uint32_t)number);
	begin_sequence(m);
}

static bool is_same(const struct pipa_dw_row *a, const struct pipa_dw_row *b)
{
	return a->line == b->line && a->file == b->file && a->column == b->column;
}

/* Of rows at one address the last holds; one that says what the one before said is left out. */
static inline void add_row(struct machine *m)
{
	struct pipa_dw_row *last, *kept;
	size_t n = m->lines->rows.n;

	if (m->start == UINT64_MAX)
		m->start = m->addr;
	else if (m->addr < m->last || m->addr - m->start > UINT32_MAX)
		return;
	m->last = m->addr;
	m->row.offset = (uint32_t)(m->addr - m->start);
	if (n > m->first) {
		last = &m->lines->rows.items[n - 1];
		if (last->offset == m->row.offset)
			*last = m->row;
		if (is_same(last, &m->row))
			return;
	}
	if (n < m->lines->rows.cap) { /* of every hundred rows but one */
		m->lines->rows.items[m->lines->rows.n++] = m->row;
		return;
	}
	kept = PIPA_VEC_ADD(&m->lines->rows);
	if (kept)
		*kept = m->row;
	else
		m->lines->status = -ENOMEM;
}

static inline void advance(struct machine *m, uint64_t ops)
{
	if (m->head.max_ops == 1) {
		m->addr += ops * m->head.min_size;
		return;
	}
	ops += m->op;
	m->addr += ops / m->head.max_ops * m->head.min_size;
	m->op = (uint32_t)(ops % m->head.max_ops);
}

static inline void run_special(struct machine *m, uint8_t opcode)
{
	advance(m, m->specials[opcode].ops);
	m->row.line += (uint32_t)(int)m->specials[opcode].line;
	add_row(m);
}

static void set_file(struct machine *m, uint64_t file)
{
	m->row.file = file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
}

static void set_column(struct machine *m, uint64_t column)
{
	m->row.column = column < UINT32_MAX ? (uint32_t)column : 0;
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
			m->addr = pipa_dw_get_addr(&in, (uint8_t)(length - 1));
		m->op = 0;
		break;
	case DW_LNE_define_file: pipa_dw_line_file_add(m->lines, &in); break;
	default: break; /* discriminators and what vendors add */
	}
}

static void run_standard(struct machine *m, struct pipa_cursor *c, uint8_t opcode)
{
	unsigned int i;

	switch (opcode) {
	case DW_LNS_copy: add_row(m); break;
	case DW_LNS_advance_pc: advance(m, pipa_get_uleb(c)); break;
	case DW_LNS_advance_line: m->row.line += (uint32_t)pipa_get_sleb(c); break;
	case DW_LNS_set_file: set_file(m, pipa_get_uleb(c)); break;
	case DW_LNS_set_column: set_column(m, pipa_get_uleb(c)); break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin: break;
	case DW_LNS_const_add_pc:
		advance(m, (255u - m->head.opcode_base) / m->head.line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->addr += pipa_get_u16(c);
		m->op = 0;
		break;
	default: /* set_isa, and those of a later standard */
		for (i = 0; i < m->head.lengths[opcode - 1]; i++)
			pipa_get_uleb(c);
		break;
	}
}

static void run(struct machine *m)
{
	struct pipa_cursor *c = &m->head.program;
	uint8_t opcode;

	make_specials(m);
	begin_sequence(m);
	while (c->pos < c->end && !c->status && !m->lines->status) {
		opcode = *c->pos++;
		if (opcode >= m->head.opcode_base)
			run_special(m, opcode);
		else if (opcode)
			run_standard(m, c, opcode);
		else
			run_extended(m, c);
	}
	m->lines->rows.n = m->first; /* a sequence without an end covers nothing */
}

void pipa_dw_lines_free(struct pipa_dw_lines *lines)
{
	if (!lines)
		return;
	free(lines->rows.items);
	free(lines->sequences.items);
	free(lines->folders.items);
	free(lines->files.items);
	pipa_intervals_done(&lines->map);
	free(lines);
}

/* Rows live as long as the unit: give back what growing took too much. */
static void shrink(struct pipa_dw_lines *lines)
{
	struct pipa_dw_row *rows = lines->rows.items;

	if (lines->rows.n && lines->rows.n < lines->rows.cap) {
		rows = realloc(rows, lines->rows.n * sizeof(*rows));
		if (rows) {
			lines->rows.items = rows;
			lines->rows.cap = lines->rows.n;
		}
	}
}

static int make_lines(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines)
{
	struct machine m;
	struct pipa_dw_work *work = unit->file->work;
	int rc;

	m.lines = lines;
	m.zero_is_code = unit->file->zero_is_code;
	if (pipa_dw_line_head_read(unit, lines, &m.head) &&
	    pipa_dw_charge(work, COST * pipa_cursor_left(&m.head.program)))
		run(&m);
	rc = lines->status < 0 ? lines->status : pipa_intervals_finish(&lines->map);
	if (rc == 0)
		shrink(lines);
	return rc;
}

struct pipa_dw_lines *pipa_dw_unit_lines(struct pipa_dw_unit *unit)
{
	struct pipa_dw_lines *lines = unit->lines;
	int rc;

	if (lines || !unit->has_lines)
		return lines;
	lines = calloc(1, sizeof(*lines));
	rc = lines ? make_lines(unit, lines) : -ENOMEM;
	if (rc < 0) {
		unit->file->work->status = rc;
		pipa_dw_lines_free(lines);
		return NULL;
	}
	unit->lines = lines;
	return lines;
}

/* The last of n rows at or before the offset; questions in rising order start from the last answer. */
static size_t find_row(const struct pipa_dw_row *rows, size_t n, uint64_t offset, size_t hint)
{
	size_t low = 0, high = n, middle, step;

	if (hint < n && rows[hint].offset <= offset) {
		low = hint;
		for (step = 1; low + step < n && rows[low + step].offset <= offset; step *= 2)
			low += step;
		if (low + step < n)
			high = low + step;
	}
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (rows[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct pipa_dw_row *pipa_dw_lines_find(struct pipa_dw_lines *lines, uint64_t addr)
{
	uint32_t number = pipa_intervals_find(&lines->map, addr, &lines->hint);
	const struct pipa_dw_sequence *sequence;
	const struct pipa_dw_row *rows;

	if (number == PIPA_NO_INTERVAL)
		return NULL;
	if (number != lines->last_sequence)
		lines->last_row = 0;
	lines->last_sequence = number;
	sequence = &lines->sequences.items[number];
	rows = &lines->rows.items[sequence->rows];
	lines->last_row = find_row(rows, sequence->n, addr - sequence->start, lines->last_row);
	return &rows[lines->last_row];
}

/* folder/name, where the name is not a path from the root; at most three pieces. */
static const char *join(struct pipa_dw_work *work, const char *root, const char *folder,
			const char *name)
{
	const char *pieces[3] = { root, folder, name };
	size_t len = 0, n = 0, i;
	char *path;

	if (folder && folder[0] == '/')
		pieces[0] = NULL;
	if (name[0] == '/')
		pieces[0] = pieces[1] = NULL;
	for (i = 0; i < 3; i++)
		len += pieces[i] && *pieces[i] ? strlen(pieces[i]) + 1 : 0;
	path = pipa_dw_charge(work, len) ? pipa_dw_take(work, len + 1) : NULL;
	if (!path)
		return NULL;
	for (i = 0; i < 3; i++) {
		if (!pieces[i] || !*pieces[i])
			continue;
		len = strlen(pieces[i]);
		memcpy(path + n, pieces[i], len);
		n += len;
		path[n++] = '/';
	}
	path[n ? n - 1 : 0] = '\0';
	return path;
}

const char *pipa_dw_lines_path(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			       uint64_t number)
{
	struct pipa_dw_source *file;
	const char *folder = NULL;

	if (number >= lines->files.n)
		return NULL;
	file = &lines->files.items[number];
	if (file->path || !file->name)
		return file->path;
	if (file->folder < lines->folders.n)
		folder = lines->folders.items[file->folder];
	file->path = join(unit->file->work, unit->comp_dir, folder, file->name);
	return file->path;
}
