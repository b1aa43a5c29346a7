#include "import/otlp/source.h"

#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "codec/proto.h"

uint64_t pipa_otlp_offset(const struct pipa_otlp_source *source, const uint8_t *at)
{
	return (uint64_t)(at - source->file.data);
}

int pipa_otlp_refuse_wire(const struct pipa_otlp_source *source, const struct pipa_proto_error *e,
			  uint64_t base)
{
	return pipa_refuse(source->err, -EBADMSG,
			   "malformed OTLP profiles: %s%s%s: %s at offset %" PRIu64,
			   e->message ? e->message->name : "ProfilesData", e->field ? "." : "",
			   e->field ? e->field->name : "", e->what, base + e->offset);
}

int pipa_otlp_refuse_index(const struct pipa_otlp_source *source, const char *what, int64_t index,
			   size_t n, uint64_t offset)
{
	return pipa_refuse(source->err, -EBADMSG,
			   "malformed OTLP profiles: %s %" PRId64
			   " exceeds the table of %zu entries at offset %" PRIu64,
			   what, index, n, offset);
}

uint64_t pipa_otlp_entry_offset(const struct pipa_otlp_source *source, uint32_t table, size_t entry)
{
	struct pipa_cursor in = pipa_span_cursor(source->dictionary, false);
	struct pipa_proto_error e;
	struct pipa_proto_item item;

	while (pipa_proto_next(&in, &item, &e) > 0)
		if (item.number == table && !entry--)
			return pipa_otlp_offset(source, item.bytes.data);
	return pipa_otlp_offset(source, source->dictionary.data);
}

int pipa_otlp_next_message(const struct pipa_otlp_source *source, struct pipa_cursor *in,
			   uint32_t number, const char *what, struct pipa_span *ret)
{
	struct pipa_proto_error e = { 0 };
	struct pipa_proto_item item;
	const uint8_t *at = in->pos;
	int rc;

	for (; (rc = pipa_proto_next(in, &item, &e)) > 0; at = in->pos) {
		if (item.number != number)
			continue;
		if (item.wire != PIPA_WIRE_BYTES)
			return pipa_refuse(source->err, -EBADMSG,
					   "malformed OTLP profiles: %s: wrong wire type at offset "
					   "%" PRIu64,
					   what, pipa_otlp_offset(source, at));
		*ret = item.bytes;
		return 1;
	}
	return rc < 0 ? pipa_otlp_refuse_wire(source, &e, pipa_otlp_offset(source, at)) : 0;
}
