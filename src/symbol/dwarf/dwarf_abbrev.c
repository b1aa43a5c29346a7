#include "symbol/dwarf/dwarf_abbrev.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/leb.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_file.h"

enum {
	FIXED_MAX = 1 << 20, /* limit of an entry's fixed size */
	COST = 8,	     /* work per byte of a table, which takes more memory when decoded */
};

static const int8_t plain_sizes[] = {
	[DW_FORM_block2] = PIPA_DW_VARIABLE,
	[DW_FORM_block4] = PIPA_DW_VARIABLE,
	[DW_FORM_data2] = 2,
	[DW_FORM_data4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_string] = PIPA_DW_VARIABLE,
	[DW_FORM_block] = PIPA_DW_VARIABLE,
	[DW_FORM_block1] = PIPA_DW_VARIABLE,
	[DW_FORM_data1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_sdata] = PIPA_DW_VARIABLE,
	[DW_FORM_udata] = PIPA_DW_VARIABLE,
	[DW_FORM_ref1] = 1,
	[DW_FORM_ref2] = 2,
	[DW_FORM_ref4] = 4,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_udata] = PIPA_DW_VARIABLE,
	[DW_FORM_indirect] = PIPA_DW_VARIABLE,
	[DW_FORM_exprloc] = PIPA_DW_VARIABLE,
	[DW_FORM_strx] = PIPA_DW_VARIABLE,
	[DW_FORM_addrx] = PIPA_DW_VARIABLE,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_data16] = 16,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_loclistx] = PIPA_DW_VARIABLE,
	[DW_FORM_rnglistx] = PIPA_DW_VARIABLE,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_strx1] = 1,
	[DW_FORM_strx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_addrx4] = 4,
};

int pipa_dw_form_size(uint16_t form, struct pipa_dw_sizes sizes)
{
	if (form < PIPA_COUNT(plain_sizes) && plain_sizes[form])
		return plain_sizes[form];
	switch (form) {
	case DW_FORM_addr: return sizes.addr;
	case DW_FORM_ref_addr: return sizes.version <= 2 ? sizes.addr : sizes.offset;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_line_strp:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt: return sizes.offset;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index: return PIPA_DW_VARIABLE;
	default: return PIPA_DW_UNKNOWN;
	}
}

/* A table instead of a switch: libc has half a million attributes in unpredictable order. */
static const uint8_t attrs[] = {
	[DW_AT_sibling] = PIPA_DW_SIBLING,	     [DW_AT_name] = PIPA_DW_NAME,
	[DW_AT_linkage_name] = PIPA_DW_LINKAGE_NAME, [DW_AT_abstract_origin] = PIPA_DW_ORIGIN,
	[DW_AT_specification] = PIPA_DW_ORIGIN,	     [DW_AT_low_pc] = PIPA_DW_LOW_PC,
	[DW_AT_high_pc] = PIPA_DW_HIGH_PC,	     [DW_AT_ranges] = PIPA_DW_RANGE_LIST,
	[DW_AT_call_file] = PIPA_DW_CALL_FILE,	     [DW_AT_call_line] = PIPA_DW_CALL_LINE,
	[DW_AT_call_column] = PIPA_DW_CALL_COLUMN,   [DW_AT_stmt_list] = PIPA_DW_STMT_LIST,
	[DW_AT_comp_dir] = PIPA_DW_COMP_DIR,	     [DW_AT_str_offsets_base] = PIPA_DW_STR_BASE,
	[DW_AT_addr_base] = PIPA_DW_ADDR_BASE,	     [DW_AT_rnglists_base] = PIPA_DW_RNGLISTS_BASE,
	[DW_AT_dwo_name] = PIPA_DW_SPLIT_NAME,	     [DW_AT_decl_line] = PIPA_DW_DECL_LINE,
};

