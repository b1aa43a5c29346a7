#include "kernel/event/pmu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

#define DEVICES "sys/bus/event_source/devices/"

static void file(const char *path, const char *text)
{
	char full[300];

	snprintf(full, sizeof(full), DEVICES "%s", path);
	pipa_test_file(pipa_test_dir(), full, text);
}

/* A hybrid laptop with an Arm server's names thrown in: every kind of PMU there is. */
static struct pipa_root *machine(void)
{
	struct pipa_root *root = NULL;

	file("software/type", "1\n");
	file("cpu_core/type", "4\n");
	file("cpu_core/cpus", "0-3\n");
	file("cpu_core/format/event", "config:0-7\n");
	file("cpu_core/format/umask", "config:8-15,40-47\n");
	file("cpu_core/format/ldlat", "config1:0-15\n");
	file("cpu_core/format/odd", "what is this\n");
	file("cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	file("cpu_atom/type", "10\n");
	file("cpu_atom/cpus", "4-7\n");
	file("armv8_pmuv3_0/type", "8\n");
	file("armv8_pmuv3_0/cpus", "0-1\n");
	file("armv8_pmuv3_0/format/event", "config:0-15\n");
	file("uncore_imc_0/type", "20\n");
	file("uncore_imc_0/cpumask", "0,8\n");
	file("uncore_imc_1/type", "21\n");
	file("uncore_imc_1/cpumask", "0,8\n");
	file("uncore_imc_10/type", "30\n");
	file("uncore_imc_10/cpumask", "0,8\n");
	file("power/type", "12\n");
	file("power/cpumask", "0\n");
	file("power/events/energy-pkg", "event=0x02\n");
	file("power/events/energy-pkg.unit", "Joules\n");
	file("power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	file("power/events/energy-pkg.snapshot", "1\n");
	file("power/events/energy-pkg.per-pkg", "1\n");
	file("power/events/energy-ram", "event=0x03\n");
	file("power/events/energy-ram.scale", "nonsense\n");
	file("power/events/v1.5", "event=0x05\n");
	file("power/events/empty", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

static struct pipa_pmu *find(struct pipa_pmus *pmus, const char *name)
{
	size_t i;

	for (i = 0; i < pmus->n; i++)
		if (strcmp(pmus->items[i].name, name) == 0)
			return &pmus->items[i];
	pipa_test_fail(__FILE__, __LINE__, "no PMU %s", name);
}

static struct pipa_pmu *load(struct pipa_root *root, struct pipa_pmus *pmus, const char *name)
{
	struct pipa_error err = { 0 };
	struct pipa_pmu *pmu;

	if (!pmus->n)
		CHECK_EQ(pipa_pmus_load(root, pmus, NULL), 0);
	pmu = find(pmus, name);
	if (pipa_pmu_load(root, pmu, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return pmu;
}

TEST(pmus_are_listed_by_name)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	size_t i;

	CHECK_EQ(pipa_pmus_load(root, &pmus, NULL), 0);
	CHECK_EQ(pmus.n, 8);
	for (i = 1; i < pmus.n; i++)
		CHECK(strcmp(pmus.items[i - 1].name, pmus.items[i].name) < 0);
}

TEST(machine_without_pmus_has_an_empty_list)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_pmus_load(root, &pmus, NULL), 0);
	CHECK_EQ(pmus.n, 0);
}

TEST(core_pmus_are_recognised_by_their_cpus_file_or_the_name_cpu)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };

	file("cpu/type", "4\n");
	root = machine();
	CHECK_EQ(pipa_pmus_load(root, &pmus, NULL), 0);
	CHECK(find(&pmus, "cpu")->core);
	CHECK(find(&pmus, "cpu_core")->core);
	CHECK(find(&pmus, "cpu_atom")->core);
	CHECK(find(&pmus, "armv8_pmuv3_0")->core);
	CHECK(!find(&pmus, "uncore_imc_0")->core);
	CHECK(!find(&pmus, "power")->core);
	CHECK(!find(&pmus, "software")->core);
}

TEST(core_pmu_knows_its_type_cpus_and_fields)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu *pmu = load(root, &pmus, "cpu_core");
	const struct pipa_pmu_format *format;

