#include "net/rpc_status.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "codec/base64.h"
#include "codec/otlp_schema.h"

enum { MEMORY_MAX = 256 << 10, TEXT_MAX = 64 << 10 };

/* Copy as a string, without control characters, which would garble a terminal. */
static void copy_text(struct pipa_span from, char *to, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < from.size && n + 1 < size; i++)
		to[n++] = from.data[i] < ' ' || from.data[i] == 0x7f ? ' ' : (char)from.data[i];
	to[n] = '\0';
}

static void decode_retry_info(struct pipa_span bytes, struct pipa_proto_memory *memory,
			      struct pipa_rpc_status *ret)
{
	struct pipa_otlp_retry_info info;
	struct pipa_proto_error err;
	uint64_t seconds = 0, ns = 0;

	if (pipa_proto_decode(&pipa_otlp_retry_info_message, bytes, memory, &info, &err) < 0)
		return;
	ret->has_retry_delay = true;
	if (info.retry_delay && info.retry_delay->seconds > 0)
		seconds = (uint64_t)info.retry_delay->seconds;
	if (info.retry_delay && info.retry_delay->nanos > 0)
		ns = (uint64_t)info.retry_delay->nanos;
	ret->retry_delay_ns = seconds > 1000000000 ? INT64_MAX : seconds * PIPA_NS_PER_SEC + ns;
}

int pipa_rpc_status_decode(struct pipa_span bytes, struct pipa_rpc_status *ret)
{
	static const char retry_info[] = PIPA_OTLP_RETRY_INFO_URL;
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct pipa_rpc_status status = { 0 };
	struct pipa_otlp_status message;
	struct pipa_proto_error err;
	size_t i;
	int rc;

	rc = pipa_proto_decode(&pipa_otlp_status_message, bytes, &memory, &message, &err);
	if (!rc) {
		status.code = message.code;
		copy_text(message.message, status.message, sizeof(status.message));
		for (i = 0; i < message.details.n; i++)
			if (message.details.items[i].type_url.size == sizeof(retry_info) - 1 &&
			    memcmp(message.details.items[i].type_url.data, retry_info,
				   sizeof(retry_info) - 1) == 0)
				decode_retry_info(message.details.items[i].value, &memory, &status);
		*ret = status;
	}
	pipa_proto_memory_done(&memory);
	return rc;
}

int pipa_rpc_status_decode_base64(struct pipa_span text, struct pipa_rpc_status *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { .max = TEXT_MAX };

	if (!pipa_base64_take(&bytes, (const char *)text.data, text.size))
		return -EBADMSG;
	if (bytes.status)
		return bytes.status;
	return pipa_rpc_status_decode(
		(struct pipa_span){ (const uint8_t *)pipa_buf_str(&bytes), bytes.len }, ret);
}
