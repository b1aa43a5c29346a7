#include "import/otlp/attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"
#include "codec/otlp_schema.h"
#include "codec/proto.h"
#include "import/otlp/dictionary.h"
#include "import/otlp/source.h"
#include "model/profile.h"

const char *const pipa_otlp_key_names[PIPA_OTLP_KEY_NR] = {
	[PIPA_OTLP_KEY_THREAD_ID] = "thread.id",
	[PIPA_OTLP_KEY_THREAD_NAME] = "thread.name",
	[PIPA_OTLP_KEY_CPU] = "cpu.logical_number",
	[PIPA_OTLP_KEY_PID] = "process.pid",
	[PIPA_OTLP_KEY_EXE] = "process.executable.path",
	[PIPA_OTLP_KEY_EXE_NAME] = "process.executable.name",
	[PIPA_OTLP_KEY_CGROUP] = "process.linux.cgroup",
	[PIPA_OTLP_KEY_CONTAINER] = "container.id",
	[PIPA_OTLP_KEY_SERVICE] = "service.name",
	[PIPA_OTLP_KEY_GNU_ID] = "process.executable.build_id.gnu",
	[PIPA_OTLP_KEY_GO_ID] = "process.executable.build_id.go",
	[PIPA_OTLP_KEY_HTLHASH] = "process.executable.build_id.htlhash",
	[PIPA_OTLP_KEY_HAS_FUNCTIONS] = "pprof.mapping.has_functions",
	[PIPA_OTLP_KEY_HAS_FILENAMES] = "pprof.mapping.has_filenames",
	[PIPA_OTLP_KEY_HAS_LINES] = "pprof.mapping.has_line_numbers",
	[PIPA_OTLP_KEY_HAS_INLINED] = "pprof.mapping.has_inline_frames",
	[PIPA_OTLP_KEY_FOLDED] = "pprof.location.is_folded",
	[PIPA_OTLP_KEY_FRAME_TYPE] = "profile.frame.type",
	[PIPA_OTLP_KEY_COMMENT] = "pprof.profile.comment",
	[PIPA_OTLP_KEY_DEFAULT_TYPE] = "pprof.scope.default_sample_type",
};

int pipa_otlp_find_string(struct pipa_otlp_rows *rows, const char *what, int32_t index,
			  const uint8_t *at, uint32_t *ret)
{
	if (index < 0 || (size_t)index >= rows->tables.string_table.n) {
		if (!index) { /* no dictionary */
			*ret = 0;
			return 0;
		}
		return pipa_otlp_refuse_index(&rows->source, what, index,
					      rows->tables.string_table.n,
					      pipa_otlp_offset(&rows->source, at));
	}
	if (rows->strings[index] == PIPA_NONE) {
		struct pipa_span text = rows->tables.string_table.items[index];

		rows->strings[index] = pipa_strings_add(&rows->p->strings, (const char *)text.data,
							text.size);
	}
	*ret = rows->strings[index];
	return *ret == PIPA_NO_STRING ? -ENOMEM : 0;
}

int pipa_otlp_add_text(struct pipa_otlp_rows *rows, struct pipa_span text, uint32_t *ret)
{
	*ret = text.size ? pipa_strings_add(&rows->p->strings, (const char *)text.data, text.size) :
			   0;
	return *ret == PIPA_NO_STRING ? -ENOMEM : 0;
}

