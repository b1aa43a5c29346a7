#include "import/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/crc32.h"
#include "codec/varint.h"
#include "codec/zstd.h"
#include "import/history_tick.h"

enum {
	MAX_HELD = 1 << 20, /* limit of a group that may turn out to be too early */
	FREE_WORK =
		64
		<< 20, /* bytes that may be decompressed, or checked without success, before they are compared */
	RATIO_MAX = 1000, /* with the bytes read; the writer compresses an idle machine 1 : 100 */
	MOST_CHECKS = 8,
};

struct pipa_history_reader {
	struct pipa_history_read read;
	struct pipa_history_result result;
	struct pipa_history_table *table;
	struct pipa_zstd_decompressor *unpacker;
	struct pipa_buf bytes; /* read, not yet parsed */
	size_t pos;	       /* position in `bytes` */
	bool last;	       /* end of input */
	bool done;	       /* no more data is wanted */

	bool in_segment; /* a header was parsed */
	bool chained;	 /* all chunks since the last key chunk were valid */
	enum pipa_history_packing packing;
	uint32_t head_crc, last_crc;
	char boot_id[PIPA_HISTORY_MAX_NAME + 1];
	struct pipa_restart restart;
	bool restarted; /* no interval was passed on since the restart */

	struct pipa_buf held; /* chunks since a key chunk that is too early: maybe all are */
	struct pipa_buf body;
	uint64_t fed, unpacked, checked;
};

bool pipa_history_is(const void *bytes, size_t len)
{
	return len >= PIPA_HISTORY_MAGIC_SIZE &&
	       memcmp(bytes, PIPA_HISTORY_MAGIC, PIPA_HISTORY_MAGIC_SIZE) == 0;
}

struct pipa_history_reader *pipa_history_reader_new(const struct pipa_history_read *read)
{
	PIPA_AUTO(pipa_history_reader_free)
	struct pipa_history_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->read = *read;
	r->body.max = PIPA_HISTORY_MAX_TICK;
	r->table = pipa_history_table_new(&r->read, &r->result);
	r->unpacker = pipa_zstd_decompressor_new();
	return r->table && r->unpacker ? PIPA_TAKE(r) : NULL;
}

void pipa_history_reader_free(struct pipa_history_reader *r)
{
	if (!r)
		return;
	pipa_history_table_free(r->table);
	pipa_zstd_decompressor_free(r->unpacker);
	pipa_buf_done(&r->bytes);
	pipa_buf_done(&r->held);
	pipa_buf_done(&r->body);
	free(r);
}

const struct pipa_history_result *pipa_history_reader_result(const struct pipa_history_reader *r)
{
	return &r->result;
}

/* ---- chunks ------------------------------------------------------------------------------------- */

/* Skip chunks up to the next key chunk. */
static void break_chain(struct pipa_history_reader *r)
{
	r->chained = false;
	pipa_buf_reset(&r->held);
}

/* Decompress a valid chunk and pass on its interval. */
static int read_chunk(struct pipa_history_reader *r, const unsigned char *payload, size_t len)
{
	const unsigned char *body = payload;
	bool bad = false;
	int rc = 0;

	if (r->packing == PIPA_HISTORY_ZSTD) {
		pipa_buf_reset(&r->body);
		rc = pipa_zstd_decompressor_put(r->unpacker, payload, len, &r->body);
		body = (const unsigned char *)pipa_buf_str(&r->body);
		r->unpacked += r->body.len;
		bad = rc == -EBADMSG || rc == -EFBIG ||
		      r->unpacked > FREE_WORK + RATIO_MAX * r->fed;
		rc = bad ? 0 : rc;
		len = r->body.len;
	}
	if (!rc && !bad)
		rc = pipa_history_table_tick(r->table, body, len, r->restarted ? &r->restart : NULL,
					     &bad);
	r->restarted = false;
	if (bad)
		break_chain(r);
	return rc;
}

static void start_group(struct pipa_history_reader *r)
{
	pipa_history_table_forget(r->table);
	pipa_zstd_decompressor_restart(r->unpacker);
}

