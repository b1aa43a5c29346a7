#include "symbol/dwarf/dwarf_entry.h"

#include <stdlib.h>

#include "base/leb.h"
#include "symbol/dwarf/dwarf_const.h"

enum {
	NAMED = 4099,	  /* a prime: offsets have equal low bits in some files */
	INDIRECT_MAX = 4, /* limit of nested DW_FORM_indirect */
	/* limit of origins: an instance, its abstract entry, that one's declaration are usual */
	ORIGINS_MAX = 16,
};

uint64_t pipa_dw_get_addr(struct pipa_cursor *c, uint8_t size)
{
	switch (size) {
	case 2: return pipa_get_u16(c);
	case 4: return pipa_get_u32(c);
	default: return pipa_get_u64(c);
	}
}

/* Read a number of 1 to 8 bytes in the file's byte order. */
static uint64_t get_fixed(struct pipa_cursor *c, int size)
{
	const uint8_t *b;

	switch (size) {
	case 0: return 0;
	case 1: return pipa_get_u8(c);
	case 2: return pipa_get_u16(c);
	case 3:
		b = pipa_get_bytes(c, 3);
		if (!b)
			return 0;
		return (c->swapped ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) ?
			       (uint64_t)b[0] << 16 | (uint64_t)b[1] << 8 | b[2] :
			       (uint64_t)b[2] << 16 | (uint64_t)b[1] << 8 | b[0];
	case 4: return pipa_get_u32(c);
	case 8: return pipa_get_u64(c);
	default: pipa_skip(c, (size_t)size); return 0;
	}
}

static void skip_long(struct pipa_cursor *c, uint64_t n)
{
	if (n > pipa_cursor_left(c))
		c->status = -EBADMSG;
	else
		pipa_skip(c, (size_t)n);
}

/* Read a form of variable size: return its number and move the cursor after it. */
static uint64_t get_variable(struct pipa_cursor *c, uint16_t form)
{
	switch (form) {
	case DW_FORM_sdata: return (uint64_t)pipa_get_sleb(c);
	case DW_FORM_string: pipa_get_str(c); return 0;
	case DW_FORM_block1: skip_long(c, pipa_get_u8(c)); return 0;
	case DW_FORM_block2: skip_long(c, pipa_get_u16(c)); return 0;
	case DW_FORM_block4: skip_long(c, pipa_get_u32(c)); return 0;
	case DW_FORM_block:
	case DW_FORM_exprloc: skip_long(c, pipa_get_uleb(c)); return 0;
	default: return pipa_get_uleb(c);
	}
}

/* Resolve DW_FORM_indirect. */
static uint16_t direct_form(struct pipa_cursor *c, uint16_t form)
{
	uint64_t said = form;
	int i;

	for (i = 0; i < INDIRECT_MAX && said == DW_FORM_indirect; i++)
		said = pipa_get_uleb(c);
	if (said > UINT16_MAX || said == DW_FORM_indirect || said == DW_FORM_implicit_const)
		c->status = -EBADMSG;
	return (uint16_t)said;
}

void pipa_dw_form_read(struct pipa_cursor *c, uint16_t form, struct pipa_dw_sizes sizes,
		       struct pipa_dw_value *ret)
{
	int size;

	if (form == DW_FORM_indirect)
		form = direct_form(c, form);
	size = pipa_dw_form_size(form, sizes);
	ret->form = form;
	ret->number = 0;
	if (size == PIPA_DW_UNKNOWN)
		c->status = -EBADMSG;
	else if (form == DW_FORM_string)
		ret->text = pipa_get_str(c);
	else if (size == PIPA_DW_VARIABLE)
		ret->number = get_variable(c, form);
	else
		ret->number = get_fixed(c, size);
}

uint64_t pipa_dw_entry_step(struct pipa_dw_unit *unit, struct pipa_cursor *c,
			    const struct pipa_dw_abbrev *abbrev)
{
	const struct pipa_dw_step *step = &pipa_dw_unit_abbrevs(unit)->steps[abbrev->steps];
	struct pipa_dw_value value;
	uint64_t next = 0;

	for (;; step++) {
		if (step->fixed > pipa_cursor_left(c)) {
			c->status = -EBADMSG;
			return 0;
		}
		c->pos += step->fixed;
		if (!step->form)
			return next;
		if (step->sibling || step->form == DW_FORM_indirect) {
			pipa_dw_form_read(c, step->form, unit->sizes, &value);
			if (step->sibling && value.number < unit->end)
				next = unit->offset + value.number;
		} else {
			get_variable(c, step->form);
		}
		if (c->status)
			return 0;
	}
}

