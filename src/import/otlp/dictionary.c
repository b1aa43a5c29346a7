#include "import/otlp/dictionary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "import/id_map.h"
#include "import/object_name.h"

void pipa_otlp_rows_done(struct pipa_otlp_rows *rows)
{
	pipa_proto_memory_done(&rows->memory);
	free(rows->strings);
	free(rows->functions);
	free(rows->mappings);
	free(rows->locations);
	free(rows->stacks);
	free(rows->attributes);
	free(rows->labels.items);
	free(rows->list.items);
	free(rows->lines.items);
}

/* ---- mappings ---------------------------------------------------------------------------------- */

/* Take an attribute of a mapping: a property, the build id, or a label of the object (*ret_object) or the mapping. */
static int add_mapping_attribute(struct pipa_otlp_rows *rows,
				 const struct pipa_otlp_attribute_labels *attribute,
				 struct pipa_object *object, struct pipa_mapping *mapping,
				 struct pipa_otlp_label_list *object_list)
{
	static const uint32_t flags[PIPA_OTLP_KEY_NR] = {
		[PIPA_OTLP_KEY_HAS_FUNCTIONS] = PIPA_MAPPING_FUNCTIONS,
		[PIPA_OTLP_KEY_HAS_FILENAMES] = PIPA_MAPPING_FILES,
		[PIPA_OTLP_KEY_HAS_LINES] = PIPA_MAPPING_LINES,
		[PIPA_OTLP_KEY_HAS_INLINED] = PIPA_MAPPING_INLINED,
	};
	const struct pipa_label *label = pipa_otlp_only_label(rows, attribute, PIPA_LABEL_BOOL);
	struct pipa_label *kept;

	if (flags[attribute->key] && label) {
		mapping->flags |= label->number ? flags[attribute->key] : 0;
		return 0;
	}
	label = pipa_otlp_only_label(rows, attribute, PIPA_LABEL_TEXT);
	if (attribute->key == PIPA_OTLP_KEY_GNU_ID && label && !object->build_id.len &&
	    pipa_build_id_parse(pipa_profile_string(rows->p, label->text), &object->build_id))
		return 0;
	if (attribute->key < PIPA_OTLP_KEY_GNU_ID || attribute->key > PIPA_OTLP_KEY_HTLHASH ||
	    !label)
		return pipa_otlp_list_labels(rows, attribute);
	kept = PIPA_VEC_ADD(object_list);
	if (!kept)
		return -ENOMEM;
	*kept = *label;
	return 0;
}

static int add_mapping(struct pipa_otlp_rows *rows, size_t entry)
{
	const struct pipa_otlp_mapping *m = &rows->tables.mapping_table.items[entry];
	struct pipa_mapping mapping = { .start = m->memory_start,
					.limit = m->memory_limit,
					.file_offset = m->file_offset };
	struct pipa_object object = { 0 };
	struct pipa_otlp_label_list object_list = { 0 };
	const char *path;
	uint32_t before = (uint32_t)rows->p->mappings.n;
	size_t i;
	int rc = pipa_otlp_find_string(rows, "Mapping.filename_strindex", m->filename_strindex,
				       rows->source.dictionary.data, &object.path);

	rows->list.n = 0;
	for (i = 0; !rc && i < m->attribute_indices.n; i++) {
		const struct pipa_otlp_attribute_labels *attribute = pipa_otlp_find_attribute(
			rows, "Mapping.attribute_indices", m->attribute_indices.items[i],
			pipa_otlp_entry_offset(&rows->source, PIPA_OTLP_MAPPING_TABLE, entry), &rc);

		if (attribute)
			rc = add_mapping_attribute(rows, attribute, &object, &mapping,
						   &object_list);
	}
	if (!rc)
		rc = pipa_otlp_make_set(rows, &mapping.attributes);
	if (!rc) {
		object.attributes = pipa_profile_label_set(rows->p, object_list.items,
							   object_list.n);
		rc = object.attributes == PIPA_NONE ? -ENOMEM : 0;
	}
	free(object_list.items);
	if (rc)
		return rc;
	path = pipa_profile_string(rows->p, object.path);
	object.kind = pipa_object_kind_of_name(path, strlen(path), &object.pid);
	mapping.object = pipa_profile_object(rows->p, &object);
	rows->mappings[entry] = mapping.object == PIPA_NONE ?
					PIPA_NONE :
					pipa_profile_mapping(rows->p, &mapping);
	if (rows->mappings[entry] == PIPA_NONE)
		return -ENOMEM;
	if (rows->mappings[entry] < before) /* a property holds only if it holds for both */
		rows->p->mappings.items[rows->mappings[entry]].flags &= mapping.flags;
	return 0;
}

