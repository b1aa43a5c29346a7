/*
 * Parsers for the table of proc_text.c: files with named values in proc_named.c, tables in
 * proc_rows.c, small files in proc_small.c. Private to kernel/.
 */
#ifndef PIPA_KERNEL_TEXT_PROC_PARSERS_H
#define PIPA_KERNEL_TEXT_PROC_PARSERS_H

#include "kernel/text/proc_text.h"

#define PIPA_PARSER(name)                                                                          \
	void pipa_parse_##name(const struct pipa_proc_file *file, const char *text, size_t len,    \
			       struct pipa_readings *r)

PIPA_PARSER(vmstat);
PIPA_PARSER(meminfo);
PIPA_PARSER(snmp);
PIPA_PARSER(snmp6);
PIPA_PARSER(sockets);
PIPA_PARSER(sockets6);
PIPA_PARSER(stat);
PIPA_PARSER(diskstats);
PIPA_PARSER(net_dev);
PIPA_PARSER(softnet);
PIPA_PARSER(tty);
PIPA_PARSER(softirqs);
PIPA_PARSER(loadavg);
PIPA_PARSER(pressure);
PIPA_PARSER(numbers);
PIPA_PARSER(rpc);

/* Compute the deltas of a row of PIPA_GROUP_CPU. */
void pipa_grow_cpu(const uint64_t *previous, const uint64_t *now, uint64_t *grown);

static inline struct pipa_raw *main_group(struct pipa_readings *readings,
					  const struct pipa_proc_file *file)
{
	return &readings->group[file->groups[0]];
}

#endif
