/*
 * Time commands side by side: A B C, A B C, ... so that what disturbs the machine disturbs all.
 *
 *	lap [OPTIONS] NAME COMMAND [ARGS] + NAME COMMAND [ARGS] + ...
 *
 * Each command is spawned with its standard descriptors on /dev/null and has to exit with 0. Three
 * times are taken, all in nanoseconds:
 *
 *	wall  from before the spawn until the end was reported
 *	cpu   user and system time of the command and of all it waited for (rusage: whole microseconds,
 *	      but the scheduler's exact sum, not ticks)
 *	own   the same of the command's process alone, its threads included: the process CPU clock,
 *	      read while it is a zombie. What `perf stat sleep 1` burns itself, without the sleep.
 *	      With a window (-t) only what it used within: steady state, without start and end.
 *
 * Shown are medians with the tenth and ninetieth percentile. With a base, every command's added cost
 * is the median of its differences to the base of the same round.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

enum { MAX_COMMANDS = 16, MAX_ROUNDS = 1000000, MAX_MS = 3600000, EXIT_USAGE = 2 };
enum kind { WALL, CPU, OWN, KIND_NR };

static const char *const kind_names[KIND_NR] = { "wall", "cpu", "own" };

struct command {
	const char *name;
	char **argv;
	int64_t *laps[KIND_NR]; /* one per round */
};

struct spread {
	int64_t median, p10, p90;
};

struct lap {
	struct command commands[MAX_COMMANDS];
	size_t n;
	size_t rounds, warm_ups;
	int64_t pause_ns;	   /* before each start */
	int64_t from_ns, until_ns; /* the window of own, after the start; until 0: the whole life */
	const char *base_name, *peer_name;
	const struct command *base, *peer; /* base: NULL without */
	bool plain;			   /* lines for scripts */
	posix_spawn_file_actions_t silence;
	int64_t *scratch; /* rounds long */
};

static const char usage[] =
	"usage: lap [OPTIONS] NAME COMMAND [ARGS] + NAME COMMAND [ARGS] + ...\n"
	"  -r N     measured rounds (101)\n"
	"  -w N     rounds before them that do not count (5)\n"
	"  -s MS    sleep before each start (0)\n"
	"  -t A,B   take OWN from A until B ms after the start only\n"
	"  -b NAME  the base: also show what the others add to it\n"
	"  -p NAME  the peer that ratios are against (the first that is not the base)\n"
	"  -m       lines for scripts, in ns: NAME WALL CPU OWN, the WALL P10 and P90, the OWN P10\n"
	"           and P90; with -b then the added WALL CPU OWN, the added WALL P10 and P90\n";

__attribute__((noreturn, format(printf, 2, 3))) static void die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "lap: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(status);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) < 0)
		return -1;
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* ---- arguments --------------------------------------------------------------------------- */

static size_t parse_number(const char *text, char option, size_t least, size_t most)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-' || value < least || value > most)
		die(EXIT_USAGE, "-%c takes a number from %zu to %zu, not '%s'", option, least, most,
		    text);
	return value;
}

static const struct command *find_command(const struct lap *lap, const char *name)
{
	size_t i;

	for (i = 0; i < lap->n; i++)
		if (strcmp(lap->commands[i].name, name) == 0)
			return &lap->commands[i];
	return NULL;
}

/* Split at each lone "+", which becomes the NULL that ends an argv. */
static void parse_commands(struct lap *lap, char **argv)
{
	while (*argv) {
		struct command *command = &lap->commands[lap->n];

		if (lap->n == MAX_COMMANDS)
			die(EXIT_USAGE, "at most %d commands", MAX_COMMANDS);
		if (find_command(lap, *argv))
			die(EXIT_USAGE, "two commands are named '%s'", *argv);
		command->name = *argv++;
		command->argv = argv;
		while (*argv && strcmp(*argv, "+") != 0)
			argv++;
		if (argv == command->argv)
			die(EXIT_USAGE, "'%s' has no command", command->name);
		if (*argv)
			*argv++ = NULL;
		lap->n++;
	}
	if (!lap->n)
		die(EXIT_USAGE, "nothing to run\n%s", usage);
}

