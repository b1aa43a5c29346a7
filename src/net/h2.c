#include "net/h2.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum {
	FRAME = 16 << 10,   /* largest DATA frame that is sent; every peer must accept it */
	WINDOW = 256 << 10, /* bytes that a peer may send of one stream before they are consumed */
	CONNECTION_WINDOW = 1 << 20, /* of all streams */
	MAX_FIELDS = 64,
};

struct pipa_h2 {
	nghttp2_session *session;
	enum pipa_h2_role role;
	struct pipa_h2_limits limits;
	struct pipa_h2_events events;
	void *ctx;
	int32_t head_stream; /* whose head is being received */
	size_t head_bytes;
	bool head_large, greeted, going_away;
	bool starved;		   /* a callback failed to allocate memory */
	struct trailers *trailers; /* of responses that are being sent */
};

/* Trailers that follow a body, copied because the body is sent later. */
struct trailers {
	struct trailers *next;
	int32_t stream;
	size_t n;
	nghttp2_nv nv[];
};

/* ---- callbacks of nghttp2 -------------------------------------------------------------------------------- */

static int on_begin_headers(nghttp2_session *session PIPA_UNUSED, const nghttp2_frame *frame,
			    void *user)
{
	struct pipa_h2 *h2 = user;

	h2->head_stream = frame->hd.stream_id;
	h2->head_bytes = 0;
	h2->head_large = false;
	return 0;
}

static int on_begin_frame(nghttp2_session *session PIPA_UNUSED, const nghttp2_frame_hd *hd,
			  void *user)
{
	struct pipa_h2 *h2 = user;

	if (h2->events.frame)
		h2->events.frame(h2->ctx, hd->type, hd->flags, hd->length);
	return 0;
}

static int on_frame_sent(nghttp2_session *session PIPA_UNUSED, const nghttp2_frame *frame,
			 void *user)
{
	struct pipa_h2 *h2 = user;

	if (h2->events.sent)
		h2->events.sent(h2->ctx, frame->hd.stream_id, frame->hd.type, frame->hd.flags,
				frame->hd.length);
	return 0;
}

static int on_header(nghttp2_session *session PIPA_UNUSED, const nghttp2_frame *frame,
		     const uint8_t *name, size_t name_len, const uint8_t *value, size_t value_len,
		     uint8_t flags PIPA_UNUSED, void *user)
{
	struct pipa_h2 *h2 = user;

	h2->head_bytes += name_len + value_len + 32; /* as RFC 9113 counts a field */
	if (h2->head_bytes > h2->limits.header_bytes && h2->role == PIPA_H2_SERVER) {
		h2->head_large = true; /* answered when the head is complete */
		return 0;
	}
	if (h2->head_bytes > h2->limits.header_bytes ||
	    h2->events.field(h2->ctx, frame->hd.stream_id, (struct pipa_span){ name, name_len },
			     (struct pipa_span){ value, value_len }) < 0)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* RST_STREAM */
	return 0;
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags PIPA_UNUSED, int32_t stream,
			 const uint8_t *data, size_t len, void *user)
{
	struct pipa_h2 *h2 = user;

	if (h2->limits.paced)
		h2->starved |= nghttp2_session_consume_connection(session, len) ==
			       NGHTTP2_ERR_NOMEM;
	if (h2->events.data(h2->ctx, stream, (struct pipa_span){ data, len }) < 0)
		h2->starved |= nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream,
							 NGHTTP2_CANCEL) == NGHTTP2_ERR_NOMEM;
	return h2->starved ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

static int on_frame(nghttp2_session *session PIPA_UNUSED, const nghttp2_frame *frame, void *user)
{
	struct pipa_h2 *h2 = user;

	switch (frame->hd.type) {
	case NGHTTP2_SETTINGS: h2->greeted = true; break;
	case NGHTTP2_GOAWAY: h2->going_away = true; break;
	case NGHTTP2_HEADERS:
	case NGHTTP2_DATA:
		if (frame->hd.type == NGHTTP2_HEADERS && h2->events.head)
			h2->events.head(h2->ctx, frame->hd.stream_id);
		if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) && h2->events.end)
			h2->events.end(h2->ctx, frame->hd.stream_id);
		break;
	default: break;
	}
	return 0;
}

