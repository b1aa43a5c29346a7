#include "kernel/process/task_text.h"

#include <string.h>

#include "base/auto.h"

void pipa_task_stat_clear(struct pipa_task_stat *task)
{
	size_t i;

	*task = (struct pipa_task_stat){ 0 };
	for (i = 0; i < TASK_FIELDS; i++)
		task->fields[i] = PIPA_RAW_MISSING;
}

/* A decimal number that something follows; where it ends, or NULL. */
static const char *take_u64(const char *at, const char *end, uint64_t *ret)
{
	const char *start = at;
	uint64_t value = 0;

	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return NULL;
	if (at == start || at == end)
		return NULL;
	*ret = value;
	return at;
}

static uint64_t times(uint64_t value, uint64_t unit)
{
	return __builtin_mul_overflow(value, unit, &value) ? PIPA_RAW_MISSING : value;
}

/* Numbers of /proc/PID/stat as proc(5) counts them; the state is the third. */
enum { STAT_STATE = 3, STAT_LAST = 43 };

enum worth { WORTH_ONE, WORTH_TICK, WORTH_PAGE };

static const struct {
	unsigned char field; /* TASK_... */
	unsigned char worth;
	bool wanted;
} stat_numbers[STAT_LAST + 1] = {
	[10] = { TASK_MINFLT, WORTH_ONE, true },      [12] = { TASK_MAJFLT, WORTH_ONE, true },
	[14] = { TASK_USER_NS, WORTH_TICK, true },    [15] = { TASK_SYSTEM_NS, WORTH_TICK, true },
	[20] = { TASK_THREADS, WORTH_ONE, true },     [22] = { TASK_START_NS, WORTH_TICK, true },
	[23] = { TASK_VSIZE_BYTES, WORTH_ONE, true }, [24] = { TASK_RSS_BYTES, WORTH_PAGE, true },
	[39] = { TASK_CPU, WORTH_ONE, true },	      [42] = { TASK_IO_DELAY_NS, WORTH_TICK, true },
	[43] = { TASK_GUEST_NS, WORTH_TICK, true },
};

static void take_numbers(const char *at, const char *end, const struct pipa_task_units *units,
			 struct pipa_task_stat *task)
{
	const uint64_t worth[] = {
		[WORTH_ONE] = 1, [WORTH_TICK] = units->tick_ns, [WORTH_PAGE] = units->page_bytes
	};
	uint64_t value;
	int i;

	for (i = STAT_STATE + 1; i <= STAT_LAST; i++) {
		while (at < end && *at == ' ')
			at++;
		if (stat_numbers[i].wanted && take_u64(at, end, &value))
			task->fields[stat_numbers[i].field] = times(value,
								    worth[stat_numbers[i].worth]);
		while (at < end && *at != ' ' && *at != '\n')
			at++;
		if (at == end || *at == '\n')
			return;
	}
}

/*
 * Here alone the kernel adds to a worker's name what it works on, as in "kworker/0:1-events": the name
 * ends before that, and where the name is too long for one.
 */
static size_t name_len(const char *name, size_t len)
{
	static const char worker[] = "kworker/";
	const char *colon = NULL;
	size_t i;

	if (len > sizeof(worker) && memcmp(name, worker, sizeof(worker) - 1) == 0)
		colon = memchr(name, ':', len);
	for (i = colon ? (size_t)(colon - name) : len; i < len; i++)
		if (name[i] == '-' || name[i] == '+')
			len = i;
	return len < PIPA_COMM_LEN ? len : PIPA_COMM_LEN - 1;
}

bool pipa_task_parse_stat(const char *text, size_t len, const struct pipa_task_units *units,
			  struct pipa_task_stat *task)
{
	const char *end = text + len, *open = memchr(text, '(', len), *close;
	uint64_t tid;
	size_t name;

	close = open ? memrchr(open, ')', (size_t)(end - open)) : NULL;
	if (!close || end - close < 4 || close[1] != ' ' || close[2] == ' ' || close[3] != ' ' ||
	    !take_u64(text, open, &tid) || tid > INT32_MAX)
		return false;
	name = name_len(open + 1, (size_t)(close - open - 1));
	task->tid = (pid_t)tid;
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, open + 1, name);
	task->state = close[2];
	take_numbers(close + 3, end, units, task);
	return true;
}

/* ---- files of "key: number" lines ---------------------------------------------------------------- */

struct key {
	const char *name; /* with its colon */
	enum pipa_task_field field;
};

static void take_line(const char *line, const char *end, const struct key *keys, size_t n,
		      struct pipa_task_stat *task)
{
	size_t i;

	for (i = 0; i < n; i++) {
		size_t len = strlen(keys[i].name);
		const char *at = line + len;
		uint64_t value;

		if ((size_t)(end - line) <= len || memcmp(line, keys[i].name, len) != 0)
			continue;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (take_u64(at, end, &value))
			task->fields[keys[i].field] = value;
		return;
	}
}

/* Only whole lines; each is passed on with its end, so that a number in it is followed by something. */
static void take_lines(const char *text, size_t len, const struct key *keys, size_t n,
		       struct pipa_task_stat *task)
{
	const char *end = text + len, *newline;

	while (text < end && (newline = memchr(text, '\n', (size_t)(end - text)))) {
		take_line(text, newline + 1, keys, n, task);
		text = newline + 1;
	}
}

void pipa_task_parse_status(const char *text, size_t len, struct pipa_task_stat *task)
{
	static const struct key keys[] = {
		{ "Uid:", TASK_UID },
		{ "voluntary_ctxt_switches:", TASK_SWITCHES },
		{ "nonvoluntary_ctxt_switches:", TASK_PREEMPTIONS },
	};

	take_lines(text, len, keys, PIPA_COUNT(keys), task);
}

void pipa_task_parse_io(const char *text, size_t len, struct pipa_task_stat *task)
{
	static const struct key keys[] = {
		{ "read_bytes:", TASK_READ_BYTES },
		{ "write_bytes:", TASK_WRITE_BYTES },
		{ "cancelled_write_bytes:", TASK_CANCELLED_BYTES },
	};

	take_lines(text, len, keys, PIPA_COUNT(keys), task);
}

/* "RUN WAIT SLICES" in ns */
void pipa_task_parse_schedstat(const char *text, size_t len, struct pipa_task_stat *task)
{
	const char *end = text + len, *at;
	uint64_t run, wait;

	at = take_u64(text, end, &run);
	if (at && *at == ' ' && take_u64(at + 1, end, &wait))
		task->fields[TASK_WAIT_NS] = wait;
}