static enum pipa_dw_attr attr_of(uint64_t name)
{
	if (name < PIPA_COUNT(attrs))
		return attrs[name];
	switch (name) {
	case DW_AT_MIPS_linkage_name: return PIPA_DW_LINKAGE_NAME;
	case DW_AT_GNU_addr_base: return PIPA_DW_ADDR_BASE;
	case DW_AT_GNU_ranges_base: return PIPA_DW_GNU_RANGES_BASE;
	case DW_AT_GNU_dwo_name: return PIPA_DW_SPLIT_NAME;
	case DW_AT_GNU_dwo_id: return PIPA_DW_SPLIT_ID;
	default: return PIPA_DW_NO_ATTR;
	}
}

/*
 * A table under construction. It is copied to the arena when it is complete, and reused for the
 * next one.
 */
struct pipa_dw_draft {
	struct {
		struct pipa_dw_abbrev *items;
		size_t n, cap;
	} abbrevs;
	struct {
		struct pipa_dw_spec *items;
		size_t n, cap;
	} specs;
	struct {
		struct pipa_dw_step *items;
		size_t n, cap;
	} steps;
	struct {
		int64_t *items;
		size_t n, cap;
	} constants;
	struct pipa_dw_sizes sizes; /* sizes of the forms in this table */
	int8_t form_sizes[PIPA_COUNT(plain_sizes)];
};

void pipa_dw_abbrevs_done(struct pipa_dw_file *file)
{
	struct pipa_dw_draft *draft = file->abbrevs.draft;

	if (draft) {
		free(draft->abbrevs.items);
		free(draft->specs.items);
		free(draft->steps.items);
		free(draft->constants.items);
		free(draft);
	}
	free(file->abbrevs.items);
	pipa_index_done(&file->abbrevs.index);
}

/* Return the empty draft for forms of these sizes; NULL on allocation failure. */
static struct pipa_dw_draft *get_draft(struct pipa_dw_file *file, struct pipa_dw_sizes sizes)
{
	struct pipa_dw_draft *draft = file->abbrevs.draft;
	size_t i;

	if (!draft)
		draft = file->abbrevs.draft = calloc(1, sizeof(*draft));
	if (!draft)
		return NULL;
	draft->abbrevs.n = draft->specs.n = draft->steps.n = draft->constants.n = 0;
	if (memcmp(&draft->sizes, &sizes, sizeof(sizes)) != 0)
		for (i = 0; i < PIPA_COUNT(plain_sizes); i++)
			draft->form_sizes[i] = (int8_t)pipa_dw_form_size((uint16_t)i, sizes);
	draft->sizes = sizes;
	return draft;
}

static int add_step(struct pipa_dw_draft *draft, uint32_t fixed, uint16_t form, bool sibling)
{
	struct pipa_dw_step *step = PIPA_VEC_ADD(&draft->steps);

	if (!step)
		return -ENOMEM;
	*step = (struct pipa_dw_step){ fixed, form, sibling };
	return 0;
}

static int add_spec(struct pipa_dw_draft *draft, struct pipa_dw_abbrev *abbrev,
		    struct pipa_dw_spec spec)
{
	struct pipa_dw_spec *kept = PIPA_VEC_ADD(&draft->specs);

	if (!kept)
		return -ENOMEM;
	*kept = spec;
	abbrev->n_specs++;
	return 0;
}

/* Add a specification that skips the bytes before the next attribute. */
static int add_skip(struct pipa_dw_draft *draft, struct pipa_dw_abbrev *abbrev, uint32_t *bytes)
{
	struct pipa_dw_spec skip = { .more = *bytes };

	*bytes = 0;
	return skip.more ? add_spec(draft, abbrev, skip) : 0;
}

static int add_constant(struct pipa_dw_draft *draft, int64_t value, uint32_t *ret)
{
	int64_t *constant = PIPA_VEC_ADD(&draft->constants);

	if (!constant)
		return -ENOMEM;
	*constant = value;
	*ret = (uint32_t)draft->constants.n - 1;
	return 0;
}

