/*
 * Walk a perf.data file and aggregate its call chains: the least work that any report of it needs.
 *
 *	walk FILE
 *
 * Reads the data section in windows of 4 MiB, hashes the addresses of each SAMPLE to 64 bits, finds or adds
 * the hash in one open-addressing table and adds the period. No side-band records, no symbols, one thread.
 * Prints the number of samples, of distinct chains, the mean chain length and the sum of all periods.
 *
 * Reads files of this machine's byte order whose events share one sample layout (perf record -g writes
 * such files); anything else ends with a message.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 4 << 20, RECORD_MAX = 1 << 16, FIRST_SLOTS = 1 << 12 };

#define MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" */

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct slot {
	uint64_t hash; /* 0: empty */
	uint64_t period;
};

struct table {
	struct slot *slots;
	size_t mask, n;
};

/* Where in a SAMPLE record's body the fields are that the walk needs, in 64-bit words. */
struct layout {
	size_t period, chain;
	bool has_period;
};

struct walk {
	struct layout layout;
	struct table table;
	uint64_t samples, words, period;
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "walk: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(1);
}

/* ---- table ------------------------------------------------------------------------------------------- */

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_words(const uint64_t *words, size_t n)
{
	uint64_t hash = n ^ UINT64_C(0x9e3779b97f4a7c15);
	size_t i;

	for (i = 0; i + 1 < n; i += 2)
		hash = fold(words[i] ^ UINT64_C(0xa0761d6478bd642f), words[i + 1] ^ hash);
	if (i < n)
		hash = fold(words[i] ^ UINT64_C(0xe7037ed1a0b428db), hash);
	hash = fold(hash, UINT64_C(0x8ebc6af09c88c6e3));
	return hash ? hash : 1;
}

static struct slot *find_slot(struct slot *slots, size_t mask, uint64_t hash)
{
	size_t at = hash & mask;

	while (slots[at].hash && slots[at].hash != hash)
		at = (at + 1) & mask;
	return &slots[at];
}

static void grow(struct table *table)
{
	size_t n = table->slots ? 2 * (table->mask + 1) : FIRST_SLOTS, i;
	struct slot *slots = calloc(n, sizeof(*slots));

	if (!slots)
		die("out of memory");
	for (i = 0; table->slots && i <= table->mask; i++)
		if (table->slots[i].hash)
			*find_slot(slots, n - 1, table->slots[i].hash) = table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->mask = n - 1;
}

static void add_period(struct table *table, uint64_t hash, uint64_t period)
{
	struct slot *slot = find_slot(table->slots, table->mask, hash);

	if (!slot->hash) {
		slot->hash = hash;
		if (++table->n > table->mask / 3 * 2) {
			grow(table);
			slot = find_slot(table->slots, table->mask, hash);
		}
	}
	slot->period += period;
}

/* ---- records ----------------------------------------------------------------------------------------- */

static void set_layout(struct layout *layout, const struct perf_event_attr *attr)
{
	static const uint64_t before_period[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID,       PERF_SAMPLE_TIME,
		PERF_SAMPLE_ADDR,	PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	};
	size_t i, at = 0;

	if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		die("the samples have no call chains");
	if (attr->sample_type & PERF_SAMPLE_READ)
		die("samples with counter values are not supported");
	for (i = 0; i < sizeof(before_period) / sizeof(before_period[0]); i++)
		at += (attr->sample_type & before_period[i]) != 0;
	layout->has_period = attr->sample_type & PERF_SAMPLE_PERIOD;
	layout->period = at;
	layout->chain = at + layout->has_period;
}

static void take_sample(struct walk *w, const uint64_t *body, size_t words)
{
	const struct layout *layout = &w->layout;
	uint64_t period = 1, n;

	if (words <= layout->chain || body[layout->chain] > words - layout->chain - 1)
		die("malformed SAMPLE record");
	n = body[layout->chain];
	if (layout->has_period)
		period = body[layout->period];
	add_period(&w->table, hash_words(&body[layout->chain + 1], n), period);
	w->samples++;
	w->words += n;
	w->period += period;
}

/* Take the whole records of a window. Returns the bytes they have; a record cut by its end is left. */
static size_t take_window(struct walk *w, const uint8_t *bytes, size_t len)
{
	size_t at = 0;

	while (len - at >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *header = (const void *)(bytes + at);

		if (header->size < sizeof(*header) || header->size % 8)
			die("malformed record");
		if (header->size > len - at)
			break;
		if (header->type == PERF_RECORD_SAMPLE)
			take_sample(w, (const void *)(header + 1),
				    (header->size - sizeof(*header)) / 8);
		at += header->size;
	}
	return at;
}

/* ---- file -------------------------------------------------------------------------------------------- */

static void read_at(int fd, void *buf, size_t size, uint64_t offset)
{
	ssize_t n;

	while (size) {
		n = pread(fd, buf, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("cannot read the file: %s", n < 0 ? strerror(errno) : "truncated");
		buf = (char *)buf + n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

static void walk_data(struct walk *w, int fd, const struct section *data)
{
	uint8_t *window = aligned_alloc(4096, WINDOW);
	uint64_t offset = data->offset, left = data->size;
	size_t len = 0, taken;

	if (!window)
		die("out of memory");
	while (left) {
		size_t n = WINDOW - len < left ? WINDOW - len : (size_t)left;

		read_at(fd, window + len, n, offset);
		offset += n;
		left -= n;
		len += n;
		taken = take_window(w, window, len);
		len -= taken;
		if (len > RECORD_MAX)
			die("malformed record");
		memmove(window, window + taken, len);
	}
	free(window);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { 0 };
	struct file_header header;
	struct walk w = { 0 };
	int fd;

	if (argc != 2)
		die("usage: walk FILE");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("cannot open '%s': %s", argv[1], strerror(errno));
	read_at(fd, &header, sizeof(header), 0);
	if (header.magic != MAGIC || header.attr_size < PERF_ATTR_SIZE_VER0)
		die("'%s' is not a perf.data file of this machine's byte order", argv[1]);
	read_at(fd, &attr, header.attr_size < sizeof(attr) ? header.attr_size : sizeof(attr),
		header.attrs.offset);
	set_layout(&w.layout, &attr);
	grow(&w.table);
	walk_data(&w, fd, &header.data);
	printf("%" PRIu64 " samples, %zu distinct chains, %.1f words each, sum of periods %" PRIu64
	       "\n",
	       w.samples, w.table.n, w.samples ? (double)w.words / (double)w.samples : 0, w.period);
	return 0;
}
