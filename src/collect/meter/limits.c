#include "collect/meter/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/counter.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "kernel/machine/cgroup_tree.h"
#include "kernel/machine/reread.h"
#include "kernel/machine/root.h"
#include "kernel/text/raw.h"
#include "model/sections.h"

/* A group between ours and the root, in one hierarchy. */
struct level {
	const struct pipa_cgroup_hierarchy *hierarchy;
	int fds[PIPA_CGROUP_OPEN_FILES];
};

/* Fields of the tightest group. */
enum {
	QUOTA, /* thousandths of a CPU */
	CPUS,
	PERIODS,
	THROTTLED,
	MEMORY_MAX,
	MEMORY,
	SWAP_MAX,
	SWAP,
	PIDS_MAX,
	PIDS,
	FIELDS
};

struct limits {
	struct pipa_source source;
	struct pipa_cgroup_hierarchies hierarchies;
	struct level *items; /* from our group upwards, by hierarchy */
	size_t n, cap;
	struct pipa_reread text; /* one buffer for all files */
	double host_cpus, host_kb;
	struct pipa_raw raw; /* one row of FIELDS */
};

static bool limits_has(const struct pipa_section *section)
{
	return section == &pipa_sections[PIPA_SECTION_LIMITS];
}

static struct limits *limits_of(struct pipa_source *source)
{
	return (struct limits *)(void *)source;
}

static void limits_free(struct limits *l)
{
	size_t i, k;

	if (!l)
		return;
	for (i = 0; i < l->n; i++)
		for (k = 0; k < l->items[i].hierarchy->n_files; k++)
			pipa_fd_close(l->items[i].fds[k]);
	free(l->items);
	l->text.fd = -1; /* not an open file: only its buffer is used */
	pipa_reread_close(&l->text);
	pipa_raw_done(&l->raw);
	pipa_cgroup_hierarchies_close(&l->hierarchies);
	free(l);
}

PIPA_DEFINE_AUTO(limits_free, struct limits *)

/* ---- which groups ------------------------------------------------------------------------------- */

static int add_level(struct limits *l, const struct pipa_cgroup_hierarchy *h, const char *path)
{
	struct level *level = PIPA_VEC_ADD(l);
	char file[PATH_MAX + 64];
	size_t i;

	if (!level)
		return -ENOMEM;
	level->hierarchy = h;
	for (i = 0; i < h->n_files; i++) {
		snprintf(file, sizeof(file), "%s%s%s", path, path[0] ? "/" : "", h->files[i]->name);
		level->fds[i] = openat(h->fd, file, O_RDONLY | O_CLOEXEC);
	}
	return 0;
}

/*
 * Return the path of our group below the mounted root. In a container the mounted root may be the
 * container's group, while the kernel names it from the machine's root: then the leading part of
 * the path does not exist and is skipped.
 */
static const char *visible_part(const struct pipa_cgroup_hierarchy *h, const char *path)
{
	for (path += *path == '/'; *path; path += strcspn(path, "/"), path += *path == '/')
		if (faccessat(h->fd, path, F_OK, 0) == 0)
			return path;
	return path;
}

static int add_levels(struct limits *l, const struct pipa_cgroup_hierarchy *h, const char *own,
		      size_t len)
{
	char path[PATH_MAX], *slash;
	const char *visible;
	int rc;

	if (pipa_cgroup_own(own, len, h->controller, path, sizeof(path)) < 0)
		return 0;
	visible = visible_part(h, path);
	memmove(path, visible, strlen(visible) + 1);
	for (;;) {
		rc = add_level(l, h, path);
		if (rc < 0 || !path[0])
			return rc;
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
		else
			path[0] = '\0';
	}
}

static double count_host_cpus(struct pipa_root *root)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	char text[4096];

	if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), "devices/system/cpu/online") < 0 ||
	    pipa_cpus_parse(text, &cpus, NULL) < 0 || !cpus.n)
		return NAN;
	return (double)cpus.n;
}

static double read_host_kb(struct pipa_root *root)
{
	static const char key[] = "MemTotal:";
	char text[256], *end;
	double kb;

	if (pipa_root_read(root, PIPA_PROC, text, sizeof(text), "meminfo") < 0 ||
	    !pipa_str_starts(text, key))
		return NAN;
	kb = (double)strtoull(text + sizeof(key) - 1, &end, 10);
	return end > text + sizeof(key) - 1 ? kb : NAN;
}