/* Read the next attribute. 1, 0 at the end of the list, or a negative errno. */
static inline int read_spec(struct pipa_dw_draft *draft, struct pipa_cursor *c,
			    struct pipa_dw_spec *ret)
{
	uint64_t name = pipa_get_uleb(c), form = pipa_get_uleb(c);
	int64_t constant;
	int size;

	if (c->status || form > UINT16_MAX)
		return -EBADMSG;
	if (!name && !form)
		return 0;
	size = form < PIPA_COUNT(plain_sizes) ? draft->form_sizes[form] :
						pipa_dw_form_size((uint16_t)form, draft->sizes);
	if (size == PIPA_DW_UNKNOWN)
		return -EBADMSG;
	*ret = (struct pipa_dw_spec){ (uint8_t)attr_of(name), (int8_t)size, (uint16_t)form, 0 };
	if (form == DW_FORM_implicit_const) {
		constant = pipa_get_sleb(c);
		if (ret->attr != PIPA_DW_NO_ATTR && add_constant(draft, constant, &ret->more) < 0)
			return -ENOMEM;
	}
	return 1;
}

/* Add an attribute that is read or has a variable size, after `fixed` skipped bytes. */
static int add_read_spec(struct pipa_dw_draft *draft, struct pipa_dw_abbrev *abbrev,
			 struct pipa_dw_spec spec, uint32_t *fixed)
{
	bool sibling = spec.attr == PIPA_DW_SIBLING;
	int rc = add_spec(draft, abbrev, spec);

	if (spec.attr == PIPA_DW_LOW_PC || spec.attr == PIPA_DW_RANGE_LIST)
		abbrev->has_code = true;
	if (rc < 0)
		return rc;
	if (spec.size >= 0 && !sibling) {
		*fixed += (uint32_t)spec.size;
		return 0;
	}
	rc = add_step(draft, *fixed, spec.form, sibling);
	*fixed = 0;
	return rc;
}

static int read_specs(struct pipa_dw_draft *draft, struct pipa_cursor *c,
		      struct pipa_dw_abbrev *abbrev)
{
	uint32_t fixed = 0, skip = 0;
	struct pipa_dw_spec spec;
	int rc;

	abbrev->specs = (uint32_t)draft->specs.n;
	abbrev->steps = (uint32_t)draft->steps.n;
	while ((rc = read_spec(draft, c, &spec)) > 0) {
		if (fixed > FIXED_MAX)
			return -EBADMSG;
		if (spec.attr == PIPA_DW_NO_ATTR && spec.size >= 0) {
			fixed += (uint32_t)spec.size;
			skip += (uint32_t)spec.size;
			continue;
		}
		rc = add_skip(draft, abbrev, &skip);
		if (rc == 0)
			rc = add_read_spec(draft, abbrev, spec, &fixed);
		if (rc < 0)
			return rc;
	}
	if (rc == 0)
		rc = add_skip(draft, abbrev, &skip);
	if (rc < 0)
		return rc;
	abbrev->fixed = abbrev->steps == draft->steps.n ? (int32_t)fixed : -1;
	return add_step(draft, fixed, 0, false);
}

/* Read a table up to its end or to a malformed entry; the entries before that are used. */
static int read_table(struct pipa_dw_draft *draft, struct pipa_cursor *c)
{
	struct pipa_dw_abbrev abbrev, *kept;
	uint64_t tag;
	int rc;

	for (;;) {
		abbrev = (struct pipa_dw_abbrev){ .code = pipa_get_uleb(c) };
		if (!abbrev.code || c->status)
			return 0;
		tag = pipa_get_uleb(c);
		abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : UINT16_MAX;
		abbrev.has_children = pipa_get_u8(c);
		rc = read_specs(draft, c, &abbrev);
		if (rc < 0)
			return rc == -EBADMSG ? 0 : rc;
		kept = PIPA_VEC_ADD(&draft->abbrevs);
		if (!kept)
			return -ENOMEM;
		*kept = abbrev;
	}
}