/* ---- functions, locations ---------------------------------------------------------------------- */

/* Return the function of an entry in an object: OTLP's functions belong to none. */
static int find_function(struct pipa_otlp_rows *rows, int32_t index, uint32_t object,
			 size_t location, uint32_t *ret)
{
	const struct pipa_otlp_function *f;
	struct pipa_function function = { .object = object };
	const uint8_t *at = rows->source.dictionary.data;
	int rc;

	if (index < 0 || (size_t)index >= rows->tables.function_table.n)
		return pipa_otlp_refuse_index(
			&rows->source, "Line.function_index", index, rows->tables.function_table.n,
			pipa_otlp_entry_offset(&rows->source, PIPA_OTLP_LOCATION_TABLE, location));
	*ret = rows->functions[index];
	if (*ret != PIPA_NONE && rows->p->functions.items[*ret].object == object)
		return 0;
	f = &rows->tables.function_table.items[index];
	function.start_line = pipa_line_number(rows->p, f->start_line);
	rc = pipa_otlp_find_string(rows, "Function.name_strindex", f->name_strindex, at,
				   &function.name);
	if (!rc)
		rc = pipa_otlp_find_string(rows, "Function.system_name_strindex",
					   f->system_name_strindex, at, &function.system_name);
	if (!rc)
		rc = pipa_otlp_find_string(rows, "Function.filename_strindex", f->filename_strindex,
					   at, &function.file);
	if (rc)
		return rc;
	*ret = rows->functions[index] = pipa_profile_function_exact(rows->p, &function);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}

static int add_lines(struct pipa_otlp_rows *rows, const struct pipa_otlp_location *l,
		     uint32_t object, size_t entry)
{
	size_t i;
	int rc = 0;

	rows->lines.n = 0;
	for (i = 0; !rc && i < l->lines.n; i++) {
		const struct pipa_otlp_line *from = &l->lines.items[i];
		uint32_t function = PIPA_NONE;

		rc = find_function(rows, from->function_index, object, entry, &function);
		if (!rc)
			rc = pipa_location_lines_add(&rows->lines, rows->p, function, from->line,
						     from->column);
	}
	return rc;
}

/* Take the attributes of a location. */
static int add_location_attributes(struct pipa_otlp_rows *rows, const struct pipa_otlp_location *l,
				   size_t entry, struct pipa_location *location)
{
	size_t i;
	int rc = 0;

	rows->list.n = 0;
	for (i = 0; !rc && i < l->attribute_indices.n; i++) {
		const struct pipa_otlp_attribute_labels *attribute = pipa_otlp_find_attribute(
			rows, "Location.attribute_indices", l->attribute_indices.items[i],
			pipa_otlp_entry_offset(&rows->source, PIPA_OTLP_LOCATION_TABLE, entry),
			&rc);
		const struct pipa_label *text, *flag;

		if (!attribute)
			return rc;
		text = pipa_otlp_only_label(rows, attribute, PIPA_LABEL_TEXT);
		flag = pipa_otlp_only_label(rows, attribute, PIPA_LABEL_BOOL);
		if (attribute->key == PIPA_OTLP_KEY_FRAME_TYPE && text)
			location->mode = strcmp(pipa_profile_string(rows->p, text->text),
						"kernel") == 0 ?
						 PIPA_MODE_KERNEL :
						 PIPA_MODE_USER;
		if (attribute->key == PIPA_OTLP_KEY_FOLDED && flag)
			location->folded = flag->number != 0;
		else
			rc = pipa_otlp_list_labels(rows, attribute);
	}
	return rc ? rc : pipa_otlp_make_set(rows, &location->attributes);
}

