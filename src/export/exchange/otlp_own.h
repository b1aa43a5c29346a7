/* Writer of OTLP profiles: shared by the otlp*.c files of export/exchange only. */
#ifndef PIPA_EXPORT_EXCHANGE_OTLP_OWN_H
#define PIPA_EXPORT_EXCHANGE_OTLP_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/index.h"
#include "codec/proto.h"
#include "export/exchange/otlp.h"
#include "export/exchange/otlp_tables.h"
#include "model/profile.h"

/* Samples of one process: a ResourceProfiles. */
struct pipa_otlp_process {
	uint32_t process; /* 0: unknown */
	uint32_t pid;	  /* PIPA_UNKNOWN32: unknown */
};

/* Attributes and link of a label set. */
struct pipa_otlp_set_attributes {
	uint32_t first, n; /* in `attributes` */
	uint32_t link;
	bool is_known;
	bool has_thread_id, has_thread_name, has_cpu; /* keys that the set has itself */
};

enum { PIPA_OTLP_CPU_CACHE = 1024 };

struct pipa_otlp_writer {
	const struct pipa_profile *p;
	const struct pipa_otlp_format *format;
	struct pipa_proto_writer out;
	struct pipa_otlp_tables tables;
	size_t from, until;	   /* samples */
	uint64_t *profile_indices; /* attributes of every Profile */
	size_t n_profile_indices;

	/* of otlp_resource.c */
	struct {
		struct pipa_otlp_process *items;
		size_t n, cap;
		struct pipa_index index;
	} resources;
	/* [thread + 1] of samples without a thread first; PIPA_NONE: not yet */
	uint32_t *thread_resources;

	/* of otlp_order.c */
	/* [event] the event from which its weights are subtracted, or itself */
	uint32_t *base_events;
	uint32_t *order; /* samples by resource and event */
	size_t n_order;
	bool is_joined; /* samples next to each other in `order` may be one Sample */
	/* times of samples, little-endian and in UTC; NULL: no timestamps */
	uint64_t *times;
	size_t *time_starts;	      /* [sample - from] first of its times; one more at the end */
	struct pipa_buf sample_times; /* of the current sample */
	uint64_t start_ns, duration_ns; /* of each Profile; contains all times */

	/* of otlp_sample.c */
	struct pipa_otlp_set_attributes *sets; /* [label set] */
	struct {
		uint32_t *items;
		size_t n, cap;
	} attributes; /* of label sets */
	struct {
		uint32_t id, name;
	} * threads;			    /* [thread] attributes; 0: not yet */
	uint32_t cpus[PIPA_OTLP_CPU_CACHE]; /* [cpu] attribute; 0: not yet */
	struct {
		uint64_t *items;
		size_t n, cap;
	} list; /* attributes of the current sample */
};

static inline void pipa_otlp_set_failure(struct pipa_otlp_writer *w, int code)
{
	if (!w->tables.status)
		w->tables.status = code;
}

/* ---- columns (otlp_column.c) ----------------------------------------------------------------- */

/* Does the event have samples? Columns of foreign files do, even if all values are 0. */
bool pipa_otlp_is_column(const struct pipa_profile_event *event);

/* Return the name of the default column, "" if none is given. */
const char *pipa_otlp_default_column(const struct pipa_profile *p);

/* Write the type of the event's counts, or of its weights. */
void pipa_otlp_put_sample_type(struct pipa_otlp_writer *w, const struct pipa_profile_event *event,
			       bool counts);

/*
 * Write period_type and period. A recording's event always has a type, because Pyroscope makes the name of the profile of
 * it; the type of a foreign file without one is empty, because Parca needs the field.
 */
void pipa_otlp_put_period(struct pipa_otlp_writer *w, const struct pipa_profile_event *event);

/* ---- resources (otlp_resource.c) ------------------------------------------------------------- */

/* Find the resources of the samples [from, until). 0 or -ENOMEM. */
int pipa_otlp_find_resources(struct pipa_otlp_writer *w);

/* Return the index of a sample's resource, PIPA_NONE before it was found. */
static inline uint32_t pipa_otlp_resource_of(const struct pipa_otlp_writer *w,
					     const struct pipa_sample *sample)
{
	return w->thread_resources[sample->thread < w->p->threads.n ? sample->thread + 1 : 0];
}

/* Write the attributes of a process. */
void pipa_otlp_put_resource(struct pipa_otlp_writer *w, const struct pipa_otlp_process *r);

/* ---- order (otlp_order.c) -------------------------------------------------------------------- */

/* Values of one Sample. */
struct pipa_otlp_row {
	const struct pipa_sample *sample;
	int64_t weight, count;
};

/* Sort the samples [from, until) by resource and event, after the resources were found. 0 or -ENOMEM. */
int pipa_otlp_sort_samples(struct pipa_otlp_writer *w);

/* Sort the times by sample, by counting. 0 or -ENOMEM. */
int pipa_otlp_sort_times(struct pipa_otlp_writer *w);

/* Read the next row of order[*at, end), with the values of all samples that are one. */
void pipa_otlp_next_row(struct pipa_otlp_writer *w, size_t *at, size_t end,
			struct pipa_otlp_row *ret);

/* Collect the times of the samples order[from, until), which are one Sample. */
void pipa_otlp_collect_times(struct pipa_otlp_writer *w, size_t from, size_t until);

/* ---- samples (otlp_sample.c) ----------------------------------------------------------------- */

/* Write a sample with its attributes and either the collected times or a value. */
void pipa_otlp_put_sample(struct pipa_otlp_writer *w, const struct pipa_sample *sample,
			  int64_t value);

#endif
