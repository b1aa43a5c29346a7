/* Files of /proc with a row per CPU, disk, interface... */
#include "kernel/text/proc_parsers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "kernel/text/scan.h"

/* ---- /proc/stat ------------------------------------------------------------------------------ */

/* Numbers of the whole: where each goes. */
static void parse_stat_word(const struct scan *word, struct scan *line, uint64_t *system,
			    uint64_t *load)
{
	if (is_word(word, "intr") && system)
		system[SYSTEM_INTR] = next_number(line);
	else if (is_word(word, "ctxt") && system)
		system[SYSTEM_CTXT] = next_number(line);
	else if (is_word(word, "processes") && system)
		system[SYSTEM_FORKS] = next_number(line);
	else if (is_word(word, "procs_blocked") && load)
		load[LOAD_BLOCKED] = next_number(line);
}

/* "intr 5000 0 17 0...": all of them, then each by its number. Most numbers are nobody's. */
static void parse_interrupts(struct scan line, struct pipa_raw *raw)
{
	uint64_t *row = pipa_raw_put(raw, "sum", 3), count = next_number(&line);
	unsigned int irq;
	char name[24];

	if (row)
		row[INTERRUPTS_COUNT] = count;
	for (irq = 0; (count = next_number(&line)) != PIPA_RAW_MISSING; irq++) {
		if (!count)
			continue;
		row = pipa_raw_put(raw, name, (size_t)snprintf(name, sizeof(name), "%u", irq));
		if (row)
			row[INTERRUPTS_COUNT] = count;
	}
}

PIPA_PARSER(stat)
{
	struct pipa_raw *cpus = main_group(r, file);
	uint64_t *system = pipa_raw_put(&r->group[PIPA_GROUP_SYSTEM], "", 0);
	uint64_t *load = pipa_raw_put(&r->group[PIPA_GROUP_LOAD], "", 0);
	struct scan all = { text, text + len }, line, word;

	while (next_line(&all, &line)) {
		if (!next_word(&line, &word))
			continue;
		if (r->interrupts && is_word(&word, "intr"))
			parse_interrupts(line, &r->group[PIPA_GROUP_INTERRUPTS]);
		if (word_len(&word) < 3 || memcmp(word.pos, "cpu", 3) != 0)
			parse_stat_word(&word, &line, system, load);
		else if (word_len(&word) == 3)
			take_numbers(&line, pipa_raw_put(cpus, "all", 3), CPU_FIELDS);
		else
			take_numbers(&line, pipa_raw_put(cpus, word.pos + 3, word_len(&word) - 3),
				     CPU_FIELDS);
	}
}

/*
 * Times that went back (iowait does, idle may by a tick) have not grown. But a CPU that was offline
 * may begin its idle time and iowait again, while the others go on: idle time that lost more than
 * half of itself did that.
 */
void pipa_grow_cpu(const uint64_t *previous, const uint64_t *now, uint64_t *grown)
{
	bool anew = previous[CPU_IDLE] != PIPA_RAW_MISSING &&
		    now[CPU_IDLE] < previous[CPU_IDLE] / 2;
	size_t i;

	for (i = 0; i < CPU_FIELDS; i++) {
		bool from_zero = anew && (i == CPU_IDLE || i == CPU_IOWAIT);

		if (now[i] == PIPA_RAW_MISSING || previous[i] == PIPA_RAW_MISSING)
			grown[i] = PIPA_RAW_MISSING;
		else if (now[i] >= previous[i])
			grown[i] = now[i] - previous[i];
		else
			grown[i] = from_zero ? now[i] : 0;
	}
}

/* ---- tables with a row per thing ------------------------------------------------------------- */

/* "major minor name numbers..." */
PIPA_PARSER(diskstats)
{
	struct scan all = { text, text + len }, line, name;

	while (next_line(&all, &line)) {
		next_number(&line);
		next_number(&line);
		if (next_word(&line, &name))
			take_numbers(&line,
				     pipa_raw_put(main_group(r, file), name.pos, word_len(&name)),
				     DISK_FIELDS);
	}
}

/* "  eth0: numbers..." or, on old kernels, "eth0:number"; two lines of titles have a bar */
PIPA_PARSER(net_dev)
{
	struct scan all = { text, text + len }, line;

	while (next_line(&all, &line)) {
		const char *colon;

		skip_blanks(&line);
		if (memchr(line.pos, '|', (size_t)(line.end - line.pos)))
			continue;
		/* a name may hold colons (eth0:1): the last one before a number counts */
		colon = memrchr(line.pos, ':', (size_t)(line.end - line.pos));
		if (!colon || colon == line.pos)
			continue;
		struct scan numbers = { colon + 1, line.end };

		take_numbers(&numbers,
			     pipa_raw_put(main_group(r, file), line.pos,
					  (size_t)(colon - line.pos)),
			     NET_TX_COMPRESSED + 1);
	}
}

