#include "kernel/text/cgroup_text.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/counter.h"

/* A piece of text that is walked from the left. */
struct scan {
	const char *pos, *end;
};

/* The next piece that ends at `stop` or at the end of the text; false when there is no more. */
static bool next_piece(struct scan *text, char stop, struct scan *piece)
{
	const char *end;

	if (text->pos >= text->end)
		return false;
	end = memchr(text->pos, stop, (size_t)(text->end - text->pos));
	piece->pos = text->pos;
	piece->end = end ? end : text->end;
	text->pos = end ? end + 1 : text->end;
	return true;
}

static bool is_text(const struct scan *piece, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(piece->end - piece->pos) == len && memcmp(piece->pos, text, len) == 0;
}

/* A whole decimal number; anything else ("max", "-1", half a number) is missing. */
static uint64_t number(const struct scan *piece)
{
	uint64_t value = 0;
	const char *p;

	if (piece->pos >= piece->end)
		return PIPA_COUNTER_MISSING;
	for (p = piece->pos; p < piece->end; p++) {
		unsigned int digit = (unsigned int)(*p - '0');

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return PIPA_COUNTER_MISSING;
		value = value * 10 + digit;
	}
	return value;
}

void pipa_cgroup_fields_init(uint64_t *fields)
{
	size_t i;

	for (i = 0; i < CG_FIELDS; i++)
		fields[i] = PIPA_COUNTER_MISSING;
}

/* Sums of devices: one more, where there may be none yet; past the end of numbers it stays there. */
static void add(uint64_t *field, uint64_t value)
{
	uint64_t sum = *field == PIPA_COUNTER_MISSING ? 0 : *field;

	if (value != PIPA_COUNTER_MISSING)
		*field = sum > UINT64_MAX - 1 - value ? UINT64_MAX - 1 : sum + value;
}

/* ---- the shapes of files ------------------------------------------------------------------------ */

/* v1 says "no limit" with the largest number of bytes in whole pages. */
static void parse_number(const struct pipa_cgroup_file *file, const char *text, size_t len,
			 uint64_t *fields)
{
	struct scan s = { text, text + len }, line;
	uint64_t value;

	if (!next_piece(&s, '\n', &line))
		return;
	value = number(&line);
	if (value >= UINT64_C(1) << 62)
		return;
	fields[file->field] = file->divide ? value / file->divide : value;
}

/* Lines of "key number". */
static void parse_keys(const struct pipa_cgroup_file *file PIPA_UNUSED, const char *text,
		       size_t len, uint64_t *fields)
{
	static const struct {
		const char *key;
		unsigned int field;
		uint64_t us; /* in one of its units, 0: no time */
	} keys[] = {
		{ "usage_usec", CG_USAGE_US, 0 },
		{ "user_usec", CG_USER_US, 0 },
		{ "system_usec", CG_SYSTEM_US, 0 },
		{ "nr_periods", CG_PERIODS, 0 },
		{ "nr_throttled", CG_THROTTLED, 0 },
		{ "user", CG_USER_US, 10000 }, /* the kernel's hundredths of a second */
		{ "system", CG_SYSTEM_US, 10000 },
	};
	struct scan s = { text, text + len }, line, key, value;
	uint64_t n;
	size_t i;

	while (next_piece(&s, '\n', &line)) {
		if (!next_piece(&line, ' ', &key) || !next_piece(&line, ' ', &value))
			continue;
		n = number(&value);
		for (i = 0; i < PIPA_COUNT(keys); i++)
			if (n < UINT64_MAX / 10000 && is_text(&key, keys[i].key))
				fields[keys[i].field] = keys[i].us ? n * keys[i].us : n;
	}
}

/* "8:0 rbytes=1459200 wbytes=314773504 rios=192 ..." a device; an empty file is no I/O yet. */
static void parse_io(const struct pipa_cgroup_file *file PIPA_UNUSED, const char *text, size_t len,
		     uint64_t *fields)
{
	struct scan s = { text, text + len }, line, word, key;

	fields[CG_READ] = fields[CG_WRITTEN] = 0;
	while (next_piece(&s, '\n', &line))
		while (next_piece(&line, ' ', &word)) {
			if (!next_piece(&word, '=', &key))
				continue;
			if (is_text(&key, "rbytes"))
				add(&fields[CG_READ], number(&word));
			else if (is_text(&key, "wbytes"))
				add(&fields[CG_WRITTEN], number(&word));
		}
}

