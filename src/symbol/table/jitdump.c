#include "symbol/table/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	HEADER_SIZE = 40,
	PREFIX_SIZE = 16,
	FLAG_ARCH_CLOCK = 1,
	NEWEST = 1, /* version */
};

enum { LOAD, MOVE, DEBUG_INFO, CLOSE };

struct codes {
	struct pipa_jit_code *items;
	size_t n, cap;
};

struct move {
	uint64_t addr, size, time, index;
};

struct reader {
	struct pipa_jitdump *jit;
	const uint8_t *file;
	struct codes codes;
	struct {
		struct move *items;
		size_t n, cap;
	} moves;
	uint64_t lines_of; /* address of the code that the last lines belong to */
	struct pipa_span lines;
};

bool pipa_jitdump_is_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t digits;

	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && strcmp(name + 4 + digits, ".dump") == 0;
}

static int read_header(struct pipa_cursor *c, struct pipa_jitdump *jit, struct pipa_error *err)
{
	uint32_t magic = pipa_get_u32(c), version, size;

	if (c->status || (magic != MAGIC && magic != __builtin_bswap32(MAGIC)))
		return pipa_refuse(err, -EBADMSG, "not a jitdump file");
	c->swapped = jit->swapped = magic != MAGIC;
	version = pipa_get_u32(c);
	size = pipa_get_u32(c);
	jit->machine = pipa_get_u32(c);
	pipa_skip(c, sizeof(uint32_t));
	jit->pid = pipa_get_u32(c);
	jit->time = pipa_get_u64(c);
	jit->arch_clock = pipa_get_u64(c) & FLAG_ARCH_CLOCK;
	if (c->status || size < HEADER_SIZE)
		return pipa_refuse(err, -EBADMSG, "truncated jitdump header");
	if (version > NEWEST)
		return pipa_refuse(err, -EBADMSG, "unknown jitdump version %u", version);
	pipa_skip(c, size - HEADER_SIZE);
	return c->status ? pipa_refuse(err, -EBADMSG, "truncated jitdump header") : 0;
}

static int read_load(struct reader *r, struct pipa_cursor *c, uint64_t time)
{
	struct pipa_jit_code code = { .time = time }, *added;
	const uint8_t *bytes;

	pipa_skip(c, 2 * sizeof(uint32_t)); /* pid, tid */
	(void)pipa_get_u64(c);		    /* virtual address: equal to the code address */
	code.addr = pipa_get_u64(c);
	code.size = pipa_get_u64(c);
	code.index = pipa_get_u64(c);
	code.place = (uint64_t)(c->pos - r->file);
	code.name = pipa_get_str(c);
	if (c->status)
		return c->status;
	if (!code.size || code.size > UINT64_MAX - code.addr)
		return 0;
	bytes = pipa_get_bytes(c, code.size);
	if (bytes) {
		code.bytes = (struct pipa_span){ bytes, code.size };
		code.place = (uint64_t)(bytes - r->file);
	}
	if (r->lines.size && r->lines_of == code.addr)
		code.lines = r->lines;
	r->lines.size = 0;
	added = PIPA_VEC_ADD(&r->codes);
	if (!added)
		return -ENOMEM;
	*added = code;
	return 0;
}

static int read_move(struct reader *r, struct pipa_cursor *c, uint64_t time)
{
	struct move move = { .time = time }, *added;

	pipa_skip(c, 2 * sizeof(uint32_t)); /* pid, tid */
	(void)pipa_get_u64(c);
	(void)pipa_get_u64(c); /* old address: the index identifies the code */
	move.addr = pipa_get_u64(c);
	move.size = pipa_get_u64(c);
	move.index = pipa_get_u64(c);
	if (c->status)
		return c->status;
	if (!move.size || move.size > UINT64_MAX - move.addr)
		return 0;
	added = PIPA_VEC_ADD(&r->moves);
	if (!added)
		return -ENOMEM;
	*added = move;
	return 0;
}

/* Store the lines of a debug info record, which precedes its code. */
static int read_debug_info(struct reader *r, struct pipa_cursor *c)
{
	r->lines_of = pipa_get_u64(c);
	(void)pipa_get_u64(c); /* number of entries: implied by the size of the record */
	if (c->status)
		return c->status;
	r->lines = (struct pipa_span){ c->pos, (size_t)(c->end - c->pos) };
	return 0;
}

/* Read a record. 0, -ENOMEM, or -EBADMSG if the record is too short for its type. */
static int read_record(struct reader *r, uint32_t type, uint64_t time, struct pipa_cursor *body)
{
	switch (type) {
	case LOAD: return read_load(r, body, time);
	case MOVE: return read_move(r, body, time);
	case DEBUG_INFO: return read_debug_info(r, body);
	case CLOSE: r->jit->closed = true; return 0;
	default: return 0;
	}
}