/* Process the held chunks: they are needed. */
static int process_held(struct pipa_history_reader *r)
{
	size_t at = 0, len;
	int rc = r->held.status;

	if (r->held.len)
		start_group(r);
	while (!rc && at < r->held.len) {
		const unsigned char *chunk = (const unsigned char *)r->held.data + at;

		len = pipa_le_get(chunk, 3);
		rc = read_chunk(r, chunk + 3, len);
		at += 3 + len;
	}
	pipa_buf_reset(&r->held);
	return rc;
}

static void hold_chunk(struct pipa_history_reader *r, const unsigned char *payload, size_t len)
{
	unsigned char size[3];

	pipa_le_put(size, len, sizeof(size));
	pipa_buf_add(&r->held, size, sizeof(size));
	pipa_buf_add(&r->held, payload, len);
}

/* Start a group. A group that starts too early is needed if the next one starts too late. */
static int read_key_chunk(struct pipa_history_reader *r, const unsigned char *payload, size_t len)
{
	uint64_t wall_ns = pipa_le_get(payload, PIPA_HISTORY_KEY_TIME) * 1000;
	bool early = wall_ns <= r->read.from_wall_ns;
	int rc = 0;

	if (early && r->held.len)
		r->restarted = false;
	if (early)
		pipa_buf_reset(&r->held);
	else
		rc = process_held(r);
	r->done = r->read.until_wall_ns && wall_ns > r->read.until_wall_ns;
	if (rc < 0 || r->done)
		return rc;
	payload += PIPA_HISTORY_KEY_TIME;
	len -= PIPA_HISTORY_KEY_TIME;
	r->chained = true;
	start_group(r);
	if (!early)
		return read_chunk(r, payload, len);
	hold_chunk(r, payload, len);
	return 0;
}

static int read_next_chunk(struct pipa_history_reader *r, const unsigned char *payload, size_t len)
{
	if (!r->held.len)
		return read_chunk(r, payload, len);
	hold_chunk(r, payload, len);
	return r->held.len > MAX_HELD ? process_held(r) : 0;
}

/* ---- headers --------------------------------------------------------------------------------- */

static int read_header(struct pipa_history_reader *r, const unsigned char *head, size_t len)
{
	struct pipa_history_head h;
	bool first = !r->result.segments;
	int rc = process_held(r);

	if (rc < 0)
		return rc;
	r->chained = false;
	rc = pipa_history_table_head(r->table, head + PIPA_HISTORY_HEAD_SIZE, len, &h);
	r->in_segment = rc == 0;
	if (rc == -EBADMSG)
		r->result.damaged += PIPA_HISTORY_HEAD_SIZE + len;
	if (rc < 0)
		return rc == -EBADMSG ? 0 : rc;
	r->packing = (enum pipa_history_packing)head[9];
	r->result.segments++;
	if (!first && h.reason == PIPA_HISTORY_STARTED) {
		r->result.restarts++;
		r->restarted = true;
		r->restart = (struct pipa_restart){
			.of = strcmp(h.boot_id, r->boot_id) != 0 ? PIPA_RESTART_MACHINE :
								   PIPA_RESTART_COLLECTOR,
			.wall_ns = h.wall_ns,
			.cpus = h.cpus,
		};
	}
	snprintf(r->boot_id, sizeof(r->boot_id), "%s", h.boot_id);
	if (r->read.head)
		r->read.head(r->read.ctx, &h);
	return 0;
}

/* ---- search ---------------------------------------------------------------------------------- */

enum found { FOUND_NOTHING, FOUND_PART, FOUND_HEAD, FOUND_KEY, FOUND_NEXT };

static enum found checked(struct pipa_history_reader *r, bool good, size_t len, enum found what)
{
	if (!good)
		r->checked += len;
	return good ? what : FOUND_NOTHING;
}

static enum found detect_header(struct pipa_history_reader *r, const unsigned char *at, size_t left,
				size_t *ret_len)
{
	size_t len;
	uint32_t crc;

	if (memcmp(at, PIPA_HISTORY_MAGIC,
		   left < PIPA_HISTORY_MAGIC_SIZE ? left : PIPA_HISTORY_MAGIC_SIZE) != 0)
		return FOUND_NOTHING;
	if (left < PIPA_HISTORY_HEAD_SIZE)
		return FOUND_PART;
	*ret_len = len = pipa_le_get(at + 12, 4);
	if (len > PIPA_HISTORY_MAX_HEAD)
		return FOUND_NOTHING;
	if (left < PIPA_HISTORY_HEAD_SIZE + len)
		return FOUND_PART;
	crc = pipa_crc32(pipa_crc32(0, at + 8, 8), at + PIPA_HISTORY_HEAD_SIZE, len);
	return checked(r, crc == pipa_le_get(at + 16, 4), len, FOUND_HEAD);
}