static void drop_trailers(struct pipa_h2 *h2, int32_t stream)
{
	struct trailers **at, *found;

	for (at = &h2->trailers; *at; at = &(*at)->next)
		if ((*at)->stream == stream) {
			found = *at;
			*at = found->next;
			free(found);
			return;
		}
}

static int on_stream_close(nghttp2_session *session PIPA_UNUSED, int32_t stream, uint32_t code,
			   void *user)
{
	struct pipa_h2 *h2 = user;

	drop_trailers(h2, stream);
	h2->events.closed(h2->ctx, stream, code);
	return 0;
}

/* Bound the size of DATA frames, whatever SETTINGS_MAX_FRAME_SIZE and windows the peer announces. */
static ssize_t limit_frame(nghttp2_session *session PIPA_UNUSED, uint8_t type PIPA_UNUSED,
			   int32_t stream PIPA_UNUSED, int32_t session_window,
			   int32_t stream_window, uint32_t max_frame, void *user PIPA_UNUSED)
{
	ssize_t most = session_window < stream_window ? session_window : stream_window;

	if (most > (ssize_t)max_frame)
		most = (ssize_t)max_frame;
	return most < FRAME ? most : FRAME;
}

/* ---- sessions -------------------------------------------------------------------------------------------- */

static int make_session(struct pipa_h2 *h2)
{
	nghttp2_session_callbacks *callbacks = NULL;
	nghttp2_option *option = NULL;
	int rc = -1;

	if (nghttp2_session_callbacks_new(&callbacks) || nghttp2_option_new(&option))
		goto out;
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
	nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, limit_frame);
	nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
	nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
	nghttp2_option_set_no_auto_window_update(option, h2->limits.paced);
	nghttp2_option_set_no_closed_streams(option, 1);
	nghttp2_option_set_max_reserved_remote_streams(option, 0);
	nghttp2_option_set_max_deflate_dynamic_table_size(option, 4096);
	rc = h2->role == PIPA_H2_CLIENT ?
		     nghttp2_session_client_new2(&h2->session, callbacks, h2, option) :
		     nghttp2_session_server_new2(&h2->session, callbacks, h2, option);
out:
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_option_del(option);
	return rc;
}

struct pipa_h2 *pipa_h2_new(enum pipa_h2_role role, const struct pipa_h2_limits *limits,
			    const struct pipa_h2_events *events, void *ctx)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->streams },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits->header_bytes },
	};
	size_t skip = role == PIPA_H2_SERVER; /* ENABLE_PUSH is a setting of clients */
	struct pipa_h2 *h2 = calloc(1, sizeof(*h2));

	if (!h2)
		return NULL;
	h2->role = role;
	h2->limits = *limits;
	h2->events = *events;
	h2->ctx = ctx;
	if (make_session(h2) ||
	    nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings + skip,
				    PIPA_COUNT(settings) - skip)) {
		pipa_h2_free(h2);
		return NULL;
	}
	return h2;
}

void pipa_h2_free(struct pipa_h2 *h2)
{
	struct trailers *next;

	if (!h2)
		return;
	nghttp2_session_del(h2->session);
	for (; h2->trailers; h2->trailers = next) {
		next = h2->trailers->next;
		free(h2->trailers);
	}
	free(h2);
}

static int error_of(ssize_t rc)
{
	return rc == NGHTTP2_ERR_NOMEM ? -ENOMEM : -EPROTO;
}

int pipa_h2_receive(struct pipa_h2 *h2, struct pipa_span bytes)
{
	ssize_t n = nghttp2_session_mem_recv(h2->session, bytes.data, bytes.size);

	return h2->starved ? -ENOMEM : n < 0 ? error_of(n) : 0;
}

int pipa_h2_output(struct pipa_h2 *h2, struct pipa_span *ret)
{
	const uint8_t *data = NULL;
	ssize_t n = nghttp2_session_mem_send(h2->session, &data);

	if (n < 0)
		return error_of(n);
	*ret = (struct pipa_span){ data, (size_t)n };
	return 0;
}