	CHECK_EQ(pmu->type, 4);
	CHECK(!pmu->uncore);
	CHECK_EQ(pmu->cpus.n, 4);
	CHECK_EQ(pmu->cpus.items[3], 3);
	CHECK_EQ(pmu->n_formats, 3); /* the malformed one is omitted */
	format = pipa_pmu_format_find(pmu, "umask");
	CHECK(format);
	CHECK_EQ(format->word, 0);
	CHECK_EQ(format->bits, UINT64_C(0xff000000ff00));
	CHECK_EQ(pipa_pmu_format_find(pmu, "ldlat")->word, 1);
	CHECK(!pipa_pmu_format_find(pmu, "odd"));
	CHECK(!pipa_pmu_format_find(pmu, "uma"));
}

TEST(package_pmu_counts_on_its_cpumask)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu *pmu = load(root, &pmus, "uncore_imc_1");

	CHECK_EQ(pmu->type, 21);
	CHECK(pmu->uncore);
	CHECK_EQ(pmu->cpus.n, 2);
	CHECK_EQ(pmu->cpus.items[1], 8);
}

TEST(software_pmu_counts_everywhere)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu *pmu = load(root, &pmus, "software");

	CHECK_EQ(pmu->type, 1);
	CHECK(!pmu->uncore);
	CHECK_EQ(pmu->cpus.n, 0);
	CHECK_EQ(pmu->n_formats, 0);
}

TEST(pmu_is_read_once)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu *pmu = load(root, &pmus, "cpu_core");

	file("cpu_core/type", "99\n");
	CHECK_EQ(pipa_pmu_load(root, pmu, NULL), 0);
	CHECK_EQ(pmu->type, 4);
}

TEST(pmu_without_a_type_is_an_error_with_its_name)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_error err = { 0 };

	file("broken/cpumask", "0\n");
	file("strange/type", "1\n");
	file("strange/cpumask", "0-\n");
	root = machine();
	CHECK_EQ(pipa_pmus_load(root, &pmus, NULL), 0);
	CHECK_EQ(pipa_pmu_load(root, find(&pmus, "broken"), &err), -ENOENT);
	CHECK_HAS(err.what, "PMU broken");
	CHECK_EQ(pipa_pmu_load(root, find(&pmus, "strange"), &err), -EINVAL);
	CHECK(!find(&pmus, "strange")->loaded);
}

TEST(alias_has_terms_unit_and_scale)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu *power = load(root, &pmus, "power");
	struct pipa_pmu_alias alias = { 0 };

	CHECK_EQ(pipa_pmu_alias_read(root, power, "energy-pkg", &alias), 0);
	CHECK_STR(alias.name, "energy-pkg");
	CHECK_STR(alias.terms, "event=0x02");
	CHECK_STR(alias.unit, "Joules");
	CHECK_NEAR(alias.scale, 0x1p-32, 0);
	CHECK_EQ(pipa_pmu_alias_read(root, load(root, &pmus, "cpu_core"), "mem-loads", &alias), 0);
	CHECK_STR(alias.terms, "event=0xcd,umask=0x1,ldlat=3");
	CHECK_STR(alias.unit, "");
	CHECK_NEAR(alias.scale, 1, 0);
}

TEST(malformed_scale_is_treated_as_one)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu_alias alias = { 0 };

	CHECK_EQ(pipa_pmu_alias_read(root, load(root, &pmus, "power"), "energy-ram", &alias), 0);
	CHECK_NEAR(alias.scale, 1, 0);
}