static int find_groups(struct limits *l, struct pipa_root *root)
{
	char own[8192];
	ssize_t len = pipa_root_read(root, PIPA_PROC, own, sizeof(own), "self/cgroup");
	size_t i;
	int rc;

	if (len < 0)
		return 0;
	rc = pipa_cgroup_hierarchies_open(root, PIPA_CGROUP_BOUND, &l->hierarchies);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (i = 0; !rc && i < l->hierarchies.n; i++)
		rc = add_levels(l, &l->hierarchies.items[i], own, (size_t)len);
	return rc;
}

static int limits_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		       struct pipa_source **ret, struct pipa_error *err)
{
	PIPA_AUTO(limits_free) struct limits *l = calloc(1, sizeof(*l));
	int rc;

	(void)sections;
	(void)n;
	if (!l)
		return pipa_fail(err, -ENOMEM, "open cgroup limits");
	l->source.kind = &pipa_limits_source;
	pipa_reread_open(&l->text, -1, 1024);
	pipa_raw_init(&l->raw, FIELDS);
	rc = find_groups(l, root);
	if (rc < 0)
		return pipa_fail(err, rc, "open cgroup limits");
	l->host_cpus = count_host_cpus(root);
	l->host_kb = read_host_kb(root);
	*ret = &PIPA_TAKE(l)->source;
	return 0;
}

/* ---- the tightest of them ----------------------------------------------------------------------- */

static bool is_less(uint64_t a, uint64_t b)
{
	return a != PIPA_COUNTER_MISSING && a < b; /* missing is the largest value */
}

/*
 * Use limit and usage of a level if its limit is tighter; without any limit the usage of our group.
 */
static void use_if_tighter(uint64_t *to, unsigned int max, unsigned int use, const uint64_t *level,
			   unsigned int level_max, unsigned int level_use)
{
	bool tighter = is_less(level[level_max], to[max]);

	if (tighter)
		to[max] = level[level_max];
	if (tighter || to[use] == PIPA_COUNTER_MISSING)
		to[use] = level[level_use];
}

static void use_quota_if_tighter(uint64_t *to, const uint64_t *level)
{
	uint64_t quota = level[CG_QUOTA_US], period = level[CG_PERIOD_US];

	if (quota >= UINT64_MAX / 1000 || !period || period == PIPA_COUNTER_MISSING ||
	    !is_less(quota * 1000 / period, to[QUOTA]))
		return;
	to[QUOTA] = quota * 1000 / period;
	to[PERIODS] = level[CG_PERIODS];
	to[THROTTLED] = level[CG_THROTTLED];
}

static int read_level(struct limits *l, const struct level *level, uint64_t *fields)
{
	size_t i;
	ssize_t n;

	pipa_cgroup_fields_init(fields);
	for (i = 0; i < level->hierarchy->n_files; i++) {
		if (level->fds[i] < 0)
			continue;
		l->text.fd = level->fds[i];
		n = pipa_reread_read(&l->text);
		if (n == -ENOMEM)
			return -ENOMEM;
		if (n >= 0)
			pipa_cgroup_parse(level->hierarchy->files[i], l->text.data, (size_t)n,
					  fields);
	}
	pipa_cgroup_fields_finish(fields);
	return 0;
}

/* Fill to[FIELDS]. */
static int find_tightest(struct limits *l, uint64_t *to)
{
	uint64_t fields[CG_FIELDS];
	size_t i;
	int rc;

	for (i = 0; i < FIELDS; i++)
		to[i] = PIPA_COUNTER_MISSING;
	for (i = 0; i < l->n; i++) {
		rc = read_level(l, &l->items[i], fields);
		if (rc < 0)
			return rc;
		use_quota_if_tighter(to, fields);
		if (is_less(fields[CG_CPUS], to[CPUS]))
			to[CPUS] = fields[CG_CPUS];
		use_if_tighter(to, MEMORY_MAX, MEMORY, fields, CG_MEMORY_MAX, CG_MEMORY);
		use_if_tighter(to, SWAP_MAX, SWAP, fields, CG_SWAP_MAX, CG_SWAP);
		use_if_tighter(to, PIDS_MAX, PIDS, fields, CG_PIDS_MAX, CG_PIDS);
	}
	/* a quota of all CPUs or more is not a limit */
	if (to[CPUS] != PIPA_COUNTER_MISSING && (double)to[CPUS] >= l->host_cpus)
		to[CPUS] = PIPA_COUNTER_MISSING;
	if (to[MEMORY_MAX] != PIPA_COUNTER_MISSING && (double)to[MEMORY_MAX] >= l->host_kb * 1024)
		to[MEMORY_MAX] = PIPA_COUNTER_MISSING;
	return 0;
}