bool pipa_h2_is_usable(const struct pipa_h2 *h2)
{
	return !h2->going_away && nghttp2_session_want_read(h2->session) &&
	       (h2->role == PIPA_H2_SERVER || nghttp2_session_check_request_allowed(h2->session));
}

bool pipa_h2_is_alive(const struct pipa_h2 *h2)
{
	return nghttp2_session_want_read(h2->session) || nghttp2_session_want_write(h2->session);
}

bool pipa_h2_is_greeted(const struct pipa_h2 *h2)
{
	return h2->greeted;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

size_t pipa_h2_body_sent(const struct pipa_h2_body *body)
{
	return (body->piece > 0 ? body->pieces[0].size : 0) +
	       (body->piece > 1 ? body->pieces[1].size : 0) + body->offset;
}

static struct trailers *find_trailers(struct pipa_h2 *h2, int32_t stream)
{
	struct trailers *t;

	for (t = h2->trailers; t && t->stream != stream; t = t->next)
		;
	return t;
}

/* Copy the next bytes of a body into a DATA frame; after the last, submit the trailers. */
static ssize_t read_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t size,
			 uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct pipa_h2_body *body = source->ptr;
	struct pipa_h2 *h2 = user;
	struct trailers *trailers;
	const struct pipa_span *piece;
	size_t done = 0, n;
	bool ended = !body;
	int rc;

	while (!ended && done < size) {
		if (body->piece == PIPA_COUNT(body->pieces)) {
			rc = body->more ? body->more(body) : 0;
			if (rc == -EAGAIN)
				return done ? (ssize_t)done : NGHTTP2_ERR_DEFERRED;
			if (rc < 0)
				return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* RST_STREAM */
			ended = rc == 0;
			continue;
		}
		piece = &body->pieces[body->piece];
		n = piece->size - body->offset;
		if (n > size - done)
			n = size - done;
		if (n)
			memcpy(to + done, piece->data + body->offset, n);
		done += n;
		body->offset += n;
		if (body->offset == piece->size) {
			body->piece++;
			body->offset = 0;
		}
	}
	if (!ended && (body->piece < PIPA_COUNT(body->pieces) || body->more))
		return (ssize_t)done;
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	trailers = find_trailers(h2, stream);
	if (trailers) {
		*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
		if (nghttp2_submit_trailer(session, stream, trailers->nv, trailers->n))
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	}
	return (ssize_t)done;
}

static nghttp2_nv field_to_nv(const struct pipa_h2_field *field)
{
	return (nghttp2_nv){ (uint8_t *)field->name, (uint8_t *)field->value, strlen(field->name),
			     strlen(field->value),
			     field->secret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE };
}

int32_t pipa_h2_request(struct pipa_h2 *h2, const struct pipa_h2_field *fields, size_t n,
			struct pipa_h2_body *body)
{
	const nghttp2_data_provider provider = { .source = { .ptr = body },
						 .read_callback = read_body };
	nghttp2_nv nv[MAX_FIELDS];
	int32_t stream;
	size_t i;

	if (n > MAX_FIELDS)
		return -E2BIG;
	if (!pipa_h2_is_usable(h2))
		return -EPIPE;
	for (i = 0; i < n; i++)
		nv[i] = field_to_nv(&fields[i]);
	stream = nghttp2_submit_request(h2->session, NULL, nv, n, body ? &provider : NULL, NULL);
	return stream >= 0 ? stream : stream == NGHTTP2_ERR_NOMEM ? -ENOMEM : -EPIPE;
}

