/* Check the tables of the dictionary of a payload: their entries, equal ones, and unused ones. */
#include "analyze/exchange/otlp_check_own.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "codec/proto_json.h"

static bool has_prefix(struct pipa_span span, const char *text)
{
	return span.size >= strlen(text) && memcmp(span.data, text, strlen(text)) == 0;
}

static void check_mapping(struct pipa_otlp_checker *c, const void *entry)
{
	const struct pipa_otlp_mapping *mapping = entry;
	bool identified = false;
	size_t i;

	pipa_otlp_checker_string(c, mapping->filename_strindex, "filename_strindex");
	pipa_otlp_checker_attributes(c, mapping->attribute_indices.items,
				     mapping->attribute_indices.n, PIPA_OTLP_RULE_INDEX);
	if ((mapping->memory_start || mapping->memory_limit) &&
	    mapping->memory_start >= mapping->memory_limit)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_MAPPING_RANGE, PIPA_OTLP_HERE,
				      "memory_start 0x%" PRIx64
				      " is not below memory_limit 0x%" PRIx64,
				      mapping->memory_start, mapping->memory_limit);
	for (i = 0; i < mapping->attribute_indices.n; i++) {
		int32_t index = mapping->attribute_indices.items[i];

		if (index >= 0 && (size_t)index < c->sizes[PIPA_OTLP_ATTRIBUTES])
			identified |= has_prefix(
				pipa_otlp_checker_string_at(
					c, c->dict->attribute_table.items[index].key_strindex),
				"process.executable.build_id.");
	}
	if (!identified)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_BUILD_ID,
				      PIPA_OTLP_FIELD("attribute_indices"),
				      "none is a build id (process.executable.build_id.*)");
}

static void check_location(struct pipa_otlp_checker *c, const void *entry)
{
	const struct pipa_otlp_location *location = entry;
	const struct pipa_otlp_mapping *mapping = NULL;
	size_t i;

	if (pipa_otlp_checker_index(c, PIPA_OTLP_MAPPINGS, location->mapping_index,
				    PIPA_OTLP_RULE_INDEX, PIPA_OTLP_FIELD("mapping_index")))
		mapping = &c->dict->mapping_table.items[location->mapping_index];
	pipa_otlp_checker_attributes(c, location->attribute_indices.items,
				     location->attribute_indices.n, PIPA_OTLP_RULE_INDEX);
	if (mapping && mapping->memory_start < mapping->memory_limit &&
	    (location->address < mapping->memory_start ||
	     location->address > mapping->memory_limit))
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_ADDRESS, PIPA_OTLP_FIELD("address"),
				      "0x%" PRIx64 " is outside of its mapping", location->address);
	for (i = 0; i < location->lines.n; i++) {
		const struct pipa_otlp_line *line = &location->lines.items[i];

		pipa_otlp_checker_enter(c, "lines", i);
		pipa_otlp_checker_index(c, PIPA_OTLP_FUNCTIONS, line->function_index,
					PIPA_OTLP_RULE_INDEX, PIPA_OTLP_FIELD("function_index"));
		if (line->line < 0)
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NEGATIVE, PIPA_OTLP_FIELD("line"),
					      "%" PRId64 " is negative", line->line);
		if (line->column < 0)
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NEGATIVE, PIPA_OTLP_FIELD("column"),
					      "%" PRId64 " is negative", line->column);
		pipa_otlp_checker_leave(c);
	}
}

static void check_function(struct pipa_otlp_checker *c, const void *entry)
{
	const struct pipa_otlp_function *function = entry;

	pipa_otlp_checker_string(c, function->name_strindex, "name_strindex");
	pipa_otlp_checker_string(c, function->system_name_strindex, "system_name_strindex");
	pipa_otlp_checker_string(c, function->filename_strindex, "filename_strindex");
	if (function->start_line < 0)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NEGATIVE, PIPA_OTLP_FIELD("start_line"),
				      "%" PRId64 " is negative", function->start_line);
	if (!function->name_strindex && !function->system_name_strindex &&
	    !function->filename_strindex)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_FUNCTION_NAME, PIPA_OTLP_HERE,
				      "the function has neither a name nor a file");
}