TEST(names_other_than_events_of_the_pmu_are_not_found)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct pipa_pmu *power = load(root, &pmus, "power");
	struct pipa_pmu_alias alias = { .name = "untouched" };
	char longest[200];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_EQ(pipa_pmu_alias_read(root, power, "energy", &alias), -ENOENT);
	CHECK_EQ(pipa_pmu_alias_read(root, power, "../type", &alias), -ENOENT);
	CHECK_EQ(pipa_pmu_alias_read(root, power, "..", &alias), -ENOENT);
	CHECK_EQ(pipa_pmu_alias_read(root, power, "", &alias), -ENOENT);
	CHECK_EQ(pipa_pmu_alias_read(root, power, "empty", &alias), -ENOENT);
	CHECK_EQ(pipa_pmu_alias_read(root, power, longest, &alias), -ENOENT);
	CHECK_STR(alias.name, "untouched");
}

struct names {
	char text[200];
	int n, stop_after;
};

static int note_name(void *ctx, const char *name)
{
	struct names *names = ctx;
	size_t len = strlen(names->text);

	snprintf(names->text + len, sizeof(names->text) - len, "<%s>", name);
	return ++names->n == names->stop_after ? 7 : 0;
}

TEST(every_event_is_named_and_no_attribute)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_pmus_done) struct pipa_pmus pmus = { 0 };
	struct names names = { .text = "" }, none = { .text = "" }, first = { .stop_after = 1 };

	CHECK_EQ(pipa_pmu_alias_each(root, load(root, &pmus, "power"), note_name, &names), 0);
	CHECK_EQ(names.n, 4);
	CHECK_HAS(names.text, "<energy-pkg>");
	CHECK_HAS(names.text, "<energy-ram>");
	CHECK_HAS(names.text, "<v1.5>");
	CHECK_EQ(pipa_pmu_alias_each(root, load(root, &pmus, "software"), note_name, &none), 0);
	CHECK_EQ(none.n, 0);
	CHECK_EQ(pipa_pmu_alias_each(root, find(&pmus, "power"), note_name, &first), 7);
	CHECK_EQ(first.n, 1);
}

static bool matches(const char *name, const char *wanted)
{
	char copy[64];
	struct pipa_pmu pmu = { .name = copy };

	snprintf(copy, sizeof(copy), "%s", name);
	return pipa_pmu_matches(&pmu, wanted);
}

TEST(pmu_is_meant_by_its_name)
{
	CHECK(matches("cpu", "cpu"));
	CHECK(!matches("cpu", "cp"));
	CHECK(!matches("cpu_core", "cpu"));
	CHECK(!matches("cpu", "cpu_core"));
	CHECK(!matches("cpu", ""));
}

TEST(instances_are_meant_by_their_common_name)
{
	CHECK(matches("uncore_imc_0", "uncore_imc"));
	CHECK(matches("uncore_imc_10", "uncore_imc"));
	CHECK(matches("armv8_pmuv3_0", "armv8_pmuv3"));
	CHECK(matches("hisi_sccl1_ddrc0", "hisi_sccl1_ddrc"));
	CHECK(!matches("uncore_imc_free_running_0", "uncore_imc"));
	CHECK(!matches("uncore_imc_", "uncore_imc"));
}

TEST(uncore_may_be_left_out)
{
	CHECK(matches("uncore_imc_0", "imc"));
	CHECK(matches("uncore_imc_0", "imc_0"));
	CHECK(matches("uncore_cha", "cha"));
	CHECK(!matches("uncore_imc_0", "im"));
}

TEST(one_instance_does_not_mean_its_tenth_neighbour)
{
	CHECK(matches("uncore_imc_1", "uncore_imc_1"));
	CHECK(!matches("uncore_imc_10", "uncore_imc_1"));
	CHECK(!matches("uncore_imc_10", "imc_1"));
	CHECK(!matches("hisi_sccl1_ddrc10", "hisi_sccl1_ddrc1"));
}

TEST(globs_match_whole_names)
{
	CHECK(matches("uncore_imc_0", "uncore_*"));
	CHECK(matches("uncore_imc_1", "uncore_imc_[0-3]"));
	CHECK(matches("cpu_atom", "cpu_????"));
	CHECK(!matches("uncore_imc_10", "uncore_imc_?"));
	CHECK(!matches("uncore_imc_0", "imc*")); /* a glob has no implied prefix */
}

