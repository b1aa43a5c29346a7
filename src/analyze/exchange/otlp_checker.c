/* State of a check of OTLP profiles: the path to the current message, findings, and references. */
#include "analyze/exchange/otlp_check_own.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"

const char *const pipa_otlp_table_names[PIPA_OTLP_TABLE_NR] = {
	[PIPA_OTLP_MAPPINGS] = "mapping_table",	  [PIPA_OTLP_LOCATIONS] = "location_table",
	[PIPA_OTLP_FUNCTIONS] = "function_table", [PIPA_OTLP_LINKS] = "link_table",
	[PIPA_OTLP_STRINGS] = "string_table",	  [PIPA_OTLP_ATTRIBUTES] = "attribute_table",
	[PIPA_OTLP_STACKS] = "stack_table",
};

static void put_step(struct pipa_buf *out, struct pipa_otlp_step step, bool first)
{
	if (!first)
		pipa_buf_putc(out, '.');
	pipa_buf_puts(out, step.name);
	if (step.index != PIPA_OTLP_NO_INDEX)
		pipa_buf_printf(out, "[%zu]", step.index);
}

void pipa_otlp_checker_add(struct pipa_otlp_checker *c, enum pipa_otlp_rule rule,
			   struct pipa_otlp_step field, const char *fmt, ...)
{
	struct pipa_buf *texts = &c->check->texts;
	struct pipa_otlp_finding *finding;
	unsigned int i;
	va_list ap;

	if (c->check->counts[rule]++ >= c->limit || texts->status)
		return;
	finding = PIPA_VEC_ADD(&c->check->findings);
	if (!finding) {
		c->status = -ENOMEM;
		return;
	}
	finding->rule = rule;
	finding->path = (uint32_t)texts->len;
	for (i = 0; i < c->depth; i++)
		put_step(texts, c->path[i], i == 0);
	if (field.name)
		put_step(texts, field, c->depth == 0);
	pipa_buf_putc(texts, '\0');
	finding->text = (uint32_t)texts->len;
	va_start(ap, fmt);
	pipa_buf_vprintf(texts, fmt, ap);
	va_end(ap);
	pipa_buf_putc(texts, '\0');
	if (texts->status) { /* kept findings have their texts */
		c->status = texts->status == -ENOMEM ? -ENOMEM : c->status;
		c->check->findings.n--;
	}
}

/* ---- references ------------------------------------------------------------------------------ */

bool pipa_otlp_checker_index(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table,
			     int32_t index, enum pipa_otlp_rule rule, struct pipa_otlp_step field)
{
	if (index >= 0 && (size_t)index < c->sizes[table]) {
		c->used[table][index] = 1;
		return true;
	}
	if (!c->dict || (!index && !c->sizes[table]))
		return false; /* the missing dictionary or the empty table is a finding already */
	pipa_otlp_checker_add(c, rule, field,
			      "index %" PRId32 " is outside of %s, which has %zu entries", index,
			      pipa_otlp_table_names[table], c->sizes[table]);
	return false;
}

struct pipa_span pipa_otlp_checker_string_at(const struct pipa_otlp_checker *c, int32_t index)
{
	if (index < 0 || (size_t)index >= c->sizes[PIPA_OTLP_STRINGS])
		return (struct pipa_span){ 0 };
	return c->dict->string_table.items[index];
}

void pipa_otlp_checker_attributes(struct pipa_otlp_checker *c, const int32_t *items, size_t n,
				  enum pipa_otlp_rule rule)
{
	uint32_t list = ++c->lists, key;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pipa_otlp_step field = { "attribute_indices", i };
		struct pipa_span text;
		int32_t index;

		if (!pipa_otlp_checker_index(c, PIPA_OTLP_ATTRIBUTES, items[i], rule, field))
			continue;
		index = c->dict->attribute_table.items[items[i]].key_strindex;
		if (index < 0 || (size_t)index >= c->sizes[PIPA_OTLP_STRINGS])
			continue;
		key = c->string_ids[index];
		text = pipa_otlp_checker_string_at(c, index);
		if (c->last_list[key] == list)
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_DUPLICATE_KEY, field,
					      "key '%.*s' occurs twice in the list",
					      (int)(text.size < 64 ? text.size : 64),
					      (const char *)text.data);
		c->last_list[key] = list;
	}
}

void pipa_otlp_checker_utf8(struct pipa_otlp_checker *c, struct pipa_span text,
			    struct pipa_otlp_step field)
{
	unsigned char padded[8];
	size_t i = 0, len, left;

	while (i < text.size) {
		if (text.data[i] < 0x80) {
			i++;
			continue;
		}
		left = text.size - i < 4 ? text.size - i : 4;
		memset(padded, 0, sizeof(padded));
		memcpy(padded, text.data + i, left);
		len = pipa_utf8_len(padded);
		if (!len || len > left) {
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_UTF8, field,
					      "byte %zu of the string is not UTF-8", i);
			return;
		}
		i += len;
	}
}

void pipa_otlp_checker_value(struct pipa_otlp_checker *c, const struct pipa_otlp_any_value *value,
			     bool refers, struct pipa_otlp_step field)
{
	size_t i;

	if (!value)
		return;
	switch (value->which) {
	case PIPA_OTLP_STRING_VALUE: pipa_otlp_checker_utf8(c, value->string_value, field); break;
	case PIPA_OTLP_STRING_VALUE_STRINDEX:
		pipa_otlp_checker_index(c, PIPA_OTLP_STRINGS, value->string_value_strindex,
					PIPA_OTLP_RULE_INDEX, field);
		if (!refers)
			pipa_otlp_checker_add(
				c, PIPA_OTLP_RULE_STRING_REFERENCE, field,
				"the value is a string reference, which receivers of OTLP do "
				"not resolve here");
		break;
	case PIPA_OTLP_ARRAY_VALUE:
		for (i = 0; value->array_value && i < value->array_value->values.n; i++)
			pipa_otlp_checker_value(c, &value->array_value->values.items[i], refers,
						field);
		break;
	case PIPA_OTLP_KVLIST_VALUE:
		for (i = 0; value->kvlist_value && i < value->kvlist_value->values.n; i++) {
			pipa_otlp_checker_utf8(c, value->kvlist_value->values.items[i].key, field);
			pipa_otlp_checker_value(c, value->kvlist_value->values.items[i].value,
						refers, field);
		}
		break;
	default: break;
	}
}

bool pipa_otlp_is_zero(struct pipa_span bytes)
{
	size_t i;

	for (i = 0; i < bytes.size; i++)
		if (bytes.data[i])
			return false;
	return true;
}