static int limits_read(struct pipa_source *source, struct pipa_error *err)
{
	struct limits *l = limits_of(source);
	uint64_t *row;
	int rc;

	if (!l->n)
		return 0;
	pipa_raw_begin(&l->raw);
	row = pipa_raw_put(&l->raw, "", 0);
	rc = row ? find_tightest(l, row) : -ENOMEM;
	pipa_raw_end(&l->raw);
	return rc < 0 ? pipa_fail(err, rc, "read cgroup limits") : 0;
}

/* ---- handing out -------------------------------------------------------------------------------- */

static double scaled_value(uint64_t value, double unit)
{
	return value == PIPA_COUNTER_MISSING ? NAN : (double)value / unit;
}

static int limits_emit(struct pipa_source *source, const struct pipa_tick *tick, bool whole,
		       struct pipa_series_sink *sink)
{
	struct limits *l = limits_of(source);
	const uint64_t *now, *grown;
	uint64_t mean[FIELDS];
	double periods, throttled, kb, max;

	if (!l->raw.n)
		return 0;
	now = pipa_raw_now(&l->raw, 0);
	grown = whole ? pipa_raw_total(&l->raw, 0) : pipa_raw_delta(&l->raw, 0);
	periods = scaled_value(grown[PERIODS], 1);
	throttled = scaled_value(grown[THROTTLED], 1);
	if (whole) {
		pipa_raw_mean(&l->raw, 0, mean);
		now = mean;
	}
	kb = scaled_value(now[MEMORY], 1024);
	max = scaled_value(now[MEMORY_MAX], 1024);
	return sink->row(sink, &pipa_sections[PIPA_SECTION_LIMITS], tick, "",
			 (const double[PIPA_COL_LIMITS_NR]){
				 [PIPA_COL_LIMITS_HOST_CPUS] = l->host_cpus,
				 [PIPA_COL_LIMITS_CPUS] = scaled_value(now[CPUS], 1),
				 [PIPA_COL_LIMITS_QUOTA] = scaled_value(now[QUOTA], 1000),
				 [PIPA_COL_LIMITS_THROTTLED_SHARE] =
					 periods > 0 ? 100 * throttled / periods : throttled,
				 [PIPA_COL_LIMITS_THROTTLED] = throttled / tick->interval_s,
				 [PIPA_COL_LIMITS_HOST_MEMORY] = l->host_kb,
				 [PIPA_COL_LIMITS_MEMORY_MAX] = max,
				 [PIPA_COL_LIMITS_MEMORY] = kb,
				 [PIPA_COL_LIMITS_MEMORY_SHARE] = max > 0 ? 100 * kb / max : NAN,
				 [PIPA_COL_LIMITS_SWAP_MAX] = scaled_value(now[SWAP_MAX], 1024),
				 [PIPA_COL_LIMITS_SWAP] = scaled_value(now[SWAP], 1024),
				 [PIPA_COL_LIMITS_PIDS_MAX] = scaled_value(now[PIDS_MAX], 1),
				 [PIPA_COL_LIMITS_PIDS] = scaled_value(now[PIDS], 1),
			 });
}

static bool limits_missing(struct pipa_source *source, size_t index, char *path, size_t size)
{
	if (limits_of(source)->n || index)
		return false;
	snprintf(path, size, "/proc/self/cgroup or /sys/fs/cgroup");
	return true;
}

static void limits_close(struct pipa_source *source)
{
	limits_free(limits_of(source));
}

bool pipa_limits_in_force(struct pipa_root *root)
{
	struct pipa_source *source = NULL;
	uint64_t tightest[FIELDS];
	struct limits *l;
	bool in_force = false;

	if (limits_open(root, NULL, 0, &source, NULL) < 0)
		return false;
	l = limits_of(source);
	if (find_tightest(l, tightest) == 0)
		in_force = tightest[CPUS] != PIPA_COUNTER_MISSING ||
			   tightest[MEMORY_MAX] != PIPA_COUNTER_MISSING ||
			   (tightest[QUOTA] != PIPA_COUNTER_MISSING &&
			    !((double)tightest[QUOTA] >= l->host_cpus * 1000));
	limits_free(l);
	return in_force;
}

const struct pipa_source_kind pipa_limits_source = {
	.has = limits_has,
	.open = limits_open,
	.close = limits_close,
	.read = limits_read,
	.emit = limits_emit,
	.missing = limits_missing,
};
