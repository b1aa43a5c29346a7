#include "import/otlp/otlp_json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "codec/otlp_schema.h"
#include "codec/proto_json.h"
#include "import/otlp/otlp.h"

#define BYTES_MAX ((size_t)1 << 30)

bool pipa_otlp_json_is(struct pipa_span start)
{
	return pipa_proto_json_matches(&pipa_otlp_data_messages[PIPA_OTLP_1_10], start);
}

int pipa_otlp_json_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
			struct pipa_span text, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { .max = BYTES_MAX };
	struct pipa_proto_error e;
	struct pipa_error why = { 0 };
	int rc = pipa_proto_json_read(&pipa_otlp_data_messages[PIPA_OTLP_1_10], text, &bytes, NULL,
				      &e);

	if (rc == -EBADMSG)
		return pipa_refuse(err, rc,
				   "malformed OTLP profiles: %s%s%s: %s at offset %" PRIu64,
				   e.message ? e.message->name : "JSON", e.field ? "." : "",
				   e.field ? e.field->name : "", e.what, e.offset);
	if (rc == -E2BIG)
		return pipa_refuse(err, -EBADMSG,
				   "malformed OTLP profiles: more than 64 nested values");
	if (rc < 0)
		return rc;
	rc = pipa_otlp_read(profile, timeline,
			    (struct pipa_span){ (const uint8_t *)pipa_buf_str(&bytes), bytes.len },
			    &why);
	if (why.code)
		return pipa_refuse(err, rc, "%s%s", why.what,
				   strstr(why.what, "offset") ? " of its protobuf bytes" : "");
	return rc;
}
