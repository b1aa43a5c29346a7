#include "symbol/dwarf/dwarf_package.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "elf/elf.h"

/*
 * The index, of GNU's packages for DWARF 4 (version 2) and of DWARF 5:
 *
 *	u32 version (in DWARF 5 u16 and two bytes of nothing), columns, units, slots
 *	u64 id[slots], u32 row[slots]		a hash table; rows count from 1, 0 is an empty slot
 *	u32 section[columns]			which section a column is of
 *	u32 offset[units][columns], size[units][columns]
 */
enum { HEAD = 16, SLOT = 12 };

/* Column numbers of the sections that are read. */
static const struct {
	uint8_t number, version; /* version 0: both */
	enum pipa_dw_section_name name;
} columns[] = {
	{ 1, 0, PIPA_DW_INFO },	       { 3, 0, PIPA_DW_ABBREV },   { 4, 0, PIPA_DW_LINE },
	{ 6, 0, PIPA_DW_STR_OFFSETS }, { 8, 5, PIPA_DW_RNGLISTS },
};

static struct pipa_cursor at(const struct pipa_dw_package *p, uint64_t offset)
{
	struct pipa_span part = { 0 };

	if (offset < p->index.size)
		pipa_span_cut(p->index, offset, p->index.size - offset, &part);
	return pipa_span_cursor(part, p->whole.elf.swapped);
}

static uint64_t columns_at(const struct pipa_dw_package *p)
{
	return HEAD + (uint64_t)p->n_slots * SLOT;
}

static void find_columns(struct pipa_dw_package *p, uint32_t version)
{
	struct pipa_cursor c = at(p, columns_at(p));
	uint32_t column, number;
	size_t i;

	for (column = 1; column <= p->n_columns; column++) {
		number = pipa_get_u32(&c);
		for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			if (columns[i].number == number &&
			    (!columns[i].version || columns[i].version == version))
				p->columns[columns[i].name] = column;
	}
}

/* Read the header. False if the version is unknown, or the index exceeds its section. */
static bool read_head(struct pipa_dw_package *p)
{
	struct pipa_cursor c = at(p, 0);
	uint32_t version = pipa_get_u32(&c);
	uint64_t cells;

	if (version != 2) { /* in DWARF 5 the first two bytes */
		c = at(p, 0);
		version = pipa_get_u16(&c);
		pipa_skip(&c, 2);
	}
	p->n_columns = pipa_get_u32(&c);
	p->n_units = pipa_get_u32(&c);
	p->n_slots = pipa_get_u32(&c);
	if (c.status || (version != 2 && version != 5) || p->n_columns > UINT8_MAX)
		return false;
	cells = (1 + 2 * (uint64_t)p->n_units) * p->n_columns;
	if (columns_at(p) + 4 * cells > p->index.size)
		return false;
	find_columns(p, version);
	return p->columns[PIPA_DW_INFO] && p->columns[PIPA_DW_ABBREV];
}

int pipa_dw_package_init(struct pipa_dw_package *ret, struct pipa_span bytes,
			 struct pipa_dw_work *work)
{
	struct pipa_elf_section section;
	int rc;

	*ret = (struct pipa_dw_package){ 0 };
	rc = pipa_dw_file_init(&ret->whole, bytes, true, work);
	if (rc < 0)
		return rc;
	if (!pipa_elf_section_named(&ret->whole.elf, ".debug_cu_index", &section))
		return -ENOENT;
	ret->index = pipa_elf_section_bytes(&ret->whole.elf, &section);
	ret->good = read_head(ret);
	return ret->good ? 0 : -EBADMSG;
}

void pipa_dw_package_done(struct pipa_dw_package *package)
{
	pipa_dw_file_done(&package->whole);
	*package = (struct pipa_dw_package){ 0 };
}

/*
 * Return the unit's row, from 1 on; 0 if there is none. A hash table whose size is not a power of
 * two is searched linearly.
 */
static uint32_t find_row(struct pipa_dw_package *p, uint64_t id)
{
	bool hashed = p->n_slots && !(p->n_slots & (p->n_slots - 1));
	uint32_t mask = p->n_slots - 1, slot = hashed ? (uint32_t)id & mask : 0, n, row;
	uint32_t step = hashed ? ((uint32_t)(id >> 32) & mask) | 1 : 1;
	struct pipa_cursor c;
	uint64_t found;

	for (n = 0; n < p->n_slots && pipa_dw_charge(p->whole.work, 1); n++) {
		c = at(p, HEAD + 8 * (uint64_t)slot);
		found = pipa_get_u64(&c);
		c = at(p, HEAD + 8 * (uint64_t)p->n_slots + 4 * (uint64_t)slot);
		row = pipa_get_u32(&c);
		if (row && found == id)
			return row <= p->n_units ? row : 0;
		if (!row && hashed)
			return 0;
		slot = hashed ? (slot + step) & mask : slot + 1;
	}
	return 0;
}

/* Return the unit's contribution to a section; empty if there is none. */
static struct pipa_span contribution(struct pipa_dw_package *p, uint32_t row,
				     enum pipa_dw_section_name name)
{
	uint64_t cell = (uint64_t)row * p->n_columns + p->columns[name] - 1;
	struct pipa_span part = { 0 };
	struct pipa_cursor c;
	uint64_t offset;

	if (!p->columns[name])
		return part;
	c = at(p, columns_at(p) + 4 * cell);
	offset = pipa_get_u32(&c);
	c = at(p, columns_at(p) + 4 * (cell + (uint64_t)p->n_units * p->n_columns));
	pipa_span_cut(pipa_dw_bytes(&p->whole, name), offset, pipa_get_u32(&c), &part);
	return part;
}

bool pipa_dw_package_find(struct pipa_dw_package *p, uint64_t id, struct pipa_dw_file *ret)
{
	uint32_t row = p->good ? find_row(p, id) : 0;
	int i;

	if (!row)
		return false;
	*ret = (struct pipa_dw_file){ .elf = p->whole.elf,
				      .work = p->whole.work,
				      .is_split = true };
	for (i = 0; i < PIPA_DW_SECTION_NR; i++) {
		ret->sections[i].ready = true;
		ret->sections[i].bytes = i == PIPA_DW_STR || i == PIPA_DW_LINE_STR ?
						 pipa_dw_bytes(&p->whole,
							       i) : /* shared by all units */
						 contribution(p, row, i);
	}
	return true;
}
