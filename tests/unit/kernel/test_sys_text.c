#include "kernel/text/sys_text.h"

#include "lib/test.h"

#define MISSING(value) CHECK((value) == PIPA_RAW_MISSING)

TEST(a_node_counts_where_its_pages_were_taken_from)
{
	static const char text[] = "numa_hit 10\nnuma_miss 20\nnuma_foreign 30\ninterleave_hit 40\n"
				   "local_node 50\nother_node\nnews 7\n";
	uint64_t fields[NODE_FIELDS];

	memset(fields, 0xff, sizeof(fields));
	pipa_sys_numastat(text, sizeof(text) - 1, fields);
	CHECK_EQ(fields[NODE_HIT], 10);
	CHECK_EQ(fields[NODE_MISS], 20);
	CHECK_EQ(fields[NODE_FOREIGN], 30);
	CHECK_EQ(fields[NODE_INTERLEAVE], 40);
	CHECK_EQ(fields[NODE_LOCAL], 50);
	MISSING(fields[NODE_OTHER]);
	MISSING(fields[NODE_MEMORY_FREE]);
}

TEST(node_memory_fields_are_named_after_the_node_number)
{
	static const char text[] = "Node 3 MemTotal:  900 kB\nNode 3 MemFree:   400 kB\n"
				   "Node 3 MemUsed:   500 kB\nMemFree: 7 kB\nNode\n";
	uint64_t fields[NODE_FIELDS];

	memset(fields, 0xff, sizeof(fields));
	pipa_sys_node_memory(text, sizeof(text) - 1, fields);
	CHECK_EQ(fields[NODE_MEMORY_FREE], 400);
	CHECK_EQ(fields[NODE_MEMORY_USED], 500);
	MISSING(fields[NODE_HIT]);
}

static uint64_t kelvin(const char *text)
{
	uint64_t ret = 7;

	pipa_sys_millikelvin(text, strlen(text), &ret);
	return ret;
}

TEST(temperatures_may_be_below_zero)
{
	CHECK_EQ(kelvin("45000\n"), 318150);
	CHECK_EQ(kelvin("0\n"), 273150);
	CHECK_EQ(kelvin("-5500\n"), 267650);
	CHECK_EQ(kelvin("-273150\n"), 0);
	MISSING(kelvin("-273151\n"));
	MISSING(kelvin("18446744073709551000\n"));
	MISSING(kelvin("hot\n"));
	MISSING(kelvin("-"));
	MISSING(kelvin(""));
}

TEST(a_number_is_a_number_or_missing)
{
	uint64_t ret;

	pipa_sys_number("2400000\n", 8, &ret);
	CHECK_EQ(ret, 2400000);
	pipa_sys_number("<unknown>\n", 10, &ret);
	MISSING(ret);
}

static const uint64_t *clock_of(const struct pipa_raw *raw, const char *cpu)
{
	size_t i;

	for (i = 0; i < raw->n; i++)
		if (strcmp(raw->rows[i].name, cpu) == 0)
			return pipa_raw_now(raw, i);
	pipa_test_fail(__FILE__, __LINE__, "no CPU %s", cpu);
}

static void parse_cpuinfo(struct pipa_raw *raw, const char *text)
{
	pipa_raw_init(raw, 1);
	pipa_raw_begin(raw);
	pipa_sys_cpuinfo(text, strlen(text), raw);
	pipa_raw_end(raw);
}

TEST(cpuinfo_has_a_frequency_after_each_processor)
{
	struct pipa_raw raw;

	parse_cpuinfo(&raw, "cpu MHz\t\t: 1.000\n"
			    "processor\t: 0\nmodel name\t: A cpu MHz : 5\ncpu MHz\t\t: 2000.134\n"
			    "cpu cores\t: 2\n\nprocessor\t: 11\ncpu MHz\t\t: 800.5\n\n"
			    "processor\t: 12\ncpu MHz\t\t: none\n");
	CHECK_EQ(raw.n, 3);
	CHECK_EQ(*clock_of(&raw, "0"), 2000130);
	CHECK_EQ(*clock_of(&raw, "11"), 800500);
	MISSING(*clock_of(&raw, "12"));
	pipa_raw_done(&raw);
	parse_cpuinfo(&raw, "processor\t: 0\ncpu\t\t: POWER9\nclock\t\t: 3425.000000MHz\n");
	CHECK_EQ(*clock_of(&raw, "0"), 3425000);
	pipa_raw_done(&raw);
	parse_cpuinfo(&raw, "processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n");
	CHECK_EQ(raw.n, 0);
	pipa_raw_done(&raw);
}