/* Replace references to strings in arrays and maps by the strings, so that the value can be copied. */
static int resolve_strings(struct pipa_otlp_rows *rows, struct pipa_otlp_any_value *value,
			   const uint8_t *at)
{
	size_t i;
	int rc = 0;

	if (value->which == PIPA_OTLP_STRING_VALUE_STRINDEX) {
		int32_t index = value->string_value_strindex;

		if (index < 0 || (size_t)index >= rows->tables.string_table.n)
			return pipa_otlp_refuse_index(&rows->source,
						      "AnyValue.string_value_strindex", index,
						      rows->tables.string_table.n,
						      pipa_otlp_offset(&rows->source, at));
		value->which = PIPA_OTLP_STRING_VALUE;
		value->string_value = rows->tables.string_table.items[index];
	}
	if (value->which == PIPA_OTLP_ARRAY_VALUE)
		for (i = 0; !rc && i < value->array_value->values.n; i++)
			rc = resolve_strings(rows, &value->array_value->values.items[i], at);
	if (value->which != PIPA_OTLP_KVLIST_VALUE)
		return rc;
	for (i = 0; !rc && i < value->kvlist_value->values.n; i++) {
		struct pipa_otlp_key_value *pair = &value->kvlist_value->values.items[i];
		int32_t index = pair->key_strindex;

		if (index < 0 || (index && (size_t)index >= rows->tables.string_table.n))
			return pipa_otlp_refuse_index(&rows->source, "KeyValue.key_strindex", index,
						      rows->tables.string_table.n,
						      pipa_otlp_offset(&rows->source, at));
		if (index) {
			pair->key = rows->tables.string_table.items[index];
			pair->key_strindex = 0;
		}
		if (pair->value)
			rc = resolve_strings(rows, pair->value, at);
	}
	return rc;
}

static int append_bytes(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return ((struct pipa_buf *)ctx)->status;
}

/* Keep an array or a map encoded. */
static int keep_encoded(struct pipa_otlp_rows *rows, struct pipa_otlp_any_value *value,
			const uint8_t *at, struct pipa_label *label)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_proto_writer w;
	int rc = resolve_strings(rows, value, at);

	if (rc)
		return rc;
	pipa_proto_writer_init(&w, append_bytes, &bytes);
	pipa_proto_put_message(&w, &pipa_otlp_any_value_message, value);
	rc = pipa_proto_flush(&w);
	pipa_proto_writer_done(&w);
	if (rc)
		return rc;
	label->kind = PIPA_LABEL_OTLP;
	return pipa_otlp_add_text(
		rows, (struct pipa_span){ (const uint8_t *)bytes.data, bytes.len }, &label->text);
}

/* Set the value of a label whose key is set. */
static int set_value(struct pipa_otlp_rows *rows, struct pipa_otlp_any_value *value, uint32_t unit,
		     const uint8_t *at, struct pipa_label *label)
{
	switch (value->which) {
	case PIPA_OTLP_STRING_VALUE:
		label->kind = PIPA_LABEL_TEXT;
		return pipa_otlp_add_text(rows, value->string_value, &label->text);
	case PIPA_OTLP_STRING_VALUE_STRINDEX:
		label->kind = PIPA_LABEL_TEXT;
		return pipa_otlp_find_string(rows, "AnyValue.string_value_strindex",
					     value->string_value_strindex, at, &label->text);
	case PIPA_OTLP_BOOL_VALUE:
		label->kind = PIPA_LABEL_BOOL;
		label->number = value->bool_value;
		return 0;
	case PIPA_OTLP_INT_VALUE:
		label->kind = PIPA_LABEL_NUMBER;
		label->number = value->int_value;
		label->unit = unit;
		return 0;
	case PIPA_OTLP_DOUBLE_VALUE:
		label->kind = PIPA_LABEL_DOUBLE;
		memcpy(&label->number, &value->double_value, sizeof(label->number));
		label->unit = unit;
		return 0;
	case PIPA_OTLP_BYTES_VALUE:
		label->kind = PIPA_LABEL_BYTES;
		return pipa_otlp_add_text(rows, value->bytes_value, &label->text);
	default: return keep_encoded(rows, value, at, label);
	}
}

/* Is it an array of several plain values? Labels of pprof with several values are written so. */
static bool is_plain_array(const struct pipa_otlp_any_value *value)
{
	size_t i;

	if (value->which != PIPA_OTLP_ARRAY_VALUE || value->array_value->values.n < 2)
		return false;
	for (i = 0; i < value->array_value->values.n; i++) {
		uint32_t which = value->array_value->values.items[i].which;

		if (!which || which == PIPA_OTLP_ARRAY_VALUE || which == PIPA_OTLP_KVLIST_VALUE)
			return false;
	}
	return true;
}

