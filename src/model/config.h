/*
 * Contents of a configuration file: the keys of PIPA's two YAML files (docs/format/config.md), that
 * of an upload and that of a measurement. Strings are in the arena.
 */
#ifndef PIPA_MODEL_CONFIG_H
#define PIPA_MODEL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cpus.h"

enum pipa_config_key {
	PIPA_CONFIG_WORKLOAD,
	PIPA_CONFIG_TRANSACTION,
	PIPA_CONFIG_DATA_LOCATION,
	PIPA_CONFIG_PERF_STAT_PATH,
	PIPA_CONFIG_SAR_PATH,
	PIPA_CONFIG_PERF_SCRIPT_PATH,
	PIPA_CONFIG_CORES,
	PIPA_CONFIG_DEV,
	PIPA_CONFIG_HW_INFO,
	PIPA_CONFIG_SW_INFO,
	PIPA_CONFIG_PLATFORM,
	PIPA_CONFIG_CPU_FREQUENCY_MHZ,
	PIPA_CONFIG_COMMENT,
	PIPA_CONFIG_PIPAD_ADDR,
	PIPA_CONFIG_PIPAD_PORT,
	PIPA_CONFIG_WORKSPACE,
	PIPA_CONFIG_FREQ_RECORD,
	PIPA_CONFIG_EVENTS_RECORD,
	PIPA_CONFIG_COUNT_DELTA_STAT,
	PIPA_CONFIG_EVENTS_STAT,
	PIPA_CONFIG_ANNOTETE,
	PIPA_CONFIG_USE_EMON,
	PIPA_CONFIG_MPP_HOME,
	PIPA_CONFIG_RUN_BY_PERF,
	PIPA_CONFIG_DURATION_RECORD,
	PIPA_CONFIG_DURATION_STAT,
	PIPA_CONFIG_USE_TASKSET,
	PIPA_CONFIG_CORE_RANGE,
	PIPA_CONFIG_COMMAND,
	PIPA_CONFIG_EXPORT_CONFIG,
	PIPA_CONFIG_NR,
};

/* Keys that are not in the file are NULL, zero, false or empty. */
struct pipa_config {
	const char *workload;
	uint64_t transaction;
	const char *data_location, *perf_stat_path, *sar_path, *perf_script_path;
	struct pipa_cpus cores;
	const char *dev, *hw_info, *sw_info, *platform;
	double cpu_frequency_mhz;
	const char *comment;
	const char *pipad_addr;
	uint64_t pipad_port;

	const char *workspace;
	uint64_t freq_record; /* Hz */
	const char *events_record;
	uint64_t count_delta_stat; /* ms */
	struct {
		const char **items;
		size_t n, cap;
	} events_stat;
	bool annotete, use_emon;
	const char *mpp_home;
	bool run_by_perf;
	int64_t duration_record, duration_stat; /* s; -1: until stopped */
	bool use_taskset;
	struct pipa_cpus core_range;
	const char *command;
	bool export_config;

	uint64_t given; /* a bit per key */
	struct pipa_config_mark {
		uint32_t line, column; /* of the value, from 1 on; 0: not in the file */
	} marks[PIPA_CONFIG_NR];
	struct pipa_arena arena;
};

void pipa_config_done(struct pipa_config *config);

static inline bool pipa_config_has(const struct pipa_config *config, enum pipa_config_key key)
{
	return config->given >> key & 1;
}

static inline void pipa_config_done_auto(struct pipa_config *config)
{
	pipa_config_done(config);
}

#endif
