#include "job/query/addr_lookup.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/thread/parallel.h"
#include "base/vec.h"
#include "job/query/addr_lookup_own.h"
#include "symbol/table/lines.h"

enum {
	BATCH_MAX = 1 << 17, /* addresses: half as many take 5 % more time and 10 MB less */
	BATCH_LARGE = 1 << 12,
	READ_SIZE = 1 << 21,
	WORD_MAX = 4096, /* a longer word is not an address */
	PIECES = 512,	 /* results per write */
};

enum { PART_SHIFT = 28 }; /* an entry of `order` has batch part and index */
_Static_assert(BATCH_MAX <= 1 << PART_SHIFT, "an index fits below");
_Static_assert(PIPA_PARALLEL_MAX <= 1 << (32 - PART_SHIFT), "a part fits above");

struct lookup {
	const struct pipa_addr_lookup_options *o;
	struct pipa_resolver *resolver;
	struct {
		uint64_t *items;
		size_t n, cap;
	} addrs;
	uint32_t order[BATCH_MAX]; /* [address of the input] its result */
	struct pipa_addr_lookup_batch parts[PIPA_PARALLEL_MAX];
	uint64_t line; /* of the stream */
	int bad;
	bool said_hidden;
};

/* ---- batches --------------------------------------------------------------------------------------------- */

/*
 * Format a result. Results arrive by ascending address while their tables are cached, and are
 * formatted at once; in input order they would miss the cache.
 */
static int on_resolved(void *ctx, unsigned int number, size_t index,
		       const struct pipa_resolved *what)
{
	struct lookup *a = ctx;

	return pipa_addr_lookup_batch_add(&a->parts[number], index, what);
}

/* Sort results into input order on one thread: two would share cache lines. */
static void put_in_order(struct lookup *a)
{
	uint32_t part, i;

	for (part = 0; part < PIPA_PARALLEL_MAX; part++)
		for (i = 0; i < a->parts[part].srclines.n; i++)
			a->order[a->parts[part].srclines.items[i].index] = part << PART_SHIFT | i;
}

/* Write the results in input order. */
static int write_batch(struct lookup *a, struct pipa_error *err)
{
	struct iovec out[PIECES];
	size_t i, n = 0;
	int rc = 0;

	put_in_order(a);
	for (i = 0; rc == 0 && i < a->addrs.n; i++) {
		const struct pipa_addr_lookup_batch *part = &a->parts[a->order[i] >> PART_SHIFT];
		const struct pipa_symbolize_srcline *place =
			&part->srclines.items[a->order[i] & ((1u << PART_SHIFT) - 1)];

		out[n++] = (struct iovec){
			pipa_addr_lookup_batch_text(part, place->text) + place->at, place->len
		};
		if (place->tail_len)
			out[n++] = (struct iovec){ pipa_addr_lookup_batch_text(part,
									       place->tail_text) +
							   place->tail_at,
						   place->tail_len };
		if (n + 1 < PIECES && i + 1 < a->addrs.n)
			continue;
		rc = pipa_file_write_pieces(a->o->out_fd, out, n);
		n = 0;
	}
	return rc < 0 ? pipa_fail(err, rc, "write standard output") : 0;
}

static void drop_batch(struct lookup *a)
{
	unsigned int i;

	for (i = 0; i < PIPA_PARALLEL_MAX; i++)
		pipa_addr_lookup_batch_reset(&a->parts[i]);
	a->addrs.n = 0;
}

static int enlarge_batches(struct lookup *a, struct pipa_error *err)
{
	unsigned int i, width = pipa_parallel_width();
	int rc = 0;

	for (i = 0; rc == 0 && i < width && a->addrs.n >= BATCH_LARGE; i++)
		rc = pipa_addr_lookup_batch_widen(&a->parts[i]);
	return rc < 0 ? pipa_fail(err, rc, "start symbolization") : 0;
}