static int read_records(struct reader *r, struct pipa_cursor *c)
{
	while (c->end - c->pos >= PREFIX_SIZE) {
		uint32_t type = pipa_get_u32(c);
		uint32_t size = pipa_get_u32(c);
		uint64_t time = pipa_get_u64(c);
		struct pipa_cursor body = *c;
		int rc;

		if (size < PREFIX_SIZE) {
			r->jit->damaged = true;
			return 0;
		}
		pipa_skip(c, size - PREFIX_SIZE);
		if (c->status)
			return 0; /* still being written, or truncated */
		body.end = c->pos;
		rc = read_record(r, type, time, &body);
		if (rc == -EBADMSG)
			r->jit->damaged = true; /* its size is valid: continue */
		else if (rc < 0)
			return rc;
	}
	return 0;
}

static int compare_codes(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int by_index(const void *a, const void *b)
{
	const struct pipa_jit_code *x = a, *y = b;
	int c = compare_codes(x->index, y->index);

	return c ? c : compare_codes(x->time, y->time);
}

static int by_place(const void *a, const void *b)
{
	const struct pipa_jit_code *x = a, *y = b;
	int c = compare_codes(x->addr, y->addr);

	if (!c)
		c = compare_codes(x->time, y->time);
	return c ? c : compare_codes(x->index, y->index);
}

/* Find the load of a move: the latest with its index up to that time. */
static const struct pipa_jit_code *find_moved(const struct codes *loads, size_t n,
					      const struct move *move)
{
	struct pipa_jit_code key = { .index = move->index, .time = move->time };
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_index(&loads->items[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && loads->items[low - 1].index == move->index ? &loads->items[low - 1] : NULL;
}

/* Add the moved code as code at the new address from that time on. 0 or -ENOMEM. */
static int apply_moves(struct reader *r)
{
	size_t i, n_loads = r->codes.n;

	if (!r->moves.n || !n_loads)
		return 0;
	qsort(r->codes.items, n_loads, sizeof(*r->codes.items), by_index);
	for (i = 0; i < r->moves.n; i++) {
		const struct move *move = &r->moves.items[i];
		const struct pipa_jit_code *load = find_moved(&r->codes, n_loads, move);
		struct pipa_jit_code code, *added;

		if (!load)
			continue;
		code = *load;
		code.addr = move->addr;
		code.size = move->size;
		code.time = move->time;
		code.lines.size = 0; /* they have the old addresses */
		added = PIPA_VEC_ADD(&r->codes);
		if (!added)
			return -ENOMEM;
		*added = code;
	}
	return 0;
}

/*
 * The sorted codes are an implicit binary tree: the root of [low, high) is its middle.
 * reach[middle] summarizes that range, so that a search skips ranges without a match: many versions
 * of the code at one address cost no more than a few.
 */
struct pipa_jit_reach {
	uint64_t end; /* highest end */
	uint64_t oldest, newest;
};

static void widen(struct pipa_jit_reach *reach, const struct pipa_jit_reach *part)
{
	if (part->end > reach->end)
		reach->end = part->end;
	if (part->oldest < reach->oldest)
		reach->oldest = part->oldest;
	if (part->newest > reach->newest)
		reach->newest = part->newest;
}

static const struct pipa_jit_reach *fill_reach(struct pipa_jitdump *jit, size_t low, size_t high)
{
	static const struct pipa_jit_reach nothing = { .oldest = UINT64_MAX };
	size_t middle = low + (high - low) / 2;
	const struct pipa_jit_code *code = &jit->codes[middle];
	struct pipa_jit_reach reach;

	if (low >= high)
		return &nothing;
	reach = (struct pipa_jit_reach){ code->addr + code->size, code->time, code->time };
	widen(&reach, fill_reach(jit, low, middle));
	widen(&reach, fill_reach(jit, middle + 1, high));
	jit->reach[middle] = reach;
	return &jit->reach[middle];
}

/* Set reused_from and reused_to: from the first address that two codes share to the last one. */
static void find_reused(struct pipa_jitdump *jit)
{
	uint64_t end = 0;
	size_t i;

	jit->reused_from = jit->reused_to = 0;
	for (i = 0; i < jit->n; i++) {
		uint64_t from = jit->codes[i].addr, to = from + jit->codes[i].size;

		if (from < end && !jit->reused_to)
			jit->reused_from = from;
		if (from < end && (to < end ? to : end) > jit->reused_to)
			jit->reused_to = to < end ? to : end;
		if (to > end)
			end = to;
	}
}

static int by_file_place(const void *a, const void *b, void *ctx)
{
	const struct pipa_jit_code *codes = ctx;
	const struct pipa_jit_code *x = &codes[*(const uint32_t *)a];
	const struct pipa_jit_code *y = &codes[*(const uint32_t *)b];

	return compare_codes(x->place, y->place);
}

static int sort_codes(struct pipa_jitdump *jit)
{
	uint32_t i;

	if (jit->n >= UINT32_MAX)
		return -EFBIG;
	jit->reach = malloc(jit->n * sizeof(*jit->reach));
	jit->by_place = malloc(jit->n * sizeof(*jit->by_place));
	if (!jit->reach || !jit->by_place)
		return -ENOMEM;
	qsort(jit->codes, jit->n, sizeof(*jit->codes), by_place);
	fill_reach(jit, 0, jit->n);
	find_reused(jit);
	for (i = 0; i < jit->n; i++)
		jit->by_place[i] = i;
	qsort_r(jit->by_place, jit->n, sizeof(*jit->by_place), by_file_place, jit->codes);
	return 0;
}

int pipa_jitdump_init(struct pipa_jitdump *ret, struct pipa_span file, struct pipa_error *err)
{
	struct pipa_cursor c = pipa_span_cursor(file, false);
	struct pipa_jitdump jit = { 0 };
	struct reader r = { .jit = &jit, .file = file.data };
	int rc = read_header(&c, &jit, err);

	if (rc < 0)
		return rc;
	rc = read_records(&r, &c);
	if (rc == 0)
		rc = apply_moves(&r);
	free(r.moves.items);
	jit.codes = r.codes.items;
	jit.n = r.codes.n;
	if (rc == 0 && jit.n)
		rc = sort_codes(&jit);
	if (rc < 0) {
		pipa_jitdump_done(&jit);
		return pipa_fail(err, rc, "read jitdump");
	}
	*ret = jit;
	return 0;
}

void pipa_jitdump_done(struct pipa_jitdump *jit)
{
	free(jit->codes);
	free(jit->reach);
	free(jit->by_place);
	jit->codes = NULL;
	jit->reach = NULL;
	jit->by_place = NULL;
	jit->n = 0;
}

struct query {
	const struct pipa_jitdump *jit;
	uint64_t addr, time;
	const struct pipa_jit_code *best;
};

/* Search from the right, where the later versions of an address are. */
static void search_range(struct query *q, size_t low, size_t high)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pipa_jit_code *code = &q->jit->codes[middle];
		const struct pipa_jit_reach *reach = &q->jit->reach[middle];

		if (reach->end <= q->addr || reach->oldest > q->time ||
		    (q->best && reach->newest <= q->best->time))
			return;
		if (code->addr <= q->addr) {
			search_range(q, middle + 1, high);
			if (q->addr - code->addr < code->size && code->time <= q->time &&
			    (!q->best || code->time > q->best->time))
				q->best = code;
		}
		high = middle;
	}
}

const struct pipa_jit_code *pipa_jitdump_find(const struct pipa_jitdump *jit, uint64_t addr,
					      uint64_t time)
{
	struct query q = { .jit = jit, .addr = addr, .time = time };

	search_range(&q, 0, jit->n);
	return q.best;
}

uint64_t pipa_jit_code_place(const struct pipa_jit_code *code, uint64_t addr)
{
	uint64_t into = addr - code->addr;

	if (into >= code->bytes.size)
		into = code->bytes.size ? code->bytes.size - 1 : 0;
	return code->place + into;
}

const struct pipa_jit_code *pipa_jitdump_at(const struct pipa_jitdump *jit, uint64_t place)
{
	const struct pipa_jit_code *code;
	size_t low = 0, high = jit->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (jit->codes[jit->by_place[middle]].place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	code = low ? &jit->codes[jit->by_place[low - 1]] : NULL;
	return code && place - code->place < (code->bytes.size ? code->bytes.size : 1) ? code :
											 NULL;
}

struct pipa_cursor pipa_jit_lines(const struct pipa_jitdump *jit, const struct pipa_jit_code *code)
{
	return pipa_span_cursor(code->lines, jit->swapped);
}

bool pipa_jit_line_next(struct pipa_cursor *lines, struct pipa_jit_line *line)
{
	struct pipa_jit_line next;

	if (lines->pos == lines->end)
		return false;
	next.addr = pipa_get_u64(lines);
	next.line = pipa_get_u32(lines);
	next.discriminator = pipa_get_u32(lines);
	next.file = pipa_get_str(lines);
	if (lines->status || !next.file)
		return false;
	if (strcmp(next.file, "\xff") == 0) /* same file as the previous line */
		next.file = line->file ? line->file : "";
	*line = next;
	return true;
}
