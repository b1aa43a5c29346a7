#include "rpc/message.h"

#include <errno.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"

/* A list as the decoder fills it. */
struct list {
	const char *items;
	size_t n;
};

static bool is_string(const void *at)
{
	const struct pipa_span *span = at;

	return pipa_utf8_is_valid(span->data, span->size);
}

/* Return the first field with a string that is not UTF-8, NULL if there is none. */
static const struct pipa_proto_field *find_bad_string(const struct pipa_proto_message *message,
						      const void *from,
						      const struct pipa_proto_message **ret_message)
{
	const struct pipa_proto_field *field, *bad;
	uint16_t f;
	size_t i;

	for (f = 0; f < message->n_fields; f++) {
		const char *at;
		struct list list;
		size_t size;

		field = &message->fields[f];
		if (field->type != PIPA_PROTO_STRING && field->type != PIPA_PROTO_MESSAGE)
			continue;
		at = (const char *)from + field->offset;
		size = field->type == PIPA_PROTO_STRING ? sizeof(struct pipa_span) :
							  field->message->size;
		list = (struct list){ at, 1 };
		if (field->repeated)
			list = *(const struct list *)(const void *)at;
		else if (field->type == PIPA_PROTO_MESSAGE)
			list = (struct list){ *(const char *const *)(const void *)at,
					      *(const char *const *)(const void *)at ? 1 : 0 };
		for (i = 0; i < list.n; i++) {
			*ret_message = message;
			if (field->type == PIPA_PROTO_MESSAGE) {
				bad = find_bad_string(field->message, list.items + i * size,
						      ret_message);
				if (bad)
					return bad;
			} else if (!is_string(list.items + i * size)) {
				return field;
			}
		}
	}
	return NULL;
}

int pipa_rpc_decode(const struct pipa_proto_message *message, struct pipa_span bytes,
		    struct pipa_proto_memory *memory, void *ret, struct pipa_error *err)
{
	const struct pipa_proto_message *in;
	const struct pipa_proto_field *bad;
	struct pipa_proto_error fault;
	int rc;

	rc = pipa_proto_decode(message, bytes, memory, ret, &fault);
	if (rc == -EBADMSG)
		return pipa_refuse(err, rc, "cannot decode %s%s%s: %s at byte %" PRIu64,
				   fault.message ? fault.message->name : message->name,
				   fault.field ? "." : "", fault.field ? fault.field->name : "",
				   fault.what, fault.offset);
	if (rc < 0)
		return pipa_fail(err, rc, "decode %s", message->name);
	bad = find_bad_string(message, ret, &in);
	if (bad)
		return pipa_refuse(err, -EBADMSG, "cannot decode %s.%s: the text is not UTF-8",
				   in->name, bad->name);
	return 0;
}

static int append_bytes(void *ctx, const char *bytes, size_t len)
{
	struct pipa_buf *out = ctx;

	pipa_buf_add(out, bytes, len);
	return out->status;
}

int pipa_rpc_encode(const struct pipa_proto_message *message, const void *from,
		    struct pipa_buf *out)
{
	struct pipa_proto_writer w;
	int rc;

	pipa_proto_writer_init(&w, append_bytes, out);
	pipa_proto_put_message(&w, message, from);
	rc = pipa_proto_flush(&w);
	pipa_proto_writer_done(&w);
	if (rc < 0 && !out->status)
		out->status = rc; /* the message is incomplete */
	return rc;
}