/* Resolve and write the gathered addresses. */
static int resolve_batch(struct lookup *a, struct pipa_error *err)
{
	int rc;

	if (!a->addrs.n)
		return 0;
	rc = enlarge_batches(a, err);
	if (rc < 0)
		return rc;
	rc = pipa_resolver_resolve(a->resolver, a->addrs.items, a->addrs.n, on_resolved, a, err);
	if (rc < 0)
		return rc;
	if (pipa_resolver_kernel_hidden(a->resolver) && !a->said_hidden) {
		a->said_hidden = true;
		pipa_log_note(
			&a->o->log,
			"kernel symbols are hidden from this user (kptr_restrict). Run as root.");
	}
	rc = write_batch(a, err);
	drop_batch(a);
	return rc;
}

/*
 * Refuse a word that is not an address. In addr2line's format it still gets a result, so that a
 * reader that counts results does not block.
 */
static int refuse_word(struct lookup *a, const char *word, struct pipa_error *err)
{
	char where[40] = "";
	int rc = resolve_batch(a, err);

	if (rc < 0)
		return rc;
	if (a->line)
		snprintf(where, sizeof(where),
			 "standard input:%llu: ", (unsigned long long)a->line);
	pipa_log_put(&a->o->log, PIPA_LOG_WARN, "%sinvalid address '%.60s'", where, word);
	a->bad += a->bad < INT_MAX;
	if (a->o->form == PIPA_SYMBOLIZE_ADDR2LINE) {
		const struct pipa_resolved nothing = { 0 };

		on_resolved(a, 0, 0, &nothing);
		a->addrs.n = 1;
		rc = write_batch(a, err);
		drop_batch(a);
	}
	return rc;
}

static int add_word(struct lookup *a, const char *word, size_t len, struct pipa_error *err)
{
	bool prefixed = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = prefixed ? word + 2 : word, *end = word + len;
	uint64_t addr, *slot;

	if (!pipa_line_hex(&digits, end, &addr) || digits != end)
		return refuse_word(a, word, err);
	slot = PIPA_VEC_ADD(&a->addrs);
	if (!slot)
		return pipa_fail(err, -ENOMEM, "gather addresses");
	*slot = addr;
	return a->addrs.n < BATCH_MAX ? 0 : resolve_batch(a, err);
}

/* ---- streams --------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || !c;
}

enum { LINE_ROOM = 24 }; /* maximum bytes of a line that are read */

/* Parse the last one to eight digits of a line and its end. */
static bool get_digits(const char **pos, uint64_t *ret, unsigned int *ret_bits)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const char *p = *pos;
	uint64_t bytes, ends;
	unsigned int n;
	char digits[8];

	memcpy(&bytes, p, sizeof(bytes));
	bytes = le64toh(bytes);
	ends = bytes ^ ones * '\n'; /* zero bytes mark line ends; the lowest one is exact */
	ends = (ends - ones) & ~ends & ones * 0x80;
	n = ends ? (unsigned int)__builtin_ctzll(ends) / 8 : 8;
	if (!n || p[n] != '\n')
		return false;
	bytes = n == 8 ? bytes : bytes << (64 - 8 * n) | ones * '0' >> 8 * n;
	bytes = htole64(bytes);
	memcpy(digits, &bytes, sizeof(digits));
	if (!pipa_line_hex8(digits, ret))
		return false;
	*pos = p + n + 1;
	*ret_bits = 4 * n;
	return true;
}

/* Parse a line that consists of an address only. */
static bool get_plain(const char **pos, uint64_t *ret)
{
	const char *p = *pos;
	uint64_t high = 0, low;
	unsigned int bits;

	if (p[0] == '0' && p[1] == 'x')
		p += 2;
	if (!get_digits(&p, &low, &bits)) {
		if (!pipa_line_hex8(p, &high))
			return false;
		p += 8;
		if (!get_digits(&p, &low, &bits))
			return false;
	}
	*pos = p;
	*ret = high << bits | low;
	return true;
}

