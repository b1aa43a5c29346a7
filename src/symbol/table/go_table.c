#include "symbol/table/go_table.h"

#include <string.h>

enum {
	HEAD = 8,	     /* magic, zeros, quantum and word */
	STEPS_MAX = 1 << 20, /* limit per function; the largest known has a tenth of it */
	NAME_FIELD = 1,	     /* fields of a record, in 32-bit fields after its start */
	STACK_FIELD = 4,
	FILE_FIELD = 5,
	LINE_FIELD = 6,
	UNIT_FIELD = 8,
};

static struct pipa_cursor at(const struct pipa_go_table *t, struct pipa_span part, uint64_t offset)
{
	struct pipa_span rest = { NULL, 0 };

	if (offset <= part.size)
		pipa_span_cut(part, offset, part.size - offset, &rest);
	return pipa_span_cursor(rest, t->swapped);
}

static uint64_t get_word(const struct pipa_go_table *t, struct pipa_cursor *c)
{
	return t->word == 8 ? pipa_get_u64(c) : pipa_get_u32(c);
}

static bool read_magic(struct pipa_go_table *t, uint32_t magic)
{
	switch (magic) {
	case 0xfffffffb: t->version = PIPA_GO_1_2; return true;
	case 0xfffffffa: t->version = PIPA_GO_1_16; return true;
	case 0xfffffff0:
	case 0xfffffff1: t->version = PIPA_GO_1_18; return true;
	default: return false;
	}
}

static bool read_head(struct pipa_go_table *t, struct pipa_cursor *c)
{
	uint32_t magic = pipa_get_u32(c);
	uint16_t zeros;

	if (!read_magic(t, magic)) {
		t->swapped = c->swapped = true;
		if (!read_magic(t, __builtin_bswap32(magic)))
			return false;
	}
	zeros = pipa_get_u16(c);
	t->quantum = pipa_get_u8(c);
	t->word = pipa_get_u8(c);
	return !c->status && !zeros && (t->quantum == 1 || t->quantum == 2 || t->quantum == 4) &&
	       (t->word == 4 || t->word == 8);
}

/* Return the size of a function's start and of its record offset in the function list. */
static size_t field_size(const struct pipa_go_table *t)
{
	return t->version == PIPA_GO_1_18 ? sizeof(uint32_t) : t->word;
}

static uint64_t get_field(const struct pipa_go_table *t, struct pipa_cursor *c)
{
	return t->version == PIPA_GO_1_18 ? pipa_get_u32(c) : get_word(t, c);
}

/*
 * Set the parts of a table up to Go 1.15: all are in one table; the files follow the functions and
 * start with their number.
 */
static bool read_parts_1_2(struct pipa_go_table *t, struct pipa_span bytes)
{
	size_t head = HEAD + t->word;
	struct pipa_cursor c;
	uint32_t files, n;

	t->names = t->steps = bytes;
	if (t->n > (bytes.size - head) / t->word / 2)
		return false;
	t->functions = bytes;
	c = at(t, bytes, head + (2 * t->n + 1) * t->word);
	files = pipa_get_u32(&c);
	c = at(t, bytes, files);
	n = pipa_get_u32(&c);
	if (!c.status && n < bytes.size / sizeof(uint32_t))
		pipa_span_cut(bytes, files, (uint64_t)n * sizeof(uint32_t), &t->files);
	return true;
}

static bool read_parts(struct pipa_go_table *t, struct pipa_span bytes, struct pipa_cursor *c)
{
	struct pipa_span *parts[] = { &t->names, &t->units, &t->files, &t->steps, &t->functions };
	size_t i;

	get_word(t, c); /* number of files: their names are found by offset */
	if (t->version == PIPA_GO_1_18)
		t->text = get_word(t, c);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t offset = get_word(t, c);

		if (c->status || offset > bytes.size)
			return false;
		pipa_span_cut(bytes, offset, bytes.size - offset, parts[i]);
	}
	return true;
}

/* Return the offset of the pairs in the function part. */
static size_t pairs_at(const struct pipa_go_table *t)
{
	return t->version == PIPA_GO_1_2 ? HEAD + (size_t)t->word : 0;
}

static uint64_t start_of(const struct pipa_go_table *t, size_t index)
{
	struct pipa_cursor c = at(t, t->functions, pairs_at(t) + 2 * index * field_size(t));

	return t->text + get_field(t, &c);
}

bool pipa_go_table_init(struct pipa_go_table *ret, struct pipa_span bytes)
{
	struct pipa_go_table t = { .n = 0 };
	struct pipa_cursor c = pipa_span_cursor(bytes, false);
	size_t whole;
	uint64_t n;

	if (!read_head(&t, &c))
		return false;
	n = get_word(&t, &c);
	if (c.status || !n || n > bytes.size)
		return false;
	t.n = (size_t)n;
	if (t.version == PIPA_GO_1_2 ? !read_parts_1_2(&t, bytes) : !read_parts(&t, bytes, &c))
		return false;
	whole = t.functions.size / field_size(&t);
	if (t.n > whole / 2 || pairs_at(&t) / field_size(&t) + 2 * t.n + 1 > whole)
		return false;
	if (start_of(&t, t.n) <= start_of(&t, 0)) /* the addresses were not relocated */
		return false;
	*ret = t;
	return true;
}