struct pipa_cursor pipa_dw_entries(struct pipa_dw_unit *unit, uint64_t offset)
{
	struct pipa_span info = pipa_dw_bytes(unit->file, PIPA_DW_INFO), part = { 0 };

	if (offset >= unit->entries && offset < unit->end)
		pipa_span_cut(info, offset, unit->end - offset, &part);
	return pipa_span_cursor(part, unit->file->elf.swapped);
}

/* Read a value whose form and size are in the table. */
static inline void read_spec(struct pipa_cursor *c, const struct pipa_dw_spec *spec,
			     const struct pipa_dw_unit *unit, struct pipa_dw_value *ret)
{
	ret->form = spec->form;
	if (spec->size == PIPA_DW_VARIABLE)
		pipa_dw_form_read(c, spec->form, unit->sizes, ret);
	else if (spec->form == DW_FORM_implicit_const)
		ret->number = (uint64_t)pipa_dw_unit_abbrevs(unit)->constants[spec->more];
	else
		ret->number = get_fixed(c, spec->size);
}

bool pipa_dw_entry_read(struct pipa_dw_unit *unit, uint64_t offset, struct pipa_dw_entry *ret)
{
	const struct pipa_dw_abbrevs *table = pipa_dw_unit_abbrevs(unit);
	struct pipa_cursor c = pipa_dw_entries(unit, offset);
	const uint8_t *start = c.pos;
	const struct pipa_dw_spec *spec, *end;
	uint64_t code = pipa_get_uleb(&c);

	ret->has = 0;
	ret->abbrev = code ? pipa_dw_abbrev_find(table, code) : NULL;
	if (!ret->abbrev || !pipa_dw_charge(unit->file->work, ret->abbrev->n_specs + 1))
		return false;
	spec = &table->specs[ret->abbrev->specs];
	for (end = spec + ret->abbrev->n_specs; spec < end; spec++) {
		if (!spec->form) {
			pipa_skip(&c, spec->more);
			continue;
		}
		read_spec(&c, spec, unit, &ret->values[spec->attr]);
		ret->has |= UINT32_C(1) << spec->attr;
	}
	ret->next = offset + (uint64_t)(c.pos - start);
	return !c.status;
}

static const char *indexed_text(struct pipa_dw_unit *unit, uint64_t index)
{
	uint8_t size = unit->sizes.offset;
	struct pipa_cursor c;
	uint64_t offset;

	if (index > UINT32_MAX || unit->str_base > UINT64_MAX / 2)
		return NULL;
	c = pipa_dw_cursor(unit->file, PIPA_DW_STR_OFFSETS, unit->str_base + index * size);
	offset = pipa_dw_get_addr(&c, size);
	return c.status ? NULL : pipa_dw_text(unit->file, PIPA_DW_STR, offset);
}

const char *pipa_dw_value_text(struct pipa_dw_unit *unit, const struct pipa_dw_value *value)
{
	switch (value->form) {
	case DW_FORM_string: return value->text;
	case DW_FORM_strp: return pipa_dw_text(unit->file, PIPA_DW_STR, value->number);
	case DW_FORM_line_strp: return pipa_dw_text(unit->file, PIPA_DW_LINE_STR, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return unit->file->alt ? pipa_dw_text(unit->file->alt, PIPA_DW_STR, value->number) :
					 NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index: return indexed_text(unit, value->number);
	default: return NULL;
	}
}

bool pipa_dw_indexed_addr(struct pipa_dw_unit *unit, uint64_t index, uint64_t *ret)
{
	struct pipa_cursor c;

	if (index > UINT32_MAX || unit->addr_base > UINT64_MAX / 2)
		return false;
	c = pipa_dw_cursor(unit->code, PIPA_DW_ADDR, unit->addr_base + index * unit->sizes.addr);
	*ret = pipa_dw_get_addr(&c, unit->sizes.addr);
	return !c.status;
}

bool pipa_dw_value_addr(struct pipa_dw_unit *unit, const struct pipa_dw_value *value, uint64_t *ret)
{
	switch (value->form) {
	case DW_FORM_addr: *ret = value->number; return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index: return pipa_dw_indexed_addr(unit, value->number, ret);
	default: return false;
	}
}

bool pipa_dw_value_ref(struct pipa_dw_unit *unit, const struct pipa_dw_value *value,
		       struct pipa_dw_file **ret_file, uint64_t *ret)
{
	*ret_file = unit->file;
	*ret = value->number;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata: *ret += unit->offset; return *ret >= unit->offset;
	case DW_FORM_ref_addr: return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt: *ret_file = unit->file->alt; return *ret_file;
	default: return false;
	}
}

