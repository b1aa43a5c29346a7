/*
 * Read OTLP profiles in JSON to a profile.
 *
 * The text is converted to protobuf bytes (codec/proto_json.h), which are a third of its size, and those are read by
 * import/otlp/otlp.h.
 */
#ifndef PIPA_IMPORT_OTLP_OTLP_JSON_H
#define PIPA_IMPORT_OTLP_OTLP_JSON_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_error;
struct pipa_profile;
struct pipa_timeline;

/* Are these the first bytes of OTLP profiles in JSON? The first key of the object decides. */
bool pipa_otlp_json_is(struct pipa_span start);

/*
 * As pipa_otlp_read(). Offsets in messages are those of the text if it is not JSON of OTLP profiles; else, if it breaks a
 * rule of the format, those of its protobuf bytes, and the message says so.
 */
int pipa_otlp_json_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
			struct pipa_span text, struct pipa_error *err);

#endif