TEST(formats_name_a_word_and_its_bits)
{
	static const struct {
		const char *text;
		unsigned int word;
		uint64_t bits;
	} rows[] = {
		{ "config:0-7", 0, 0xff },
		{ "config:0-7\n", 0, 0xff },
		{ "config1:32", 1, UINT64_C(1) << 32 },
		{ "config2:0-63", 2, UINT64_MAX },
		{ "config:0-7,32-35", 0, UINT64_C(0xf000000ff) },
		{ "config:5,3,1", 0, 0x2a },
		{ "config:63", 0, UINT64_C(1) << 63 },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		struct pipa_pmu_format format = { 0 };

		CHECK_EQ(pipa_pmu_format_parse(rows[i].text, &format), 0);
		CHECK_EQ(format.word, rows[i].word);
		CHECK_EQ(format.bits, rows[i].bits);
	}
}

TEST(malformed_formats_are_refused_and_keep_the_field_unchanged)
{
	static const char *const texts[] = {
		"",
		"config",
		"config:",
		"config:x",
		"config:0-",
		"config:7-0",
		"config:64",
		"config3:0",
		"config:0,",
		"config:,0",
		"config:0 1",
		"config: 0",
		"config:-1",
		"event:0-7",
		"config:0x1",
		"config:0--1",
		"0-7",
		"config:0-64",
		"config:99999999999999999999",
	};
	struct pipa_pmu_format format = { .word = 2, .bits = 42 };
	char long_list[300] = "config:1";
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		if (pipa_pmu_format_parse(texts[i], &format) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", texts[i]);
	for (i = strlen(long_list); i < sizeof(long_list) - 3; i += 2)
		memcpy(long_list + i, ",1", 3);
	memcpy(long_list + i, "x", 2); /* an error far from the start is refused, too */
	CHECK_EQ(pipa_pmu_format_parse(long_list, &format), -EINVAL);
	CHECK_EQ(format.word, 2);
	CHECK_EQ(format.bits, 42);
}

TEST(value_is_spread_over_the_bits_lowest_first)
{
	struct pipa_pmu_format format = { .word = 1, .bits = UINT64_C(0xf0000000000f0) };
	uint64_t config[PIPA_PMU_WORDS] = { 1, 2, 3 };

	CHECK_EQ(pipa_pmu_format_apply(&format, 0xa5, config), 0);
	CHECK_EQ(config[0], 1);
	CHECK_EQ(config[1], UINT64_C(0xa000000000050) | 2);
	CHECK_EQ(config[2], 3);
}

TEST(applying_a_field_again_replaces_it)
{
	struct pipa_pmu_format format = { .word = 0, .bits = 0xff00 };
	uint64_t config[PIPA_PMU_WORDS] = { 0x3c };

	CHECK_EQ(pipa_pmu_format_apply(&format, 0xff, config), 0);
	CHECK_EQ(pipa_pmu_format_apply(&format, 0x01, config), 0);
	CHECK_EQ(config[0], 0x13c);
}

TEST(value_with_more_bits_than_the_field_is_out_of_range)
{
	struct pipa_pmu_format narrow = { .word = 0, .bits = 0x7 };
	struct pipa_pmu_format whole = { .word = 0, .bits = UINT64_MAX };
	uint64_t config[PIPA_PMU_WORDS] = { 0x55 };

	CHECK_EQ(pipa_pmu_format_apply(&narrow, 8, config), -ERANGE);
	CHECK_EQ(config[0], 0x55);
	CHECK_EQ(pipa_pmu_format_apply(&narrow, 7, config), 0);
	CHECK_EQ(config[0], 0x57);
	CHECK_EQ(pipa_pmu_format_apply(&whole, UINT64_MAX, config), 0);
	CHECK_EQ(config[0], -1);
}
