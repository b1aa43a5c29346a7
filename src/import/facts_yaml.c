#include "import/facts_yaml.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"

enum { MAX_DEPTH = 16, MAX_ENTRIES = 1 << 17, MAX_KEY = 256 };

struct level {
	struct pipa_fact *fact;
	bool is_list;
	bool has_key; /* of a map: the next scalar is the value */
	char key[MAX_KEY];
};

struct decode {
	struct pipa_facts *facts;
	struct pipa_error *err;
	struct level levels[MAX_DEPTH];
	size_t depth; /* number of levels; 0: before the document */
	size_t entries;
};

static int refuse_at(struct decode *d, const yaml_mark_t *mark, int code, const char *why)
{
	return pipa_refuse(d->err, code, "line %zu: %s", mark->line + 1, why);
}

/* Open a map or a list: the top, or an entry of the current level. */
static int open_level(struct decode *d, const yaml_event_t *event, bool is_list)
{
	struct level *in = d->depth ? &d->levels[d->depth - 1] : NULL;
	struct pipa_fact *fact = &d->facts->top;

	if (d->depth == MAX_DEPTH || ++d->entries > MAX_ENTRIES)
		return refuse_at(d, &event->start_mark, -EFBIG, "too many or too deep entries");
	if (!in && is_list)
		return refuse_at(d, &event->start_mark, -EBADMSG, "not a map");
	if (in && !in->is_list && !in->has_key)
		return refuse_at(d, &event->start_mark, -EBADMSG, "a key is not a string");
	if (in) {
		const char *key = in->is_list ? NULL : in->key;

		fact = is_list ? pipa_facts_list(d->facts, in->fact, key) :
				 pipa_facts_map(d->facts, in->fact, key);
		in->has_key = false;
	}
	d->levels[d->depth++] = (struct level){ .fact = fact, .is_list = is_list };
	return 0;
}

static int add_scalar(struct decode *d, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	struct level *in = d->depth ? &d->levels[d->depth - 1] : NULL;
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	uint64_t number;

	if (!in) /* an empty document is a null */
		return *text ? refuse_at(d, &event->start_mark, -EBADMSG, "not a map") : 0;
	if (++d->entries > MAX_ENTRIES)
		return refuse_at(d, &event->start_mark, -EFBIG, "too many entries");
	if (!in->is_list && !in->has_key) {
		if (strlen(text) >= sizeof(in->key))
			return refuse_at(d, &event->start_mark, -EFBIG, "a key is too long");
		memcpy(in->key, text, strlen(text) + 1);
		in->has_key = true;
		return 0;
	}
	if (plain && *text >= '0' && *text <= '9' && !strchr(text, 'x') &&
	    pipa_str_u64(text, &number) == 0)
		pipa_facts_number(d->facts, in->fact, in->is_list ? NULL : in->key, number);
	else
		pipa_facts_text(d->facts, in->fact, in->is_list ? NULL : in->key, text);
	in->has_key = false;
	return 0;
}

static int handle_event(struct decode *d, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_MAPPING_START_EVENT: return open_level(d, event, false);
	case YAML_SEQUENCE_START_EVENT: return open_level(d, event, true);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT: d->depth--; return 0;
	case YAML_SCALAR_EVENT: return add_scalar(d, event);
	case YAML_ALIAS_EVENT:
		return refuse_at(d, &event->start_mark, -EBADMSG, "aliases are not supported");
	default: return 0;
	}
}

int pipa_facts_yaml_decode(const char *text, size_t len, struct pipa_facts *ret,
			   struct pipa_error *err)
{
	struct decode d = { .facts = ret, .err = err };
	yaml_parser_t parser;
	bool ended = false;
	int rc = 0;

	if (!yaml_parser_initialize(&parser))
		return pipa_fail(err, -ENOMEM, "read YAML");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (!rc && !ended) {
		yaml_event_t event;

		if (!yaml_parser_parse(&parser, &event)) {
			rc = parser.error == YAML_MEMORY_ERROR ?
				     pipa_fail(err, -ENOMEM, "read YAML") :
				     refuse_at(&d, &parser.problem_mark, -EBADMSG,
					       parser.problem ? parser.problem : "not YAML");
			break;
		}
		rc = handle_event(&d, &event);
		ended = event.type == YAML_DOCUMENT_END_EVENT ||
			event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	if (!rc && ret->status < 0)
		rc = pipa_fail(err, ret->status, "read YAML");
	return rc;
}