/* Return the offset in the file of an address in a mapping; the address where that is not known. */
static uint64_t file_offset(const struct pipa_profile *p, const struct pipa_location *location)
{
	enum pipa_object_kind kind = p->objects.items[location->object].kind;
	const struct pipa_mapping *m;

	if (!location->mapping || (kind != PIPA_OBJECT_FILE && kind != PIPA_OBJECT_VDSO))
		return location->address;
	m = &p->mappings.items[location->mapping];
	return location->address >= m->start && location->address < m->limit ?
		       location->address - m->start + m->file_offset :
		       location->address;
}

static int add_location(struct pipa_otlp_rows *rows, size_t entry)
{
	const struct pipa_otlp_location *l = &rows->tables.location_table.items[entry];
	struct pipa_location location = { .address = l->address };
	struct pipa_object unknown = { .kind = PIPA_OBJECT_UNKNOWN };
	enum pipa_object_kind kind;
	int rc;

	if (l->mapping_index < 0 ||
	    (l->mapping_index && (size_t)l->mapping_index >= rows->tables.mapping_table.n))
		return pipa_otlp_refuse_index(
			&rows->source, "Location.mapping_index", l->mapping_index,
			rows->tables.mapping_table.n,
			pipa_otlp_entry_offset(&rows->source, PIPA_OTLP_LOCATION_TABLE, entry));
	if (l->mapping_index) {
		location.mapping = rows->mappings[l->mapping_index];
		location.object = rows->p->mappings.items[location.mapping].object;
	} else {
		location.object = pipa_profile_object(rows->p, &unknown);
	}
	if (location.object == PIPA_NONE)
		return -ENOMEM;
	kind = rows->p->objects.items[location.object].kind;
	location.offset = file_offset(rows->p, &location);
	location.mode = pipa_object_mode(kind, l->address);
	location.unresolved = pipa_object_unresolved(kind);
	rc = add_location_attributes(rows, l, entry, &location);
	if (!rc)
		rc = add_lines(rows, l, location.object, entry);
	if (rc)
		return rc;
	rows->locations[entry] = pipa_profile_location_of_lines(rows->p, &location,
								rows->lines.items, rows->lines.n);
	if (rows->locations[entry] == PIPA_NONE)
		return -ENOMEM;
	if (!l->mapping_index && !l->address &&
	    pipa_location_lines_are_truncation(&rows->lines, rows->p))
		rows->truncated = rows->locations[entry];
	return 0;
}

int pipa_otlp_find_stack(struct pipa_otlp_rows *rows, int32_t index, uint64_t offset, uint32_t *ret)
{
	const struct pipa_otlp_stack *s;
	uint32_t stack = PIPA_NONE;
	bool cut = false;
	size_t left;

	*ret = PIPA_NONE;
	if (!index)
		return 0;
	if (index < 0 || (size_t)index >= rows->tables.stack_table.n)
		return pipa_otlp_refuse_index(&rows->source, "Sample.stack_index", index,
					      rows->tables.stack_table.n, offset);
	if (rows->stacks[index] != PIPA_NONE) {
		*ret = rows->stacks[index] - 1;
		return 0;
	}
	s = &rows->tables.stack_table.items[index];
	left = s->location_indices.n;
	while (left--) {
		int32_t entry = s->location_indices.items[left];

		if (entry < 0 || (size_t)entry >= rows->tables.location_table.n)
			return pipa_otlp_refuse_index(&rows->source, "Stack.location_indices",
						      entry, rows->tables.location_table.n,
						      pipa_otlp_entry_offset(&rows->source,
									     PIPA_OTLP_STACK_TABLE,
									     (size_t)index));
		if (left + 1 == s->location_indices.n && left &&
		    rows->locations[entry] == rows->truncated) {
			cut = true; /* an outermost frame is another one where callers are missing */
			continue;
		}
		stack = stack == PIPA_NONE ?
				pipa_profile_root(rows->p, rows->locations[entry], cut) :
				pipa_profile_stack(rows->p, stack, rows->locations[entry]);
		if (stack == PIPA_NONE)
			return -ENOMEM;
	}
	rows->stacks[index] = stack + 1; /* PIPA_NONE becomes 0 */
	*ret = stack;
	return 0;
}