/* Read a 32-bit field of a record. */
static bool record_field(const struct pipa_go_table *t, uint64_t record, unsigned int field,
			 uint32_t *ret)
{
	struct pipa_cursor c = at(t, t->functions, record);

	pipa_skip(&c, field_size(t) + (field - 1) * sizeof(uint32_t));
	*ret = pipa_get_u32(&c);
	return !c.status;
}

bool pipa_go_table_get(const struct pipa_go_table *t, size_t index, struct pipa_go_function *ret)
{
	struct pipa_cursor c;
	uint64_t record, next;
	uint32_t name;

	if (index >= t->n)
		return false;
	c = at(t, t->functions, pairs_at(t) + 2 * index * field_size(t));
	ret->start = t->text + get_field(t, &c);
	record = get_field(t, &c);
	next = t->text + get_field(t, &c);
	if (next <= ret->start || record > t->functions.size || record > UINT32_MAX ||
	    !record_field(t, record, NAME_FIELD, &name) || name >= t->names.size ||
	    !t->names.data[name])
		return false;
	ret->size = next - ret->start;
	ret->name = name;
	ret->record = (uint32_t)record;
	return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static uint32_t get_varint(struct pipa_cursor *c)
{
	uint32_t value = 0;
	unsigned int shift;
	uint8_t byte;

	for (shift = 0; shift < 35; shift += 7) {
		byte = pipa_get_u8(c);
		if (shift < 32)
			value |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->status = -EBADMSG;
	return 0;
}

/*
 * Look up an address in a pc-value table of a function. It consists of steps (value delta, number
 * of code bytes for which the value is valid).
 */
static bool value_at(const struct pipa_go_table *t, const struct pipa_go_function *function,
		     unsigned int field, uint64_t addr, int32_t *ret)
{
	uint32_t steps, change, length, value = UINT32_MAX;
	uint64_t pc = function->start;
	struct pipa_cursor c;
	size_t i;

	if (!record_field(t, function->record, field, &steps) || !steps)
		return false;
	c = at(t, t->steps, steps);
	for (i = 0; i < STEPS_MAX; i++) {
		change = get_varint(&c);
		if (!change && i)
			return false;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		length = get_varint(&c);
		if (c.status || !length)
			return false;
		pc += (uint64_t)length * t->quantum;
		if (addr < pc) {
			*ret = (int32_t)value;
			return true;
		}
	}
	return false;
}

static bool file_name(const struct pipa_go_table *t, const struct pipa_go_function *function,
		      uint32_t number, const char **ret)
{
	struct pipa_span list = t->version == PIPA_GO_1_2 ? t->files : t->units;
	struct pipa_span names = t->version == PIPA_GO_1_2 ? t->names : t->files;
	struct pipa_cursor c;
	uint32_t unit = 0, offset;

	if (t->version != PIPA_GO_1_2 && !record_field(t, function->record, UNIT_FIELD, &unit))
		return false;
	c = at(t, list, ((uint64_t)unit + number) * sizeof(uint32_t));
	offset = pipa_get_u32(&c);
	if (c.status)
		return false;
	c = at(t, names, offset);
	*ret = pipa_get_str(&c);
	return *ret && **ret;
}

/* Find the last function that starts at or before the address. */
static bool find_function(const struct pipa_go_table *t, uint64_t addr,
			  struct pipa_go_function *ret)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (start_of(t, middle) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pipa_go_table_get(t, low - 1, ret) && addr - ret->start < ret->size;
}

bool pipa_go_table_line(const struct pipa_go_table *table, uint64_t addr, const char **ret_file,
			uint32_t *ret_line)
{
	struct pipa_go_function function;
	int32_t file, line;

	if (!find_function(table, addr, &function) ||
	    !value_at(table, &function, FILE_FIELD, addr, &file) || file < 0 ||
	    !value_at(table, &function, LINE_FIELD, addr, &line) || line <= 0 ||
	    !file_name(table, &function, (uint32_t)file, ret_file))
		return false;
	*ret_line = (uint32_t)line;
	return true;
}

bool pipa_go_table_depth(const struct pipa_go_table *table, uint64_t addr,
			 struct pipa_go_function *ret, uint32_t *ret_depth)
{
	int32_t depth;

	if (!find_function(table, addr, ret) || !value_at(table, ret, STACK_FIELD, addr, &depth) ||
	    depth < 0 || depth % table->word)
		return false;
	*ret_depth = (uint32_t)depth;
	return true;
}

const char *pipa_go_table_name(const struct pipa_go_table *table,
			       const struct pipa_go_function *function)
{
	struct pipa_cursor c = at(table, table->names, function->name);
	const char *name = pipa_get_str(&c);

	return name ? name : "";
}
