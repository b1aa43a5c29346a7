#include "analyze/exchange/otlp_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/exchange/otlp_check_own.h"
#include "codec/proto_json.h"

#define MEMORY_MAX ((uint64_t)4 << 30)

static void check_data(struct pipa_otlp_checker *c, const struct pipa_otlp_data *data)
{
	enum pipa_otlp_check_table table;
	size_t i;

	c->dict = data->dictionary;
	if (c->dict)
		pipa_otlp_checker_prepare(c);
	if (!data->resource_profiles.n)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_RESOURCE_PROFILES,
				      PIPA_OTLP_FIELD("resource_profiles"),
				      "the payload has no resources");
	for (i = 0; i < data->resource_profiles.n && !c->status; i++) {
		pipa_otlp_checker_enter(c, "resource_profiles", i);
		pipa_otlp_checker_resource(c, &data->resource_profiles.items[i]);
		pipa_otlp_checker_leave(c);
	}
	c->check->sizes.resources = data->resource_profiles.n;
	if (!c->dict) {
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_DICTIONARY,
				      PIPA_OTLP_FIELD("dictionary"), "is missing");
		return;
	}
	pipa_otlp_checker_enter(c, "dictionary", PIPA_OTLP_NO_INDEX);
	for (table = 0; table < PIPA_OTLP_TABLE_NR && !c->status; table++)
		pipa_otlp_checker_table(c, table);
	for (table = 0; table < PIPA_OTLP_TABLE_NR && !c->status; table++)
		pipa_otlp_checker_orphans(c, table);
	if (c->check->json && c->sizes[PIPA_OTLP_LINKS] > 1)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_JSON_LINK, PIPA_OTLP_FIELD("link_table"),
				      "Pyroscope reads ids in JSON as base64; send protobuf");
	pipa_otlp_checker_leave(c);
}

static void add_malformed(struct pipa_otlp_checker *c, const struct pipa_proto_error *err)
{
	char at[40];

	snprintf(at, sizeof(at), "byte %" PRIu64, err->offset);
	pipa_otlp_checker_add(c, PIPA_OTLP_RULE_MALFORMED, PIPA_OTLP_FIELD(at), "%s%s%s%s%s",
			      err->message ? err->message->name : "", err->field ? "." : "",
			      err->field ? err->field->name : "", err->message ? ": " : "",
			      err->what);
}

/* Convert JSON to protobuf bytes. Returns 0, or -EBADMSG after a finding. */
static int convert_json(struct pipa_otlp_checker *c, struct pipa_span text, struct pipa_buf *bytes)
{
	struct pipa_proto_json_unknown unknown = { 0 };
	struct pipa_proto_error err;
	char at[40];
	int rc = pipa_proto_json_read(&pipa_otlp_data_messages[PIPA_OTLP_1_10], text, bytes,
				      &unknown, &err);

	if (rc == -EBADMSG)
		add_malformed(c, &err);
	if (!rc && unknown.n) {
		snprintf(at, sizeof(at), "byte %" PRIu64, unknown.offset);
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_JSON_KEY, PIPA_OTLP_FIELD(at),
				      "unknown key in %s, which is skipped; %" PRIu64 " in all",
				      unknown.message->name, unknown.n);
	}
	return rc;
}

static int decode_and_check(struct pipa_otlp_checker *c, struct pipa_span payload)
{
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct pipa_otlp_data data;
	struct pipa_proto_error err;
	int rc = pipa_proto_decode(&pipa_otlp_data_messages[c->check->layout], payload, &memory,
				   &data, &err);

	if (rc == -EBADMSG)
		add_malformed(c, &err);
	else if (!rc)
		check_data(c, &data);
	pipa_proto_memory_done(&memory);
	return rc == -EBADMSG ? 0 : rc;
}

bool pipa_otlp_is_json(struct pipa_span payload)
{
	return (payload.size && payload.data[0] == '{') ||
	       pipa_proto_json_matches(&pipa_otlp_data_messages[PIPA_OTLP_1_10], payload);
}

int pipa_otlp_check(struct pipa_span payload, const struct pipa_otlp_check_options *options,
		    struct pipa_otlp_check *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { .max = (size_t)1 << 30 };
	struct pipa_otlp_checker c = { .check = ret,
				       .limit = options->limit ? options->limit : 10 };
	enum pipa_otlp_check_table table;
	int rc = 0;

	*ret = (struct pipa_otlp_check){ .json = pipa_otlp_is_json(payload) };
	if (ret->json) {
		rc = convert_json(&c, payload, &bytes);
		payload = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&bytes), bytes.len };
	} else {
		ret->layout = options->fixed_layout ? options->layout :
						      pipa_otlp_layout_find(payload);
		if (ret->layout == PIPA_OTLP_1_9 && !options->fixed_layout)
			pipa_otlp_checker_add(
				&c, PIPA_OTLP_RULE_LAYOUT, PIPA_OTLP_FIELD("resource_profiles"),
				"layout 1.9: receivers of 1.10 (collector 0.148, Pyroscope "
				"1.20, Parca 0.27 and later) read values as attributes");
	}
	if (!rc)
		rc = decode_and_check(&c, payload);
	for (table = 0; table < PIPA_OTLP_TABLE_NR; table++)
		free(c.used[table]);
	free(c.string_ids);
	free(c.last_list);
	if (rc == -EBADMSG)
		rc = 0;
	return rc == -EFBIG ? -E2BIG : rc ? rc : c.status;
}

void pipa_otlp_check_done(struct pipa_otlp_check *check)
{
	free(check->findings.items);
	pipa_buf_done(&check->texts);
	*check = (struct pipa_otlp_check){ 0 };
}