static int by_code(const void *a, const void *b)
{
	uint64_t x = ((const struct pipa_dw_abbrev *)a)->code;
	uint64_t y = ((const struct pipa_dw_abbrev *)b)->code;

	return (x > y) - (x < y);
}

static void sort_by_code(struct pipa_dw_draft *draft, bool *in_order)
{
	struct pipa_dw_abbrev *items = draft->abbrevs.items;
	size_t i, n = draft->abbrevs.n;

	for (i = 0; i < n && items[i].code == i + 1; i++)
		;
	*in_order = i == n;
	for (i = 1; i < n; i++)
		if (items[i - 1].code > items[i].code) {
			qsort(items, n, sizeof(*items), by_code);
			return;
		}
}

static int store_table(struct pipa_dw_file *file, struct pipa_dw_draft *draft, uint64_t offset,
		       uint8_t key)
{
	struct pipa_dw_abbrevs table = { .offset = offset, .key = key }, *kept;
	struct pipa_dw_work *work = file->work;

	sort_by_code(draft, &table.in_order);
	table.n = (uint32_t)draft->abbrevs.n;
	table.items = pipa_dw_copy(work, draft->abbrevs.items, table.n * sizeof(*table.items));
	table.specs = pipa_dw_copy(work, draft->specs.items, draft->specs.n * sizeof(*table.specs));
	table.steps = pipa_dw_copy(work, draft->steps.items, draft->steps.n * sizeof(*table.steps));
	table.constants = pipa_dw_copy(work, draft->constants.items,
				       draft->constants.n * sizeof(*table.constants));
	if (work->status)
		return work->status;
	kept = PIPA_VEC_ADD(&file->abbrevs);
	if (!kept)
		return work->status = -ENOMEM;
	*kept = table;
	if (pipa_index_add(&file->abbrevs.index, pipa_hash_u64(offset, key),
			   (uint32_t)file->abbrevs.n - 1) < 0)
		return work->status = -ENOMEM;
	return (int)file->abbrevs.n - 1;
}

static int find_table(const struct pipa_dw_file *file, uint64_t offset, uint8_t key)
{
	uint64_t hash = pipa_hash_u64(offset, key);
	const struct pipa_index_slot *slot;
	const struct pipa_dw_abbrevs *table;

	for (slot = pipa_index_start(&file->abbrevs.index, hash); slot->id;
	     slot = pipa_index_after(&file->abbrevs.index, slot)) {
		table = &file->abbrevs.items[slot->id - 1];
		if (table->offset == offset && table->key == key)
			return (int)slot->id - 1;
	}
	return -ENOENT;
}

int pipa_dw_abbrevs_get(struct pipa_dw_file *file, uint64_t offset, struct pipa_dw_sizes sizes)
{
	uint8_t key = (uint8_t)(sizes.addr << 4 | sizes.offset << 0 | (sizes.version <= 2));
	struct pipa_dw_draft *draft;
	struct pipa_cursor c = pipa_dw_cursor(file, PIPA_DW_ABBREV, offset);
	const uint8_t *start = c.pos;
	int rc = find_table(file, offset, key);

	if (rc >= 0)
		return rc;
	if (pipa_cursor_left(&c) > INT32_MAX)
		c.end = c.pos + INT32_MAX;
	draft = get_draft(file, sizes);
	rc = draft ? read_table(draft, &c) : -ENOMEM;
	if (rc < 0)
		return file->work->status = rc;
	if (!pipa_dw_charge(file->work, COST * ((uint64_t)(c.pos - start) + 1)))
		return -EBADMSG;
	return store_table(file, draft, offset, key);
}

const struct pipa_dw_abbrev *pipa_dw_abbrev_search(const struct pipa_dw_abbrevs *table,
						   uint64_t code)
{
	struct pipa_dw_abbrev key = { .code = code };

	if (!table->n)
		return NULL;
	return bsearch(&key, table->items, table->n, sizeof(key), by_code);
}
