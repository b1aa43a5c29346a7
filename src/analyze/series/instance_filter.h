/*
 * PIPA's filters of instances: a comma-separated list whose entries are
 *
 *	sda          names that contain it, in any case; a number only that number
 *	^sda         exactly this name
 *	0-3          numbers of a range
 *	numa_node_1  the CPUs of a NUMA node
 *	workload_avg the mean of the expected CPUs, a computed series
 *
 * An empty list selects everything.
 */
#ifndef PIPA_ANALYZE_SERIES_INSTANCE_FILTER_H
#define PIPA_ANALYZE_SERIES_INSTANCE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_buf;
struct pipa_hardware;

#define PIPA_WORKLOAD_AVG "workload_avg"

/* Does the list select the instance? `hardware` has the NUMA nodes; NULL: none are known. */
bool pipa_instance_selected(const char *list, const char *instance,
			    const struct pipa_hardware *hardware);

/* Compare names so that numbers sort by value and before words: 2, 10, a. */
int pipa_instance_compare(const char *a, const char *b);

/*
 * Append names as a list: words in their order, then the numbers in ascending order with runs as
 * ranges: "all,numa_0,0-2". "None" for an empty list. 0 or -ENOMEM.
 */
int pipa_instance_list(const char *const *names, size_t n, struct pipa_buf *out);

#endif
