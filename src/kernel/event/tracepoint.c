#include "kernel/event/tracepoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"
#include "kernel/machine/root.h"

struct names {
	char **items;
	size_t n, cap;
};

static void names_done(struct names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
}

static void names_done_auto(struct names *names)
{
	names_done(names);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The directories below a tracefs directory whose names match the glob, sorted. */
static int list_dirs(struct pipa_root *root, const char *path, const char *glob, struct names *ret)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(root, PIPA_TRACE, "%s", path);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		char **slot;

		if (entry->d_name[0] == '.' || entry->d_type == DT_REG ||
		    fnmatch(glob, entry->d_name, 0) != 0)
			continue;
		slot = PIPA_VEC_ADD(ret);
		if (!slot || !(*slot = strdup(entry->d_name)))
			return -ENOMEM;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_text);
	return 0;
}

int pipa_tracepoint_id(struct pipa_root *root, const char *system, const char *name, uint64_t *ret)
{
	if (strchr(system, '/') || strchr(name, '/') || system[0] == '.' || name[0] == '.')
		return -ENOENT;
	return pipa_root_read_u64(root, PIPA_TRACE, ret, "events/%s/%s/id", system, name);
}

static int each_of_system(struct pipa_root *root, const char *system, const char *glob,
			  int (*fn)(void *ctx, const char *system, const char *name), void *ctx)
{
	PIPA_AUTO(names_done) struct names names = { 0 };
	char path[300];
	size_t i;
	int rc;

	snprintf(path, sizeof(path), "events/%s", system);
	rc = list_dirs(root, path, glob, &names);
	for (i = 0; !rc && i < names.n; i++)
		rc = fn(ctx, system, names.items[i]);
	return rc;
}

int pipa_tracepoint_each(struct pipa_root *root, const char *system_glob, const char *name_glob,
			 int (*fn)(void *ctx, const char *system, const char *name), void *ctx)
{
	PIPA_AUTO(names_done) struct names systems = { 0 };
	size_t i;
	int rc = list_dirs(root, "events", system_glob, &systems);

	for (i = 0; !rc && i < systems.n; i++)
		rc = each_of_system(root, systems.items[i], name_glob, fn, ctx);
	return rc;
}