const char *pipa_dw_entry_text(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			       enum pipa_dw_attr attr)
{
	return pipa_dw_entry_has(entry, attr) ? pipa_dw_value_text(unit, &entry->values[attr]) :
						NULL;
}

bool pipa_dw_entry_pc(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
		      uint64_t *ret_low, uint64_t *ret_high)
{
	const struct pipa_dw_value *high = &entry->values[PIPA_DW_HIGH_PC];

	if (!pipa_dw_entry_has(entry, PIPA_DW_LOW_PC) ||
	    !pipa_dw_entry_has(entry, PIPA_DW_HIGH_PC) ||
	    !pipa_dw_value_addr(unit, &entry->values[PIPA_DW_LOW_PC], ret_low))
		return false;
	if (!pipa_dw_value_addr(unit, high, ret_high)) { /* an address, or an offset from low_pc */
		if (high->number > UINT64_MAX - *ret_low)
			return false;
		*ret_high = *ret_low + high->number;
	}
	return *ret_low < *ret_high && (*ret_low || unit->code->zero_is_code);
}

/* Read the entry at an origin's offset; false if there is none. */
static bool read_origin(struct pipa_dw_file *file, uint64_t offset, struct pipa_dw_unit **ret_unit,
			struct pipa_dw_entry *ret)
{
	struct pipa_dw_unit *unit = pipa_dw_unit_at(file, offset);

	*ret_unit = unit;
	return unit && pipa_dw_unit_open(unit) && pipa_dw_entry_read(unit, offset, ret);
}

uint32_t pipa_dw_entry_number(const struct pipa_dw_entry *entry, enum pipa_dw_attr attr)
{
	uint64_t number = pipa_dw_entry_has(entry, attr) ? entry->values[attr].number : 0;

	return number < UINT32_MAX ? (uint32_t)number : 0;
}

const char *pipa_dw_entry_name(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			       uint32_t *ret_decl_line)
{
	const char *plain = NULL, *linkage;
	struct pipa_dw_entry origin;
	struct pipa_dw_file *file;
	uint64_t offset;
	int hops;

	*ret_decl_line = 0;
	for (hops = 0; hops < ORIGINS_MAX; hops++) {
		/* a definition comes before the declaration that it refers to */
		if (!*ret_decl_line)
			*ret_decl_line = pipa_dw_entry_number(entry, PIPA_DW_DECL_LINE);
		linkage = pipa_dw_entry_text(unit, entry, PIPA_DW_LINKAGE_NAME);
		if (linkage)
			return linkage;
		if (!plain)
			plain = pipa_dw_entry_text(unit, entry, PIPA_DW_NAME);
		if (!pipa_dw_entry_has(entry, PIPA_DW_ORIGIN) ||
		    !pipa_dw_value_ref(unit, &entry->values[PIPA_DW_ORIGIN], &file, &offset) ||
		    !read_origin(file, offset, &unit, &origin))
			break;
		entry = &origin;
	}
	return plain;
}

/* Entry of the cache of names: a function may be inlined hundreds of times. */
struct pipa_dw_named {
	uint64_t offset; /* offset + 1; 0: empty */
	const char *name;
	uint32_t decl_line;
};

static struct pipa_dw_named *named_at(struct pipa_dw_file *file, uint64_t offset)
{
	if (!file->named)
		file->named = calloc(NAMED, sizeof(*file->named));
	return file->named ? &file->named[offset % NAMED] : NULL;
}

const char *pipa_dw_name_at(struct pipa_dw_file *file, uint64_t offset, uint32_t *ret_decl_line)
{
	struct pipa_dw_named *named = named_at(file, offset);
	struct pipa_dw_unit *unit;
	struct pipa_dw_entry entry;
	const char *name;

	if (named && named->offset == offset + 1 && named->offset) {
		*ret_decl_line = named->decl_line;
		return named->name;
	}
	*ret_decl_line = 0;
	name = read_origin(file, offset, &unit, &entry) ?
		       pipa_dw_entry_name(unit, &entry, ret_decl_line) :
		       NULL;
	if (named)
		*named = (struct pipa_dw_named){ offset + 1, name, *ret_decl_line };
	return name;
}