/* "500,2500" */
static void parse_window(struct lap *lap, char *text)
{
	char *comma = strchr(text, ',');

	if (!comma)
		die(EXIT_USAGE, "-t takes two numbers with a comma between, not '%s'", text);
	*comma = '\0';
	lap->from_ns = (int64_t)parse_number(text, 't', 0, MAX_MS) * NS_PER_MS;
	lap->until_ns = (int64_t)parse_number(comma + 1, 't', 1, MAX_MS) * NS_PER_MS;
	if (lap->until_ns <= lap->from_ns)
		die(EXIT_USAGE, "the window of -t ends before it begins");
}

static void parse_options(struct lap *lap, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+r:w:s:t:b:p:mh")) != -1)
		switch (c) {
		case 'r': lap->rounds = parse_number(optarg, 'r', 1, MAX_ROUNDS); break;
		case 'w': lap->warm_ups = parse_number(optarg, 'w', 0, MAX_ROUNDS); break;
		case 's':
			lap->pause_ns = (int64_t)parse_number(optarg, 's', 0, MAX_MS) * NS_PER_MS;
			break;
		case 't': parse_window(lap, optarg); break;
		case 'b': lap->base_name = optarg; break;
		case 'p': lap->peer_name = optarg; break;
		case 'm': lap->plain = true; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs(usage, stderr); exit(EXIT_USAGE);
		}
	parse_commands(lap, argv + optind);
}

static void choose_roles(struct lap *lap)
{
	if (lap->base_name && !(lap->base = find_command(lap, lap->base_name)))
		die(EXIT_USAGE, "-b: no command is named '%s'", lap->base_name);
	if (lap->peer_name && !(lap->peer = find_command(lap, lap->peer_name)))
		die(EXIT_USAGE, "-p: no command is named '%s'", lap->peer_name);
	if (!lap->peer)
		lap->peer = &lap->commands[lap->n > 1 && lap->base == lap->commands];
}

/* ---- running ----------------------------------------------------------------------------- */

static void prepare(struct lap *lap)
{
	size_t i, k;

	lap->scratch = calloc(lap->rounds, sizeof(*lap->scratch));
	for (i = 0; i < lap->n; i++)
		for (k = 0; k < KIND_NR; k++) {
			lap->commands[i].laps[k] = calloc(lap->rounds, sizeof(int64_t));
			if (!lap->commands[i].laps[k] || !lap->scratch)
				die(1, "out of memory");
		}
	posix_spawn_file_actions_init(&lap->silence);
	posix_spawn_file_actions_addopen(&lap->silence, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&lap->silence, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&lap->silence, STDOUT_FILENO, STDERR_FILENO);
}

