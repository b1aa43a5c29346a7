#include "symbol/dwarf/dwarf_line_head.h"

#include "base/leb.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_entry.h"
#include "symbol/dwarf/dwarf_line.h"

enum { FORMAT_MAX = 32 }; /* limit of fields of a directory or file; five are defined */

static bool read_directory(struct pipa_dw_lines *lines, const char *name)
{
	const char **directory = PIPA_VEC_ADD(&lines->folders);

	if (directory)
		*directory = name;
	else
		lines->status = -ENOMEM;
	return directory;
}

static bool read_file(struct pipa_dw_lines *lines, const char *name, uint64_t directory)
{
	struct pipa_dw_source *file = PIPA_VEC_ADD(&lines->files);

	if (file)
		*file = (struct pipa_dw_source){ .name = name, .directory = directory };
	else
		lines->status = -ENOMEM;
	return file;
}

bool pipa_dw_line_file_add(struct pipa_dw_lines *lines, struct pipa_cursor *c)
{
	const char *name = pipa_get_str(c);
	uint64_t directory;

	if (!name || !*name)
		return false;
	directory = pipa_get_uleb(c);
	pipa_get_uleb(c); /* time */
	pipa_get_uleb(c); /* size */
	return !c->status && read_file(lines, name, directory);
}

/*
 * Read the lists of DWARF 2 to 4: strings up to an empty one. Directory 0 is the compilation
 * directory.
 */
static bool read_lists(struct pipa_dw_lines *lines, struct pipa_cursor *c)
{
	const char *name;

	if (!read_directory(lines, NULL) || !read_file(lines, NULL, 0))
		return false;
	while ((name = pipa_get_str(c)) && *name)
		if (!read_directory(lines, name))
			return false;
	while (pipa_dw_line_file_add(lines, c))
		;
	return !c->status;
}

/* DWARF 5: a field of a directory or file entry. */
struct format {
	unsigned int n;
	struct {
		uint64_t what; /* enum pipa_dw_lnct */
		uint16_t form;
	} fields[FORMAT_MAX];
};

static bool read_format(struct pipa_cursor *c, struct format *ret)
{
	unsigned int i;
	uint64_t form;

	ret->n = pipa_get_u8(c);
	if (ret->n > FORMAT_MAX)
		return false;
	for (i = 0; i < ret->n; i++) {
		ret->fields[i].what = pipa_get_uleb(c);
		form = pipa_get_uleb(c);
		ret->fields[i].form = form <= UINT16_MAX ? (uint16_t)form : 0;
	}
	return !c->status;
}

static bool read_table(struct pipa_dw_unit *unit, struct pipa_dw_sizes sizes,
		       struct pipa_dw_lines *lines, struct pipa_cursor *c, bool is_files)
{
	struct format format;
	uint64_t count, directory;
	struct pipa_dw_value value;
	const uint8_t *before;
	const char *name;
	unsigned int i;

	if (!read_format(c, &format))
		return false;
	for (count = pipa_get_uleb(c); count; count--) {
		before = c->pos;
		name = NULL;
		directory = 0;
		for (i = 0; i < format.n && !c->status; i++) {
			pipa_dw_form_read(c, format.fields[i].form, sizes, &value);
			if (format.fields[i].what == DW_LNCT_path && !c->status)
				name = pipa_dw_value_text(unit, &value);
			else if (format.fields[i].what == DW_LNCT_directory_index)
				directory = value.number;
		}
		lines->name_missing |= !name;
		if (c->status || c->pos == before) /* an entry of size 0 */
			return false;
		if (!(is_files ? read_file(lines, name, directory) : read_directory(lines, name)))
			return false;
	}
	return true;
}

/* Read the fields between the header length and the lists. */
static bool read_coding(struct pipa_cursor *c, struct pipa_dw_line_head *head)
{
	head->min_size = pipa_get_u8(c);
	head->max_ops = head->version >= 4 ? pipa_get_u8(c) : 1;
	pipa_skip(c, 1); /* default_is_stmt: all rows are used */
	head->line_base = (int8_t)pipa_get_u8(c);
	head->line_range = pipa_get_u8(c);
	head->opcode_base = pipa_get_u8(c);
	if (c->status || !head->line_range || !head->opcode_base)
		return false;
	head->lengths = pipa_get_bytes(c, head->opcode_base - 1u);
	if (!head->max_ops)
		head->max_ops = 1;
	return head->lengths;
}

/* Read the lengths, limit the cursor to the header, and set *ret_rest to the program after it. */
static bool read_lengths(struct pipa_cursor *c, struct pipa_dw_line_head *head,
			 struct pipa_dw_sizes *sizes, const uint8_t **ret_rest)
{
	uint64_t length = pipa_get_u32(c);

	sizes->offset = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = pipa_get_u64(c);
	if (c->status || length > pipa_cursor_left(c))
		return false;
	c->end = c->pos + length;
	head->version = pipa_get_u16(c);
	if (head->version < 2 || head->version > 5)
		return false;
	if (head->version == 5) {
		sizes->addr = pipa_get_u8(c);
		pipa_skip(c, 1); /* size of segment selectors */
	}
	length = sizes->offset == 8 ? pipa_get_u64(c) : pipa_get_u32(c);
	if (c->status || length > pipa_cursor_left(c))
		return false;
	*ret_rest = c->pos + length;
	return true;
}

bool pipa_dw_line_head_read(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			    struct pipa_dw_line_head *ret)
{
	struct pipa_cursor c = pipa_dw_cursor(unit->file, PIPA_DW_LINE, unit->stmt_list);
	struct pipa_dw_sizes sizes = unit->sizes;
	const uint8_t *rest;

	if (!read_lengths(&c, ret, &sizes, &rest))
		return false;
	sizes.version = (uint8_t)ret->version;
	ret->program = c;
	ret->program.pos = rest;
	c.end = rest;
	if (!read_coding(&c, ret))
		return false;
	if (ret->version < 5)
		return read_lists(lines, &c);
	return read_table(unit, sizes, lines, &c, false) &&
	       read_table(unit, sizes, lines, &c, true);
}