/* Keep trailers with copies of their fields until the body was sent. */
static int keep_trailers(struct pipa_h2 *h2, int32_t stream, const struct pipa_h2_field *fields,
			 size_t n)
{
	struct trailers *t;
	size_t i, bytes = 0;
	uint8_t *to;

	for (i = 0; i < n; i++)
		bytes += strlen(fields[i].name) + strlen(fields[i].value);
	t = calloc(1, sizeof(*t) + n * sizeof(t->nv[0]) + bytes);
	if (!t)
		return -ENOMEM;
	to = (uint8_t *)&t->nv[n];
	for (i = 0; i < n; i++) {
		t->nv[i] = field_to_nv(&fields[i]);
		memcpy(to, fields[i].name, t->nv[i].namelen);
		t->nv[i].name = to;
		to += t->nv[i].namelen;
		memcpy(to, fields[i].value, t->nv[i].valuelen);
		t->nv[i].value = to;
		to += t->nv[i].valuelen;
	}
	t->n = n;
	t->stream = stream;
	t->next = h2->trailers;
	h2->trailers = t;
	return 0;
}

int pipa_h2_respond(struct pipa_h2 *h2, int32_t stream, const struct pipa_h2_field *fields,
		    size_t n, struct pipa_h2_body *body, const struct pipa_h2_field *trailers,
		    size_t n_trailers)
{
	const nghttp2_data_provider provider = { .source = { .ptr = body },
						 .read_callback = read_body };
	nghttp2_nv nv[MAX_FIELDS];
	size_t i;
	int rc;

	if (n > MAX_FIELDS || n_trailers > MAX_FIELDS)
		return -E2BIG;
	for (i = 0; i < n; i++)
		nv[i] = field_to_nv(&fields[i]);
	if (n_trailers) {
		rc = keep_trailers(h2, stream, trailers, n_trailers);
		if (rc < 0)
			return rc;
	}
	rc = nghttp2_submit_response(h2->session, stream, nv, n,
				     body || n_trailers ? &provider : NULL);
	return rc ? error_of(rc) : 0;
}

int pipa_h2_resume(struct pipa_h2 *h2, int32_t stream)
{
	int rc = nghttp2_session_resume_data(h2->session, stream);

	return rc == NGHTTP2_ERR_NOMEM ? -ENOMEM : 0; /* it may not have been waiting */
}

int pipa_h2_finish(struct pipa_h2 *h2, int32_t stream, const struct pipa_h2_field *fields, size_t n)
{
	int rc = n > MAX_FIELDS ? -E2BIG : keep_trailers(h2, stream, fields, n);

	return rc ? rc : pipa_h2_resume(h2, stream);
}

void pipa_h2_set_stream(struct pipa_h2 *h2, int32_t stream, void *pointer)
{
	nghttp2_session_set_stream_user_data(h2->session, stream, pointer);
}

void *pipa_h2_stream(const struct pipa_h2 *h2, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(h2->session, stream);
}

int pipa_h2_consume(struct pipa_h2 *h2, int32_t stream, size_t bytes)
{
	int rc = nghttp2_session_consume_stream(h2->session, stream, bytes);

	return rc == NGHTTP2_ERR_NOMEM ? -ENOMEM : 0; /* the stream may be gone */
}

bool pipa_h2_head_is_large(const struct pipa_h2 *h2)
{
	return h2->head_large;
}

int pipa_h2_announce_goaway(struct pipa_h2 *h2)
{
	return nghttp2_submit_shutdown_notice(h2->session) ? -ENOMEM : 0;
}

int pipa_h2_terminate(struct pipa_h2 *h2, enum pipa_h2_code code)
{
	h2->going_away = true;
	return nghttp2_session_terminate_session(h2->session, code) ? -ENOMEM : 0;
}

int pipa_h2_reset(struct pipa_h2 *h2, int32_t stream, enum pipa_h2_code code)
{
	return nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, stream, code) ? -ENOMEM :
											 0;
}

int pipa_h2_ping(struct pipa_h2 *h2)
{
	return nghttp2_submit_ping(h2->session, NGHTTP2_FLAG_NONE, NULL) ? -ENOMEM : 0;
}

int pipa_h2_goaway(struct pipa_h2 *h2, enum pipa_h2_code code)
{
	h2->going_away = true;
	return nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE,
				     nghttp2_session_get_last_proc_stream_id(h2->session), code,
				     NULL, 0) ?
		       -ENOMEM :
		       0;
}
