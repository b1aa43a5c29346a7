#include "import/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/error.h"
#include "lib/test.h"
#include "model/config.h"

static struct pipa_config config;
static struct pipa_error err;

static int decode(const char *text)
{
	pipa_config_done(&config);
	err = (struct pipa_error){ 0 };
	return pipa_config_decode(text, strlen(text), "c.yaml", &config, &err);
}

/* Refused with these words, and nothing was taken. */
static void refuses(const char *text, const char *what, const char *hint)
{
	CHECK(decode(text) < 0);
	CHECK_STR(err.what, what);
	CHECK_STR(err.hint, hint);
	CHECK_EQ(config.given, 0);
	CHECK(!config.workload && !config.cores.n && !config.events_stat.n);
}

TEST(the_file_of_an_upload_is_read)
{
	CHECK_EQ(decode("# what to send\n"
			"workload: rocksdb\ntransaction: 7561946\ndata_location: /path/to/data\n"
			"cores: [36, 37, 38, 39]\ndev: sdc\nhw_info: 1*4*1\n"
			"sw_info: \"RocksDB 8: default\"\nplatform: Intel SPR 4510\n"
			"cpu_frequency_mhz: 2600\ncomment: 'it''s a test'\n"
			"pipad_addr: 192.0.2.1\npipad_port: 50051\n"),
		 0);
	CHECK_STR(config.workload, "rocksdb");
	CHECK_EQ(config.transaction, 7561946);
	CHECK_STR(config.data_location, "/path/to/data");
	CHECK_EQ(config.cores.n, 4);
	CHECK_EQ(config.cores.items[3], 39);
	CHECK_STR(config.dev, "sdc");
	CHECK_STR(config.hw_info, "1*4*1");
	CHECK_STR(config.sw_info, "RocksDB 8: default");
	CHECK_STR(config.platform, "Intel SPR 4510");
	CHECK_NEAR(config.cpu_frequency_mhz, 2600, 0);
	CHECK_STR(config.comment, "it's a test");
	CHECK_STR(config.pipad_addr, "192.0.2.1");
	CHECK_EQ(config.pipad_port, 50051);
	CHECK(pipa_config_has(&config, PIPA_CONFIG_WORKLOAD));
	CHECK(pipa_config_has(&config, PIPA_CONFIG_PIPAD_PORT));
	CHECK(!pipa_config_has(&config, PIPA_CONFIG_WORKSPACE));
	pipa_config_done(&config);
}

TEST(the_file_of_a_measurement_is_read)
{
	CHECK_EQ(
		decode("workspace: ./data\nfreq_record: 999\nevents_record: '{cycles,instructions}:S'\n"
		       "count_delta_stat: 1000\nevents_stat:\n  - cycles:D\n  - instructions:D\n"
		       "annotete: False\nuse_emon: yes\nMPP_HOME: /opt/mpp\nrun_by_perf: off\n"
		       "duration_record: 120\nduration_stat: -1\nuse_taskset: True\ncore_range: 0-7\n"
		       "command: perf bench futex hash\nexport_config: true\n"),
		0);
	CHECK_STR(config.workspace, "./data");
	CHECK_EQ(config.freq_record, 999);
	CHECK_STR(config.events_record, "{cycles,instructions}:S");
	CHECK_EQ(config.count_delta_stat, 1000);
	CHECK_EQ(config.events_stat.n, 2);
	CHECK_STR(config.events_stat.items[1], "instructions:D");
	CHECK(!config.annotete && pipa_config_has(&config, PIPA_CONFIG_ANNOTETE));
	CHECK(config.use_emon && !config.run_by_perf);
	CHECK_STR(config.mpp_home, "/opt/mpp");
	CHECK_EQ(config.duration_record, 120);
	CHECK_EQ(config.duration_stat, -1);
	CHECK(config.use_taskset && config.export_config);
	CHECK_EQ(config.core_range.n, 8);
	CHECK_STR(config.command, "perf bench futex hash");
	CHECK_EQ(__builtin_popcountll(config.given), 15);
	pipa_config_done(&config);
}

TEST(keys_without_a_value_are_ignored)
{
	CHECK_EQ(decode("workload:\ntransaction: ~\ncores: null\ncomment: ''\n"), 0);
	CHECK_EQ(config.given, UINT64_C(1) << PIPA_CONFIG_COMMENT);
	CHECK_STR(config.comment, "");
	CHECK_EQ(decode(""), 0);
	CHECK_EQ(decode("---\n"), 0);
	CHECK_EQ(decode("# nothing\n"), 0);
	CHECK_EQ(decode("{}"), 0);
	CHECK_EQ(config.given, 0);
}