static void check_link(struct pipa_otlp_checker *c, const void *entry)
{
	const struct pipa_otlp_link *link = entry;

	if (!link->trace_id.size || !link->span_id.size)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_LINK_EMPTY, PIPA_OTLP_HERE,
				      "trace_id has %zu bytes and span_id %zu, expected 16 and 8",
				      link->trace_id.size, link->span_id.size);
	else if (link->trace_id.size != 16 || link->span_id.size != 8)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_LINK_LENGTH, PIPA_OTLP_HERE,
				      "trace_id has %zu bytes and span_id %zu, expected 16 and 8",
				      link->trace_id.size, link->span_id.size);
}

static void check_attribute(struct pipa_otlp_checker *c, const void *entry)
{
	const struct pipa_otlp_attribute *attribute = entry;

	pipa_otlp_checker_string(c, attribute->key_strindex, "key_strindex");
	pipa_otlp_checker_string(c, attribute->unit_strindex, "unit_strindex");
	pipa_otlp_checker_value(c, attribute->value, true, PIPA_OTLP_FIELD("value"));
	if (!attribute->value || !attribute->value->which)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_VALUE, PIPA_OTLP_FIELD("value"),
				      "the attribute has no value");
}

static void check_stack(struct pipa_otlp_checker *c, const void *entry)
{
	const struct pipa_otlp_stack *stack = entry;
	size_t i;

	for (i = 0; i < stack->location_indices.n; i++)
		pipa_otlp_checker_index(c, PIPA_OTLP_LOCATIONS, stack->location_indices.items[i],
					PIPA_OTLP_RULE_INDEX,
					(struct pipa_otlp_step){ "location_indices", i });
}

static void check_string_entry(struct pipa_otlp_checker *c, const void *entry)
{
	pipa_otlp_checker_utf8(c, *(const struct pipa_span *)entry, PIPA_OTLP_HERE);
}

#define TABLE(member, check_, message_)                                                            \
	{                                                                                          \
		.offset = offsetof(struct pipa_otlp_dictionary, member),                           \
		.size = sizeof(*((struct pipa_otlp_dictionary *)0)->member.items),                 \
		.check = (check_), .message = (message_)                                           \
	}

static const struct {
	size_t offset, size; /* of the list in the dictionary, of an entry */
	void (*check)(struct pipa_otlp_checker *c, const void *entry); /* not for entry 0 */
	const struct pipa_proto_message *message;		       /* NULL: strings */
} tables[PIPA_OTLP_TABLE_NR] = {
	[PIPA_OTLP_MAPPINGS] = TABLE(mapping_table, check_mapping, &pipa_otlp_mapping_message),
	[PIPA_OTLP_LOCATIONS] = TABLE(location_table, check_location, &pipa_otlp_location_message),
	[PIPA_OTLP_FUNCTIONS] = TABLE(function_table, check_function, &pipa_otlp_function_message),
	[PIPA_OTLP_LINKS] = TABLE(link_table, check_link, &pipa_otlp_link_message),
	[PIPA_OTLP_STRINGS] = TABLE(string_table, check_string_entry, NULL),
	[PIPA_OTLP_ATTRIBUTES] = TABLE(attribute_table, check_attribute,
				       &pipa_otlp_attribute_message),
	[PIPA_OTLP_STACKS] = TABLE(stack_table, check_stack, &pipa_otlp_stack_message),
};

/* Any repeated field as the decoder fills it. */
struct list {
	const char *items;
	size_t n;
};

static const struct list *table_list(const struct pipa_otlp_checker *c,
				     enum pipa_otlp_check_table table)
{
	return (const void *)((const char *)c->dict + tables[table].offset);
}

static const void *table_entry(const struct pipa_otlp_checker *c, enum pipa_otlp_check_table table,
			       size_t i)
{
	return table_list(c, table)->items + i * tables[table].size;
}

/* ---- equal entries --------------------------------------------------------------------------- */

static int add_bytes(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Return the encoded entry, which is equal for equal entries and empty for the zero value. */
static struct pipa_span entry_bytes(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table,
				    size_t i, struct pipa_proto_writer *w, struct pipa_buf *out)
{
	if (!tables[table].message)
		return c->dict->string_table.items[i];
	pipa_buf_reset(out);
	pipa_proto_put_message(w, tables[table].message, table_entry(c, table, i));
	pipa_proto_flush(w);
	if (w->status || out->status)
		c->status = -ENOMEM;
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(out), out->len };
}