/* "8:0 Read 4096", a line for each device and kind, then "Total 4096". */
static void parse_blkio(const struct pipa_cgroup_file *file PIPA_UNUSED, const char *text,
			size_t len, uint64_t *fields)
{
	struct scan s = { text, text + len }, line, device, kind, value;

	fields[CG_READ] = fields[CG_WRITTEN] = 0;
	while (next_piece(&s, '\n', &line)) {
		if (!next_piece(&line, ' ', &device) || !next_piece(&line, ' ', &kind) ||
		    !next_piece(&line, ' ', &value))
			continue;
		if (is_text(&kind, "Read"))
			add(&fields[CG_READ], number(&value));
		else if (is_text(&kind, "Write"))
			add(&fields[CG_WRITTEN], number(&value));
	}
}

/* "max 100000" or "50000 100000" */
static void parse_quota(const struct pipa_cgroup_file *file PIPA_UNUSED, const char *text,
			size_t len, uint64_t *fields)
{
	struct scan s = { text, text + len }, line, quota, period;

	if (!next_piece(&s, '\n', &line) || !next_piece(&line, ' ', &quota) ||
	    !next_piece(&line, ' ', &period))
		return;
	fields[CG_QUOTA_US] = number(&quota);
	fields[CG_PERIOD_US] = number(&period);
}

/* "0-3,7" has five; a list that is malformed has none that are known. */
static void parse_cpus(const struct pipa_cgroup_file *file, const char *text, size_t len,
		       uint64_t *fields)
{
	struct scan s = { text, text + len }, line, range, first;
	uint64_t n = 0, from, to;

	if (!next_piece(&s, '\n', &line))
		return;
	while (next_piece(&line, ',', &range)) {
		if (!next_piece(&range, '-', &first))
			return;
		from = to = number(&first);
		if (first.end < range.end) /* with a dash after it */
			to = number(&range);
		if (from > to || to > 65535)
			return;
		n += to - from + 1;
	}
	if (n && n <= 65536)
		fields[file->field] = n;
}

/* clang-format off */
#define USE   PIPA_CGROUP_USE
#define BOUND PIPA_CGROUP_BOUND
#define RARE  PIPA_CGROUP_RARE

const struct pipa_cgroup_file pipa_cgroup_files[] = {
	{ "cpu.stat", NULL, "cpuacct", USE | BOUND, parse_keys, 0, 0 },
	{ "cpu.max", NULL, "cpu", BOUND, parse_quota, 0, 0 },
	{ "cpuset.cpus.effective", NULL, "cpuset", BOUND, parse_cpus, CG_CPUS, 0 },
	{ "memory.current", NULL, "memory", USE | BOUND, parse_number, CG_MEMORY, 0 },
	{ "memory.max", NULL, "memory", RARE | BOUND, parse_number, CG_MEMORY_MAX, 0 },
	{ "memory.swap.current", NULL, "memory", USE | BOUND, parse_number, CG_SWAP, 0 },
	{ "memory.swap.max", NULL, "memory", BOUND, parse_number, CG_SWAP_MAX, 0 },
	{ "io.stat", NULL, "blkio", USE, parse_io, CG_READ, 0 },
	{ "pids.current", NULL, "pids", USE | BOUND, parse_number, CG_PIDS, 0 },
	{ "pids.max", NULL, "pids", BOUND, parse_number, CG_PIDS_MAX, 0 },

	{ "cpuacct.usage", "cpuacct", NULL, USE, parse_number, CG_USAGE_US, 1000 },
	{ "cpuacct.stat", "cpuacct", NULL, USE, parse_keys, 0, 0 },
	{ "cpu.stat", "cpu", NULL, USE | BOUND, parse_keys, 0, 0 },
	{ "cpu.cfs_quota_us", "cpu", NULL, BOUND, parse_number, CG_QUOTA_US, 0 },
	{ "cpu.cfs_period_us", "cpu", NULL, BOUND, parse_number, CG_PERIOD_US, 0 },
	{ "cpuset.effective_cpus", "cpuset", NULL, BOUND, parse_cpus, CG_CPUS, 0 },
	{ "memory.usage_in_bytes", "memory", NULL, USE | BOUND, parse_number, CG_MEMORY, 0 },
	{ "memory.limit_in_bytes", "memory", NULL, RARE | BOUND, parse_number, CG_MEMORY_MAX, 0 },
	{ "memory.memsw.usage_in_bytes", "memory", NULL, USE | BOUND, parse_number, CG_MEMSW, 0 },
	{ "memory.memsw.limit_in_bytes", "memory", NULL, BOUND, parse_number, CG_MEMSW_MAX, 0 },
	/* like all the others this one counts what is below the group too */
	{ "blkio.throttle.io_service_bytes_recursive", "blkio", NULL, USE, parse_blkio, CG_READ, 0 },
	{ "pids.current", "pids", NULL, USE | BOUND, parse_number, CG_PIDS, 0 },
	{ "pids.max", "pids", NULL, BOUND, parse_number, CG_PIDS_MAX, 0 },
};
/* clang-format on */