static int find_dictionary(struct pipa_otlp_rows *rows)
{
	struct pipa_cursor in = pipa_span_cursor(rows->source.file, false);
	struct pipa_span bytes;
	int rc;

	while ((rc = pipa_otlp_next_message(&rows->source, &in, PIPA_OTLP_DICTIONARY,
					    "ProfilesData.dictionary", &bytes)) > 0) {
		if (rows->source.dictionary.data)
			return pipa_refuse(rows->source.err, -EBADMSG,
					   "malformed OTLP profiles: second dictionary at offset "
					   "%" PRIu64,
					   pipa_otlp_offset(&rows->source, bytes.data));
		rows->source.dictionary = bytes;
	}
	if (!rc && !rows->source.dictionary.data)
		return pipa_refuse(rows->source.err, -EBADMSG,
				   "malformed OTLP profiles: the dictionary is missing");
	return rc;
}

int pipa_otlp_read_dictionary(struct pipa_otlp_rows *rows)
{
	struct pipa_proto_error e;
	size_t i;
	int rc = find_dictionary(rows);

	rows->truncated = PIPA_NONE;
	if (rc)
		return rc;
	/* an entry takes at most 24 times its encoded size, if it is empty */
	rows->memory.max = 32 * (uint64_t)rows->source.dictionary.size + (1 << 20);
	rc = pipa_proto_decode(&pipa_otlp_dictionary_message, rows->source.dictionary,
			       &rows->memory, &rows->tables, &e);
	if (rc == -EBADMSG)
		return pipa_otlp_refuse_wire(&rows->source, &e,
					     pipa_otlp_offset(&rows->source,
							      rows->source.dictionary.data));
	if (rc == -E2BIG)
		return pipa_refuse(rows->source.err, -EBADMSG,
				   "malformed OTLP profiles: the dictionary at offset %" PRIu64
				   " is nested too deeply",
				   pipa_otlp_offset(&rows->source, rows->source.dictionary.data));
	if (rc)
		return rc;
	rows->strings = pipa_row_numbers_new(rows->tables.string_table.n);
	rows->functions = pipa_row_numbers_new(rows->tables.function_table.n);
	rows->mappings = pipa_row_numbers_new(rows->tables.mapping_table.n);
	rows->locations = pipa_row_numbers_new(rows->tables.location_table.n);
	rows->stacks = pipa_row_numbers_new(rows->tables.stack_table.n);
	if (!rows->strings || !rows->functions || !rows->mappings || !rows->locations ||
	    !rows->stacks)
		return -ENOMEM;
	if (rows->tables.string_table.n && rows->tables.string_table.items[0].size)
		return pipa_refuse(rows->source.err, -EBADMSG,
				   "malformed OTLP profiles: the string table at offset %" PRIu64
				   " does not begin with an empty string",
				   pipa_otlp_entry_offset(&rows->source, PIPA_OTLP_STRING_TABLE,
							  0));
	rc = pipa_otlp_read_attributes(rows);
	for (i = 1; !rc && i < rows->tables.mapping_table.n; i++)
		rc = add_mapping(rows, i);
	for (i = 0; !rc && i < rows->tables.location_table.n; i++)
		rc = add_location(rows, i);
	return rc;
}