static void check_end(const struct command *command, int status)
{
	if (WIFSIGNALED(status))
		die(1, "%s was ended by signal %d", command->name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		die(1, "%s exited with %d", command->name, WEXITSTATUS(status));
}

static int64_t usage_ns(const struct rusage *used)
{
	return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * NS_PER_SEC +
	       (used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1000;
}

static int64_t process_ns(const struct command *command, pid_t pid)
{
	clockid_t clock;
	int64_t ns = clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : -1;

	if (ns < 0)
		die(1, "the CPU clock of %s cannot be read", command->name);
	return ns;
}

static void sleep_until(int64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / NS_PER_SEC),
			       .tv_nsec = (long)(ns % NS_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* What the process uses within the window, during which it has to live. */
static int64_t window_ns(const struct lap *lap, const struct command *command, pid_t pid,
			 int64_t start)
{
	siginfo_t info = { 0 };
	int64_t before, used;

	sleep_until(start + lap->from_ns);
	before = process_ns(command, pid);
	sleep_until(start + lap->until_ns);
	used = process_ns(command, pid) - before;
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) < 0 || info.si_pid)
		die(1, "%s ended within its window", command->name);
	return used;
}

static void run_lap(struct lap *lap, const struct command *command, int64_t ret[KIND_NR])
{
	struct rusage used;
	siginfo_t info;
	int64_t start;
	int status, rc;
	pid_t pid;

	start = clock_ns(CLOCK_MONOTONIC);
	rc = posix_spawnp(&pid, command->argv[0], &lap->silence, NULL, command->argv, environ);
	if (rc)
		die(1, "%s: cannot run %s: %s", command->name, command->argv[0], strerror(rc));
	if (lap->until_ns)
		ret[OWN] = window_ns(lap, command, pid, start);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	ret[WALL] = clock_ns(CLOCK_MONOTONIC) - start;
	if (!lap->until_ns)
		ret[OWN] = process_ns(command, pid);
	if (wait4(pid, &status, 0, &used) != pid)
		die(1, "wait for %s: %s", command->name, strerror(errno));
	check_end(command, status);
	ret[CPU] = usage_ns(&used);
}

static void run_all(struct lap *lap)
{
	int64_t times[KIND_NR];
	size_t round, i, k;

	for (round = 0; round < lap->warm_ups + lap->rounds; round++)
		for (i = 0; i < lap->n; i++) {
			sleep_until(clock_ns(CLOCK_MONOTONIC) + lap->pause_ns);
			run_lap(lap, &lap->commands[i], times);
			for (k = 0; round >= lap->warm_ups && k < KIND_NR; k++)
				lap->commands[i].laps[k][round - lap->warm_ups] = times[k];
		}
}

/* ---- telling ----------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* Of a command's laps, or of their differences to the base's. */
static struct spread spread_of(const struct lap *lap, const struct command *command, enum kind kind,
			       const struct command *base)
{
	int64_t *sorted = lap->scratch;
	size_t i, n = lap->rounds;

	for (i = 0; i < n; i++)
		sorted[i] = command->laps[kind][i] - (base ? base->laps[kind][i] : 0);
	qsort(sorted, n, sizeof(*sorted), by_value);
	return (struct spread){
		.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
		.p10 = sorted[(n - 1) / 10],
		.p90 = sorted[(n - 1) - (n - 1) / 10],
	};
}

static double us(int64_t ns)
{
	return (double)ns / 1e3;
}

static void print_table(const struct lap *lap, const struct command *base)
{
	size_t i;
	int k;

	printf("%-16s %-5s %12s %12s %12s %9s\n", base ? "added" : "", "us", "median", "p10", "p90",
	       "ratio");
	for (i = 0; i < lap->n; i++)
		for (k = 0; k < KIND_NR; k++) {
			const struct command *command = &lap->commands[i];
			struct spread peer = spread_of(lap, lap->peer, (enum kind)k, base);
			struct spread own = spread_of(lap, command, (enum kind)k, base);

			if (command == base)
				continue;
			printf("%-16s %-5s %12.1f %12.1f %12.1f", k ? "" : command->name,
			       kind_names[k], us(own.median), us(own.p10), us(own.p90));
			if (peer.median > 0)
				printf(" %9.3f", (double)own.median / (double)peer.median);
			printf("\n");
		}
}

static void print_numbers(const int64_t *ns, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf(" %jd", (intmax_t)ns[i]);
}

static void print_lines(const struct lap *lap, const struct command *base)
{
	size_t i;

	for (i = 0; i < lap->n; i++) {
		const struct command *command = &lap->commands[i];
		struct spread wall = spread_of(lap, command, WALL, NULL);
		struct spread cpu = spread_of(lap, command, CPU, NULL);
		struct spread own = spread_of(lap, command, OWN, NULL);

		printf("%s", command->name);
		print_numbers((int64_t[]){ wall.median, cpu.median, own.median, wall.p10, wall.p90,
					   own.p10, own.p90 },
			      7);
		if (base) {
			wall = spread_of(lap, command, WALL, base);
			cpu = spread_of(lap, command, CPU, base);
			own = spread_of(lap, command, OWN, base);
			print_numbers((int64_t[]){ wall.median, cpu.median, own.median, wall.p10,
						   wall.p90 },
				      5);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	static struct lap lap = { .rounds = 101, .warm_ups = 5 };

	parse_options(&lap, argc, argv);
	choose_roles(&lap);
	prepare(&lap);
	run_all(&lap);
	if (lap.plain) {
		print_lines(&lap, lap.base);
	} else {
		print_table(&lap, NULL);
		if (lap.base)
			print_table(&lap, lap.base);
	}
	return fflush(stdout) ? 1 : 0;
}