const size_t pipa_n_cgroup_files = PIPA_COUNT(pipa_cgroup_files);

void pipa_cgroup_parse(const struct pipa_cgroup_file *file, const char *text, size_t len,
		       uint64_t *fields)
{
	file->parse(file, text, len, fields);
}

static uint64_t less(uint64_t both, uint64_t part)
{
	return both == PIPA_COUNTER_MISSING || part == PIPA_COUNTER_MISSING ? PIPA_COUNTER_MISSING :
	       both > part						    ? both - part :
									      0;
}

void pipa_cgroup_fields_finish(uint64_t *fields)
{
	if (fields[CG_SWAP] == PIPA_COUNTER_MISSING)
		fields[CG_SWAP] = less(fields[CG_MEMSW], fields[CG_MEMORY]);
	if (fields[CG_SWAP_MAX] == PIPA_COUNTER_MISSING)
		fields[CG_SWAP_MAX] = less(fields[CG_MEMSW_MAX], fields[CG_MEMORY_MAX]);
}

/* ---- files about groups ------------------------------------------------------------------------- */

static bool names_controller(struct scan list, const char *controller)
{
	struct scan word;

	while (next_piece(&list, ',', &word))
		if (is_text(&word, controller))
			return true;
	return false;
}

/* "4:memory:/a/b" is v1, "0::/a/b" is v2 */
int pipa_cgroup_own(const char *text, size_t len, const char *controller, char *ret, size_t size)
{
	struct scan s = { text, text + len }, line, id, list;

	while (next_piece(&s, '\n', &line)) {
		size_t n;

		if (!next_piece(&line, ':', &id) || !next_piece(&line, ':', &list))
			continue;
		if (controller ? !names_controller(list, controller) : list.pos != list.end)
			continue;
		n = (size_t)(line.end - line.pos);
		if (!n || line.pos[0] != '/')
			continue;
		if (n >= size || memchr(line.pos, '\0', n))
			return -ENAMETOOLONG;
		memcpy(ret, line.pos, n);
		ret[n] = '\0';
		return 0;
	}
	return -ENOENT;
}

/* "nr_descendants 12", or lines of "memory	4	17	1" whose third word counts */
uint64_t pipa_cgroup_count(const char *text, size_t len)
{
	struct scan s = { text, text + len }, line, word;
	uint64_t count = 0, n;
	int i;

	while (next_piece(&s, '\n', &line)) {
		struct scan v2 = line;

		if (next_piece(&v2, ' ', &word) && is_text(&word, "nr_descendants")) {
			n = number(&v2);
			count += n == PIPA_COUNTER_MISSING ? 0 : n;
		}
		for (i = 0; i < 3 && next_piece(&line, '\t', &word); i++)
			;
		n = i == 3 ? number(&word) : 0;
		count += n == PIPA_COUNTER_MISSING ? 0 : n;
	}
	return count;
}