/* Parse lines that consist of an address only, up to the first other line. */
static int parse_plain_lines(struct lookup *a, char **text, const char *end, struct pipa_error *err)
{
	const char *pos = *text;
	uint64_t addr, *slot;
	int rc = 0;

	while (!rc && end - pos >= LINE_ROOM && get_plain(&pos, &addr)) {
		slot = PIPA_VEC_ADD(&a->addrs);
		if (!slot)
			return pipa_fail(err, -ENOMEM, "gather addresses");
		*slot = addr;
		a->line++;
		*text += pos - *text;
		if (a->addrs.n == BATCH_MAX)
			rc = resolve_batch(a, err);
	}
	return rc;
}

/* Parse complete lines; the newline is replaced to terminate the word. */
static int parse_lines(struct lookup *a, char *text, size_t len, struct pipa_error *err)
{
	char *end = text + len, *word, ended;
	int rc = parse_plain_lines(a, &text, end, err);

	for (; !rc && text < end; text++) {
		if (!is_blank(*text)) {
			for (word = text; text < end && !is_blank(*text);)
				text++;
			ended = *text;
			*text = '\0';
			rc = add_word(a, word, (size_t)(text - word), err);
		} else {
			ended = *text;
		}
		a->line += ended == '\n';
	}
	return rc ? rc : resolve_batch(a, err);
}

static ssize_t read_some(int fd, char *to, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/*
 * Return the length of the complete lines; in a line without an end, of the complete words, or all
 * if there is none.
 */
static size_t complete_length(const char *text, size_t len, bool last)
{
	const char *end = memrchr(text, '\n', len);
	size_t n = len;

	if (last)
		return len;
	if (end)
		return (size_t)(end - text) + 1;
	if (len < READ_SIZE)
		return 0;
	while (n && !is_blank(text[n - 1]))
		n--;
	return n && len - n < WORD_MAX ? n : len;
}

static int read_stream(struct lookup *a, struct pipa_error *err)
{
	PIPA_AUTO(free) char *text = malloc(READ_SIZE + 1);
	size_t len = 0, n;
	ssize_t got = 1;
	int rc = text ? 0 : pipa_fail(err, -ENOMEM, "read standard input");

	a->line = 1;
	while (!rc && got > 0) {
		got = read_some(a->o->in_fd, text + len, READ_SIZE - len);
		if (got < 0)
			return pipa_fail(err, (int)got, "read standard input");
		len += (size_t)got;
		n = complete_length(text, len, got == 0);
		text[len] = '\0';
		rc = parse_lines(a, text, n, err);
		memmove(text, text + n, len - n);
		len -= n;
	}
	return rc;
}

int pipa_addr_lookup_run(const struct pipa_addr_lookup_options *o, struct pipa_error *err)
{
	struct lookup *a = calloc(1, sizeof(*a));
	size_t i;
	int rc;

	if (!a)
		return pipa_fail(err, -ENOMEM, "start symbolization");
	a->o = o;
	for (i = 0; i < PIPA_PARALLEL_MAX; i++) {
		a->parts[i].o = o;
		a->parts[i].text.max = 1 << 30;
	}
	pipa_log_progress(&o->log, "symbolizing addresses", 0, 0);
	rc = pipa_resolver_open(&o->resolver, &a->resolver, err);
	for (i = 0; !rc && i < o->n_words; i++)
		rc = add_word(a, o->words[i], strlen(o->words[i]), err);
	if (!rc)
		rc = o->n_words ? resolve_batch(a, err) : read_stream(a, err);
	if (!rc)
		rc = a->bad;
	pipa_log_progress_end(&o->log);
	pipa_resolver_close(a->resolver);
	for (i = 0; i < PIPA_PARALLEL_MAX; i++)
		pipa_addr_lookup_batch_done(&a->parts[i]);
	free(a->addrs.items);
	free(a);
	return rc;
}