/*
 * A line of hexadecimal numbers per online CPU, its number in the thirteenth since 5.10. The sum is
 * made here: the kernel gives none.
 */
PIPA_PARSER(softnet)
{
	static const unsigned char column[SOFTNET_FIELDS] = { 0, 1, 2, 9, 10, 11 };
	struct pipa_raw *raw = main_group(r, file);
	uint64_t sum[SOFTNET_FIELDS], numbers[16], *row;
	struct scan all = { text, text + len }, line;
	unsigned int cpu = 0, i;
	char name[24];

	memset(sum, 0xff, sizeof(sum));
	pipa_raw_put(raw, "all", 3);
	for (; next_line(&all, &line); cpu++) {
		for (i = 0; i < PIPA_COUNT(numbers); i++) {
			skip_blanks(&line);
			numbers[i] = take_digits(&line, 16);
		}
		if (numbers[12] != PIPA_RAW_MISSING)
			cpu = (unsigned int)numbers[12];
		row = pipa_raw_put(raw, name, (size_t)snprintf(name, sizeof(name), "%u", cpu));
		for (i = 0; row && i < SOFTNET_FIELDS; i++)
			row[i] = numbers[column[i]];
		add_fields(sum, row, SOFTNET_FIELDS);
	}
	row = pipa_raw_put(raw, "all", 3);
	if (row)
		memcpy(row, sum, sizeof(sum));
}

/* "0: uart:16550A port:... tx:218 rx:0 fe:1 pe:2 brk:3 oe:4" */
PIPA_PARSER(tty)
{
	static const char *const words[TTY_FIELDS] = { "tx:", "rx:", "fe:", "pe:", "brk:", "oe:" };
	struct scan all = { text, text + len }, line, word;
	uint64_t *row;
	size_t i, n;

	while (next_line(&all, &line)) {
		if (!next_word(&line, &word) || !isdigit((unsigned char)*word.pos) ||
		    !memmem(line.pos, (size_t)(line.end - line.pos), "tx:", 3))
			continue; /* a port without a chip after it counts nothing */
		strip_colon(&word);
		row = pipa_raw_put(main_group(r, file), word.pos, word_len(&word));
		for (i = 0; row && i < TTY_FIELDS; i++)
			row[i] = 0; /* counts that are 0 are not written */
		while (row && next_word(&line, &word))
			for (i = 0; i < TTY_FIELDS; i++) {
				n = strlen(words[i]);
				if (word_len(&word) > n && memcmp(word.pos, words[i], n) == 0) {
					word.pos += n;
					row[i] = take_digits(&word, 10);
				}
			}
	}
}

static size_t find_softirq(struct scan *name)
{
	static const char *const names[SOFTIRQ_FIELDS] = { "HI",      "TIMER", "NET_TX",
							   "NET_RX",  "BLOCK", "IRQ_POLL",
							   "TASKLET", "SCHED", "HRTIMER",
							   "RCU" };
	size_t i;

	strip_colon(name);
	if (is_word(name, "BLOCK_IOPOLL")) /* before 4.5 */
		return SOFTIRQ_IRQ_POLL;
	for (i = 0; i < SOFTIRQ_FIELDS && !is_word(name, names[i]); i++)
		;
	return i;
}

/*
 * A line of CPUs, then a line per kind with a number below each. The names of the rows are taken from
 * the first line over and over: in the order in which they were put, so each is found at once.
 */
PIPA_PARSER(softirqs)
{
	struct pipa_raw *raw = main_group(r, file);
	struct scan all = { text, text + len }, titles, line, word;
	uint64_t sum[SOFTIRQ_FIELDS], *row, count;
	size_t field;

	memset(sum, 0xff, sizeof(sum));
	if (!next_line(&all, &titles))
		return;
	while (next_line(&all, &line)) {
		struct scan cpus = titles;

		if (!next_word(&line, &word) || (field = find_softirq(&word)) == SOFTIRQ_FIELDS)
			continue;
		pipa_raw_put(raw, "all", 3);
		while (next_word(&cpus, &word) &&
		       (count = next_number(&line)) != PIPA_RAW_MISSING) {
			if (word_len(&word) <= 3 || memcmp(word.pos, "CPU", 3) != 0)
				break;
			row = pipa_raw_put(raw, word.pos + 3, word_len(&word) - 3);
			if (row)
				row[field] = count;
			add_fields(&sum[field], &count, 1);
		}
	}
	row = raw->n ? pipa_raw_put(raw, "all", 3) : NULL;
	if (row)
		memcpy(row, sum, sizeof(sum));
}
