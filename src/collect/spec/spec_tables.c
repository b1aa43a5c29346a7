/* Describe the tables of /proc: interrupts, limits, modules. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "collect/spec/spec_own.h"

/* ---- interrupts ------------------------------------------------------------------------------------------ */

static uint64_t count_words(char *text)
{
	uint64_t n = 0;
	char *word;

	while ((word = strsep(&text, " \t")))
		n += word[0] != '\0';
	return n;
}

/* Parse " 24:  1  0  IO-APIC   5-edge  " "ACPI:Ged": at most one count per CPU, then its name. */
static void put_interrupt(struct spec *spec, struct pipa_fact *list, char *line, uint64_t cpus)
{
	uint64_t number, count, total = 0, i;
	char *rest = strchr(line, ':'), *word;
	struct pipa_fact *fact;

	if (!rest)
		return;
	*rest++ = '\0';
	if (pipa_str_u64(pipa_spec_narrow(line), &number) < 0)
		return;
	rest = pipa_spec_narrow(rest);
	for (i = 0; rest && i < cpus; i++) {
		char *after = rest;

		word = strsep(&after, " ");
		if (pipa_str_u64(word, &count) < 0) {
			if (after)
				after[-1] = ' ';
			break;
		}
		total += count;
		rest = after;
	}
	fact = pipa_facts_map(spec->facts, list, NULL);
	pipa_spec_text(spec, fact, "irq", rest);
	pipa_facts_number(spec->facts, fact, "number", number);
	pipa_facts_number(spec->facts, fact, "total", total);
}

void pipa_spec_interrupts(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	int rc = pipa_spec_read(spec, PIPA_PROC, "interrupts", &buf);
	char *text = buf.data, *line = rc < 0 ? NULL : pipa_spec_next_line(&text);
	struct pipa_fact *list;
	uint64_t cpus;

	if (!line) {
		pipa_spec_status(spec, section, "/proc/interrupts: %s",
				 rc < 0 ? strerror(-rc) : "empty");
		return;
	}
	cpus = count_words(line);
	pipa_facts_number(spec->facts, section, "cpu_count", cpus);
	list = pipa_facts_list(spec->facts, section, "interrupt_counts");
	while ((line = pipa_spec_next_line(&text)))
		put_interrupt(spec, list, line, cpus);
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

/* Names, order and units of bash's `ulimit -a`, with their names in /proc. */
static const struct {
	const char *name, *proc;
	uint64_t unit;
} limits[] = {
	{ "real-time non-blocking time (microseconds, -R)", "Max realtime timeout", 1 },
	{ "core file size (blocks, -c)", "Max core file size", 1024 },
	{ "data seg size (kbytes, -d)", "Max data size", 1024 },
	{ "scheduling priority (-e)", "Max nice priority", 1 },
	{ "file size (blocks, -f)", "Max file size", 1024 },
	{ "pending signals (-i)", "Max pending signals", 1 },
	{ "max locked memory (kbytes, -l)", "Max locked memory", 1024 },
	{ "max memory size (kbytes, -m)", "Max resident set", 1024 },
	{ "open files (-n)", "Max open files", 1 },
	{ "pipe size (512 bytes, -p)", NULL, 8 },
	{ "POSIX message queues (bytes, -q)", "Max msgqueue size", 1 },
	{ "real-time priority (-r)", "Max realtime priority", 1 },
	{ "stack size (kbytes, -s)", "Max stack size", 1024 },
	{ "cpu time (seconds, -t)", "Max cpu time", 1 },
	{ "max user processes (-u)", "Max processes", 1 },
	{ "virtual memory (kbytes, -v)", "Max address space", 1024 },
	{ "file locks (-x)", "Max file locks", 1 },
};

/* Write the soft limit: the first word after the name. */
static void put_limit(struct spec *spec, struct pipa_fact *section, const char *text, size_t i)
{
	const char *at = limits[i].proc ? strstr(text, limits[i].proc) : NULL;
	char value[32] = "";
	uint64_t number;

	if (at)
		sscanf(at + strlen(limits[i].proc), "%31s", value);
	if (pipa_str_u64(value, &number) == 0)
		snprintf(value, sizeof(value), "%" PRIu64, number / limits[i].unit);
	if (!limits[i].proc) /* PIPE_BUF, a constant of the kernel */
		snprintf(value, sizeof(value), "%" PRIu64, limits[i].unit);
	pipa_spec_text(spec, section, limits[i].name, value);
}

void pipa_spec_ulimits(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 1 << 20 };
	int rc = pipa_spec_read(spec, PIPA_PROC, "self/limits", &buf);
	size_t i;

	if (rc < 0) {
		pipa_spec_status(spec, section, "/proc/self/limits: %s", strerror(-rc));
		return;
	}
	for (i = 0; i < PIPA_COUNT(limits); i++)
		put_limit(spec, section, pipa_buf_str(&buf), i);
}

/* ---- modules -------------------------------------------------------------------------------------------------- */

/* Parse "nf_nat 57344 1 xt_MASQUERADE, Live 0x0000000000000000". */
static void put_module(struct spec *spec, struct pipa_fact *list, char *line)
{
	char *name = strsep(&line, " "), *size = strsep(&line, " "), *users = strsep(&line, " ");
	char *deps = strsep(&line, " ");
	struct pipa_fact *fact;
	uint64_t bytes;
	size_t len;

	if (!deps || pipa_str_u64(size, &bytes) < 0)
		return;
	len = strlen(deps);
	if (len && (deps[len - 1] == ',' || strcmp(deps, "-") == 0))
		deps[len - 1] = '\0';
	fact = pipa_facts_map(spec->facts, list, NULL);
	pipa_facts_text(spec->facts, fact, "name", name);
	pipa_facts_number(spec->facts, fact, "size", bytes);
	pipa_facts_text(spec->facts, fact, "used_by", users);
	pipa_facts_text(spec->facts, fact, "deps", deps);
}

void pipa_spec_modules(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	int rc = pipa_spec_read(spec, PIPA_PROC, "modules", &buf);
	char *text = buf.data, *line;
	struct pipa_fact *list;

	if (rc < 0) {
		pipa_spec_status(spec, section, "/proc/modules: %s; the kernel may have none",
				 strerror(-rc));
		return;
	}
	list = pipa_facts_list(spec->facts, section, "loaded_modules");
	while ((line = pipa_spec_next_line(&text)))
		put_module(spec, list, line);
}
