#include "kernel/text/sys_text.h"

#include "base/auto.h"
#include "kernel/text/scan.h"

/* Take the number after one of the names, if the word is one: names[i] is of fields[i]. */
static void take_named(const struct scan *word, struct scan *line, const char *const *names,
		       size_t n, uint64_t *fields)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_word(word, names[i]))
			fields[i] = next_number(line);
}

void pipa_sys_numastat(const char *text, size_t len, uint64_t *fields)
{
	static const char *const names[] = { "numa_hit",       "numa_miss",  "numa_foreign",
					     "interleave_hit", "local_node", "other_node" };
	struct scan all = { text, text + len }, line, word;

	while (next_line(&all, &line))
		if (next_word(&line, &word))
			take_named(&word, &line, names, PIPA_COUNT(names), &fields[NODE_HIT]);
}

void pipa_sys_node_memory(const char *text, size_t len, uint64_t *fields)
{
	static const char *const names[] = { "MemFree:", "MemUsed:" };
	struct scan all = { text, text + len }, line, word;

	while (next_line(&all, &line)) {
		if (!next_word(&line, &word) || !is_word(&word, "Node") ||
		    !next_word(&line, &word) || !next_word(&line, &word))
			continue;
		take_named(&word, &line, names, PIPA_COUNT(names), &fields[NODE_MEMORY_FREE]);
	}
}

void pipa_sys_number(const char *text, size_t len, uint64_t *ret)
{
	struct scan s = { text, text + len };

	*ret = next_number(&s);
}

void pipa_sys_millikelvin(const char *text, size_t len, uint64_t *ret)
{
	enum { ZERO_CELSIUS = 273150, HOTTEST = 10000000 };
	struct scan s = { text, text + len };
	bool below = s.pos < s.end && *s.pos == '-';
	uint64_t value;

	s.pos += below;
	value = next_number(&s);
	if (value > (below ? ZERO_CELSIUS : HOTTEST)) /* a chip that says nonsense, or missing */
		*ret = PIPA_RAW_MISSING;
	else
		*ret = below ? ZERO_CELSIUS - value : ZERO_CELSIUS + value;
}

/* "cpu MHz : 2000.000", on POWER "clock : 3425.000000MHz", after the "processor : 0" it is of */
void pipa_sys_cpuinfo(const char *text, size_t len, struct pipa_raw *raw)
{
	struct scan all = { text, text + len }, line, word, cpu = { NULL, NULL };

	while (next_line(&all, &line)) {
		const char *colon = memchr(line.pos, ':', (size_t)(line.end - line.pos));
		struct scan number = { colon ? colon + 1 : line.end, line.end };
		uint64_t *row, hundredths;

		if (!next_word(&line, &word))
			continue;
		if (is_word(&word, "processor"))
			next_word(&number, &cpu);
		if (is_word(&word, "cpu") && (!next_word(&line, &word) || !is_word(&word, "MHz")))
			continue;
		if ((!is_word(&word, "MHz") && !is_word(&word, "clock")) || !cpu.pos)
			continue;
		hundredths = next_hundredths(&number);
		row = pipa_raw_put(raw, cpu.pos, word_len(&cpu));
		if (row && hundredths != PIPA_RAW_MISSING)
			*row = hundredths * 10;
	}
}
