#include "collect/meter/cgroups.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/counter.h"
#include "base/error.h"
#include "kernel/machine/cgroup_tree.h"
#include "kernel/text/raw.h"
#include "model/sections.h"

struct cgroups {
	struct pipa_source source;
	struct pipa_cgroup_tree *tree; /* NULL: no control groups */
	struct pipa_raw raw;
	char name[4096]; /* of the group being emitted */
};

/* Deltas and states of a group. */
struct moment {
	const uint64_t *grown, *state;
	double seconds;
};

static double rate(const struct moment *m, unsigned int field)
{
	return m->grown[field] == PIPA_COUNTER_MISSING ? NAN : (double)m->grown[field] / m->seconds;
}

static double state(const struct moment *m, unsigned int field)
{
	return m->state[field] == PIPA_COUNTER_MISSING ? NAN : (double)m->state[field];
}

static void compute_values(const struct moment *m, double *values)
{
	double periods = rate(m, CG_PERIODS);

	/* microseconds per second to percent */
	values[PIPA_COL_CGROUPS_CPU] = rate(m, CG_USAGE_US) * 1e-4;
	values[PIPA_COL_CGROUPS_USR] = rate(m, CG_USER_US) * 1e-4;
	values[PIPA_COL_CGROUPS_SYS] = rate(m, CG_SYSTEM_US) * 1e-4;
	values[PIPA_COL_CGROUPS_THROTTLED] = rate(m, CG_THROTTLED);
	/* a group without a quota has no periods and is never throttled */
	values[PIPA_COL_CGROUPS_THROTTLED_SHARE] =
		periods > 0 ? 100 * values[PIPA_COL_CGROUPS_THROTTLED] / periods :
			      values[PIPA_COL_CGROUPS_THROTTLED];
	values[PIPA_COL_CGROUPS_MEMORY] = state(m, CG_MEMORY) / 1024;
	values[PIPA_COL_CGROUPS_MEMORY_MAX] = state(m, CG_MEMORY_MAX) / 1024;
	values[PIPA_COL_CGROUPS_MEMORY_SHARE] =
		values[PIPA_COL_CGROUPS_MEMORY_MAX] > 0 ?
			100 * values[PIPA_COL_CGROUPS_MEMORY] /
				values[PIPA_COL_CGROUPS_MEMORY_MAX] :
			NAN;
	values[PIPA_COL_CGROUPS_SWAP] = state(m, CG_SWAP) / 1024;
	values[PIPA_COL_CGROUPS_READ] = rate(m, CG_READ) / 1024;
	values[PIPA_COL_CGROUPS_WRITTEN] = rate(m, CG_WRITTEN) / 1024;
	values[PIPA_COL_CGROUPS_PIDS] = state(m, CG_PIDS);
}

static bool cgroups_has(const struct pipa_section *section)
{
	return section == &pipa_sections[PIPA_SECTION_CGROUPS];
}

static struct cgroups *cgroups_of(struct pipa_source *source)
{
	return (struct cgroups *)(void *)source;
}

static void cgroups_close(struct pipa_source *source)
{
	struct cgroups *c = cgroups_of(source);

	pipa_cgroup_tree_close(c->tree);
	pipa_raw_done(&c->raw);
	free(c);
}

static int cgroups_open(struct pipa_root *root, const struct pipa_section *const *sections,
			size_t n, struct pipa_source **ret, struct pipa_error *err)
{
	struct cgroups *c = calloc(1, sizeof(*c));
	int rc = c ? pipa_cgroup_tree_open(root, &c->tree) : -ENOMEM;

	(void)sections;
	(void)n;
	if (rc == -ENOMEM) {
		free(c);
		return pipa_fail(err, rc, "open cgroups");
	}
	c->source.kind = &pipa_cgroups_source;
	pipa_raw_init(&c->raw, CG_FIELDS);
	c->raw.older = true; /* a group is found some time after it was created */
	*ret = &c->source;
	return 0;
}

static int cgroups_read(struct pipa_source *source, struct pipa_error *err)
{
	struct cgroups *c = cgroups_of(source);
	int rc = c->tree ? pipa_cgroup_tree_read(c->tree, &c->raw) : 0;

	return rc < 0 ? pipa_fail(err, rc, "read cgroups") : 0;
}

static const char *shown_name(struct cgroups *c, size_t row)
{
	snprintf(c->name, sizeof(c->name), "%s",
		 pipa_cgroup_tree_path(c->tree, c->raw.rows[row].name));
	return c->name;
}

static int cgroups_emit(struct pipa_source *source, const struct pipa_tick *tick, bool whole,
			struct pipa_series_sink *sink)
{
	struct cgroups *c = cgroups_of(source);
	uint64_t mean[CG_FIELDS];
	double values[PIPA_COL_CGROUPS_NR];
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < c->raw.n; i++) {
		struct moment m = { .grown = whole ? pipa_raw_total(&c->raw, i) :
						     pipa_raw_delta(&c->raw, i),
				    .state = pipa_raw_now(&c->raw, i),
				    .seconds = tick->interval_s };

		if (whole) {
			pipa_raw_mean(&c->raw, i, mean);
			m.state = mean;
		}
		compute_values(&m, values);
		rc = sink->row(sink, &pipa_sections[PIPA_SECTION_CGROUPS], tick, shown_name(c, i),
			       values);
	}
	return rc;
}

static bool cgroups_missing(struct pipa_source *source, size_t index, char *path, size_t size)
{
	if (cgroups_of(source)->tree || index)
		return false;
	snprintf(path, size, "/sys/fs/cgroup");
	return true;
}

const struct pipa_source_kind pipa_cgroups_source = {
	.has = cgroups_has,
	.open = cgroups_open,
	.close = cgroups_close,
	.read = cgroups_read,
	.emit = cgroups_emit,
	.missing = cgroups_missing,
};