int pipa_otlp_append_labels(struct pipa_otlp_rows *rows, struct pipa_otlp_label_list *list,
			    uint32_t key, uint32_t unit, struct pipa_otlp_any_value *value,
			    bool is_split, const uint8_t *at)
{
	struct pipa_otlp_any_value *items = value;
	size_t i, n = value && value->which ? 1 : 0;
	int rc = 0;

	if (n && is_split && is_plain_array(value)) {
		items = value->array_value->values.items;
		n = value->array_value->values.n;
	}
	for (i = 0; !rc && i < n; i++) {
		struct pipa_label *label = PIPA_VEC_ADD(list);

		if (!label)
			return -ENOMEM;
		label->key = key;
		rc = set_value(rows, &items[i], unit, at, label);
	}
	return rc;
}

enum pipa_otlp_key pipa_otlp_key_find(const char *name)
{
	enum pipa_otlp_key key;

	for (key = PIPA_OTLP_KEY_NONE + 1; key < PIPA_OTLP_KEY_NR; key++)
		if (strcmp(name, pipa_otlp_key_names[key]) == 0)
			return key;
	return PIPA_OTLP_KEY_NONE;
}

int pipa_otlp_read_attributes(struct pipa_otlp_rows *rows)
{
	size_t i, n = rows->tables.attribute_table.n;
	int rc = 0;

	rows->attributes = calloc(n + 1, sizeof(*rows->attributes));
	if (!rows->attributes)
		return -ENOMEM;
	for (i = 0; !rc && i < n; i++) {
		struct pipa_otlp_attribute *from = &rows->tables.attribute_table.items[i];
		struct pipa_otlp_attribute_labels *to = &rows->attributes[i];
		const uint8_t *at = rows->source.dictionary.data;
		uint32_t key = 0, unit = 0;

		rc = pipa_otlp_find_string(rows, "KeyValueAndUnit.key_strindex", from->key_strindex,
					   at, &key);
		if (!rc)
			rc = pipa_otlp_find_string(rows, "KeyValueAndUnit.unit_strindex",
						   from->unit_strindex, at, &unit);
		if (rc)
			break;
		to->first = (uint32_t)rows->labels.n;
		to->key = pipa_otlp_key_find(pipa_profile_string(rows->p, key));
		rc = pipa_otlp_append_labels(rows, &rows->labels, key, unit, from->value, true, at);
		to->n = (uint32_t)(rows->labels.n - to->first);
	}
	return rc;
}

const struct pipa_otlp_attribute_labels *pipa_otlp_find_attribute(struct pipa_otlp_rows *rows,
								  const char *what, int32_t index,
								  uint64_t offset, int *ret_rc)
{
	if (index < 0 || (size_t)index >= rows->tables.attribute_table.n) {
		*ret_rc = pipa_otlp_refuse_index(&rows->source, what, index,
						 rows->tables.attribute_table.n, offset);
		return NULL;
	}
	return &rows->attributes[index];
}

int pipa_otlp_list_labels(struct pipa_otlp_rows *rows,
			  const struct pipa_otlp_attribute_labels *attribute)
{
	uint32_t i;

	for (i = 0; i < attribute->n; i++) {
		struct pipa_label *label = PIPA_VEC_ADD(&rows->list);

		if (!label)
			return -ENOMEM;
		*label = rows->labels.items[attribute->first + i];
	}
	return 0;
}

const struct pipa_label *pipa_otlp_only_label(const struct pipa_otlp_rows *rows,
					      const struct pipa_otlp_attribute_labels *attribute,
					      enum pipa_label_kind kind)
{
	const struct pipa_label *label = &rows->labels.items[attribute->first];

	return attribute->n == 1 && label->kind == kind ? label : NULL;
}

int pipa_otlp_make_set(struct pipa_otlp_rows *rows, uint32_t *ret)
{
	*ret = pipa_profile_label_set(rows->p, rows->list.items, rows->list.n);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}