TEST(lists_may_be_single_words)
{
	CHECK_EQ(decode("cores: 0-3,7\nevents_stat: cycles,instructions\ncore_range: [4, 5-6]\n"),
		 0);
	CHECK_EQ(config.cores.n, 5);
	CHECK_EQ(config.core_range.n, 3);
	CHECK_EQ(config.events_stat.n, 1);
	CHECK_STR(config.events_stat.items[0], "cycles,instructions");
	pipa_config_done(&config);
}

TEST(an_unknown_key_is_refused_with_its_position_and_the_nearest_key)
{
	refuses("workload: x\nworklaod: y\n", "c.yaml:2:1: unknown key 'worklaod'",
		"did you mean workload?");
	refuses("  zzzzzzzzzz: 1\n", "c.yaml:1:3: unknown key 'zzzzzzzzzz'", "");
	refuses("[a]: 1\n", "c.yaml:1:1: a key must be a word", "");
	refuses("dev: a\ncores: 1\ndev: b\n", "c.yaml:3:1: duplicate key dev, first in line 1", "");
}

TEST(a_value_of_the_wrong_type_is_refused_with_its_position)
{
	refuses("transaction: many\n",
		"c.yaml:1:14: transaction: expected a whole number, not 'many'", "");
	refuses("transaction: -1\n", "c.yaml:1:14: transaction: expected a whole number, not '-1'",
		"");
	refuses("pipad_port: 65536\n", "c.yaml:1:13: pipad_port is too large: '65536'", "");
	refuses("cpu_frequency_mhz: fast\n",
		"c.yaml:1:20: cpu_frequency_mhz: expected a number, not 'fast'", "");
	refuses("duration_stat: -2\n",
		"c.yaml:1:16: duration_stat: expected a whole number of seconds, or -1, not '-2'",
		"");
	refuses("use_emon: maybe\n", "c.yaml:1:11: use_emon: expected true or false, not 'maybe'",
		"");
	refuses("cores: [0, one]\n",
		"c.yaml:1:12: cores: expected CPUs, as [0, 1] or 0-3,7, not 'one'", "");
	refuses("cores: [0, -1]\n",
		"c.yaml:1:12: cores: expected CPUs, as [0, 1] or 0-3,7, not '-1'", "");
	refuses("workload: [a]\n", "c.yaml:1:11: workload: expected a text, not a list",
		"put quotes around it");
	refuses("events_record: {cycles,instructions}\n",
		"c.yaml:1:16: events_record: expected a text, not a map", "put quotes around it");
	refuses("cores: {a: 1}\n",
		"c.yaml:1:8: cores: expected CPUs, as [0, 1] or 0-3,7, not a map", "");
	refuses("comment: \"a\\0b\"\n", "c.yaml:1:10: comment contains a NUL", "");
}

TEST(malformed_files_are_refused_with_the_position)
{
	refuses("just words\n", "c.yaml:1:1: expected 'KEY: VALUE' lines", "");
	refuses("- a\n", "c.yaml:1:1: expected 'KEY: VALUE' lines", "");
	refuses("dev: a\n---\ndev: b\n", "c.yaml:2:1: a second document begins here", "");
	CHECK_EQ(decode("dev: 'a\n"), -EINVAL);
	CHECK_HAS(err.what, "c.yaml:2:1: ");
	CHECK_EQ(decode("dev: \xff\n"), -EINVAL);
	CHECK_HAS(err.what, "c.yaml:");
}

/* Nothing is followed or nested, so neither costs more than its bytes. */
TEST(anchors_and_nested_values_are_refused_at_once)
{
	static char deep[100001];

	refuses("dev: &a x\ncomment: *a\n",
		"c.yaml:2:10: comment: expected a text, not a reference to another value",
		"put quotes around it");
	refuses("events_stat: [&a [x, x], *a]\n",
		"c.yaml:1:15: events_stat: expected a list of events, not of lists, maps or references",
		"");
	memset(deep, '[', sizeof(deep) - 1);
	memcpy(deep, "cores: ", 7);
	refuses(deep,
		"c.yaml:1:9: cores: expected CPUs, as [0, 1] or 0-3,7, not of lists, maps or references",
		"");
}