static enum found detect_chunk(struct pipa_history_reader *r, const unsigned char *at, size_t left,
			       size_t *ret_len)
{
	bool key = at[0] == PIPA_HISTORY_KEY;
	uint32_t crc = key ? r->head_crc : r->last_crc;
	size_t len;

	if (!r->in_segment || !(key || (at[0] == PIPA_HISTORY_NEXT && r->chained)))
		return FOUND_NOTHING;
	if (left < PIPA_HISTORY_CHUNK_SIZE)
		return FOUND_PART;
	*ret_len = len = pipa_le_get(at + 1, 3);
	if (len > PIPA_HISTORY_MAX_CHUNK || (key && len < PIPA_HISTORY_KEY_TIME))
		return FOUND_NOTHING;
	if (left < PIPA_HISTORY_CHUNK_SIZE + len)
		return FOUND_PART;
	crc = pipa_crc32(pipa_crc32(crc, at, 4), at + PIPA_HISTORY_CHUNK_SIZE, len);
	return checked(r, crc == pipa_le_get(at + 4, 4), len, key ? FOUND_KEY : FOUND_NEXT);
}

/*
 * Determine what starts here. Data that causes too many failed checks is not checked any further.
 */
static enum found detect(struct pipa_history_reader *r, const unsigned char *at, size_t left,
			 size_t *ret_len)
{
	if (r->checked > FREE_WORK + MOST_CHECKS * r->fed)
		return FOUND_NOTHING;
	return at[0] == (unsigned char)PIPA_HISTORY_MAGIC[0] ? detect_header(r, at, left, ret_len) :
							       detect_chunk(r, at, left, ret_len);
}

static int read_found(struct pipa_history_reader *r, enum found what, const unsigned char *at,
		      size_t len)
{
	if (what == FOUND_HEAD) {
		r->head_crc = (uint32_t)pipa_le_get(at + 16, 4);
		r->pos += PIPA_HISTORY_HEAD_SIZE + len;
		if (at[8] == PIPA_HISTORY_VERSION && at[9] < PIPA_HISTORY_PACKING_NR)
			return read_header(r, at, len);
		r->in_segment = false;
		r->result.newer++;
		return process_held(r);
	}
	r->last_crc = (uint32_t)pipa_le_get(at + 4, 4);
	r->pos += PIPA_HISTORY_CHUNK_SIZE + len;
	at += PIPA_HISTORY_CHUNK_SIZE;
	return what == FOUND_KEY ? read_key_chunk(r, at, len) : read_next_chunk(r, at, len);
}

/* Parse all complete chunks of the input. */
static int parse_available(struct pipa_history_reader *r)
{
	int rc = 0;

	while (!rc && !r->done && r->pos < r->bytes.len) {
		const unsigned char *at = (const unsigned char *)r->bytes.data + r->pos;
		size_t len = 0;
		enum found what = detect(r, at, r->bytes.len - r->pos, &len);

		if (what == FOUND_PART && !r->last)
			break;
		if (what > FOUND_PART) {
			rc = read_found(r, what, at, len);
			continue;
		}
		if (r->held.len)
			rc = process_held(r);
		break_chain(r);
		r->pos++;
		r->result.damaged++;
	}
	return rc;
}

int pipa_history_reader_feed(struct pipa_history_reader *r, const void *bytes, size_t len)
{
	int rc;

	r->fed += len;
	pipa_buf_add(&r->bytes, bytes, len);
	if (r->bytes.status)
		return r->bytes.status;
	rc = parse_available(r);
	if (r->pos) {
		r->bytes.len -= r->pos;
		memmove(r->bytes.data, r->bytes.data + r->pos, r->bytes.len);
		r->pos = 0;
	}
	return rc;
}

bool pipa_history_reader_is_done(const struct pipa_history_reader *r)
{
	return r->done;
}

int pipa_history_reader_finish(struct pipa_history_reader *r)
{
	int rc;

	r->last = true;
	rc = parse_available(r);
	return rc ? rc : process_held(r);
}