static void check_entry_0(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table,
			  struct pipa_span bytes)
{
	const struct pipa_otlp_link *link;

	if (!bytes.size)
		return;
	pipa_otlp_checker_enter(c, pipa_otlp_table_names[table], 0);
	link = table == PIPA_OTLP_LINKS ? c->dict->link_table.items : NULL;
	if (link && link->trace_id.size == 16 && link->span_id.size == 8 &&
	    pipa_otlp_is_zero(link->trace_id) && pipa_otlp_is_zero(link->span_id))
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_ZERO_LINK, PIPA_OTLP_HERE,
				      "ids of zeros, expected an empty link");
	else
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_ENTRY_0, PIPA_OTLP_HERE,
				      "is not empty: index 0 means \"not "
				      "set\"");
	pipa_otlp_checker_leave(c);
}

/* Compare the entries of a table with each other and entry 0 with the zero value. */
static void check_duplicates(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf scratch = { 0 };
	PIPA_AUTO(free) uint32_t *first = calloc(c->sizes[table] + 1, sizeof(*first));
	struct pipa_strings distinct = { 0 };
	struct pipa_proto_writer w;
	size_t i;

	if (!first)
		c->status = -ENOMEM;
	pipa_proto_writer_init(&w, add_bytes, &scratch);
	for (i = 0; i < c->sizes[table] && !c->status; i++) {
		struct pipa_span bytes = entry_bytes(c, table, i, &w, &scratch);
		uint32_t id = pipa_strings_add(
			&distinct, bytes.data ? (const char *)bytes.data : "", bytes.size);

		if (id == PIPA_NO_STRING) {
			c->status = -ENOMEM;
			break;
		}
		if (i == 0)
			check_entry_0(c, table, bytes);
		if (table == PIPA_OTLP_STRINGS)
			c->string_ids[i] = id;
		if (first[id])
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_DUPLICATE,
					      (struct pipa_otlp_step){ pipa_otlp_table_names[table],
								       i },
					      "is the same as entry %" PRIu32, first[id] - 1);
		else
			first[id] = (uint32_t)i + 1;
	}
	pipa_proto_writer_done(&w);
	pipa_strings_done(&distinct);
}

void pipa_otlp_checker_prepare(struct pipa_otlp_checker *c)
{
	enum pipa_otlp_check_table table;

	for (table = 0; table < PIPA_OTLP_TABLE_NR && !c->status; table++) {
		c->sizes[table] = table_list(c, table)->n;
		c->used[table] = calloc(c->sizes[table] + 1, 1);
		if (!c->used[table])
			c->status = -ENOMEM;
	}
	c->string_ids = calloc(c->sizes[PIPA_OTLP_STRINGS] + 1, sizeof(*c->string_ids));
	c->last_list = calloc(c->sizes[PIPA_OTLP_STRINGS] + 1, sizeof(*c->last_list));
	if (!c->string_ids || !c->last_list)
		c->status = -ENOMEM;
	pipa_otlp_checker_enter(c, "dictionary", PIPA_OTLP_NO_INDEX);
	for (table = 0; table < PIPA_OTLP_TABLE_NR && !c->status; table++)
		check_duplicates(c, table);
	pipa_otlp_checker_leave(c);
	c->check->sizes.strings = c->sizes[PIPA_OTLP_STRINGS];
	c->check->sizes.stacks = c->sizes[PIPA_OTLP_STACKS];
	c->check->sizes.links = c->sizes[PIPA_OTLP_LINKS];
}

/* ---- entries --------------------------------------------------------------------------------- */

void pipa_otlp_checker_table(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table)
{
	size_t i;

	if (!c->sizes[table])
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_EMPTY_TABLE,
				      PIPA_OTLP_FIELD(pipa_otlp_table_names[table]),
				      "has no entries, expected at least an empty one");
	for (i = 1; i < c->sizes[table]; i++) {
		pipa_otlp_checker_enter(c, pipa_otlp_table_names[table], i);
		tables[table].check(c, table_entry(c, table, i));
		pipa_otlp_checker_leave(c);
	}
}

void pipa_otlp_checker_orphans(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table)
{
	size_t i;

	for (i = 1; i < c->sizes[table]; i++)
		if (!c->used[table][i])
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_ORPHAN,
					      (struct pipa_otlp_step){ pipa_otlp_table_names[table],
								       i },
					      "nothing refers to it");
}
