#include "kernel/machine/cgroup_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/counter.h"
#include "base/vec.h"
#include "kernel/machine/limit.h"
#include "kernel/machine/reread.h"
#include "kernel/machine/root.h"
#include "kernel/text/raw.h"

enum {
	MAX_FILES = 16, /* of a group, in all hierarchies */
	MAX_DEPTH = 64,
	LOOK_EVERY = 16, /* ticks: at what changes rarely, and for groups that nobody announced */
};

enum { NOT_OPEN = -1, NOT_KEPT = -2 }; /* opened, read and closed each time */

struct group {
	char *path;    /* below the top, "" is the top itself */
	char row[24];  /* its name among the rows: a number that no other group ever has */
	uint64_t walk; /* the last one that found it */
	bool asked;    /* for what changes rarely, at least once */
	int fds[MAX_FILES];
	uint64_t rare[CG_FIELDS];
};

struct pipa_cgroup_tree {
	struct pipa_cgroup_hierarchies hierarchies;
	struct group *items;
	size_t n, cap;
	size_t next;  /* groups are found in the same order every time */
	size_t shown; /* the same for those who ask by row */
	uint64_t walks, ticks, serial;
	uint64_t count; /* of groups, as the kernel says */
	bool stale;
	size_t fds, max_fds;
	struct pipa_reread text;      /* one buffer for all files */
	struct pipa_reread counts[2]; /* /proc/cgroups, and v2's cgroup.stat */
};

/* ---- groups ------------------------------------------------------------------------------------- */

static void close_file(struct pipa_cgroup_tree *t, int *fd)
{
	if (*fd >= 0) {
		close(*fd);
		t->fds--;
	}
	*fd = NOT_OPEN;
}

static void drop_group(struct pipa_cgroup_tree *t, struct group *g)
{
	size_t i;

	for (i = 0; i < MAX_FILES; i++)
		close_file(t, &g->fds[i]);
	free(g->path);
}

static struct group *find_group(struct pipa_cgroup_tree *t, const char *path)
{
	size_t i, at;

	for (i = 0; i < t->n; i++) {
		at = (t->next + i) % t->n;
		if (strcmp(t->items[at].path, path) == 0) {
			t->next = at + 1;
			return &t->items[at];
		}
	}
	return NULL;
}

static struct group *add_group(struct pipa_cgroup_tree *t, const char *path)
{
	char *copy = strdup(path);
	struct group *g = copy ? PIPA_VEC_ADD(t) : NULL;
	size_t i;

	if (!g) {
		free(copy);
		return NULL;
	}
	g->path = copy;
	snprintf(g->row, sizeof(g->row), "%llu", (unsigned long long)++t->serial);
	for (i = 0; i < MAX_FILES; i++)
		g->fds[i] = NOT_OPEN;
	pipa_cgroup_fields_init(g->rare);
	t->next = t->n;
	return g;
}

/* ---- the walk ----------------------------------------------------------------------------------- */

/* A directory being looked at; path is that of the one being walked, in one buffer for all depths. */
struct walk {
	struct pipa_cgroup_tree *tree;
	const struct pipa_cgroup_hierarchy *hierarchy;
	size_t slot;  /* of its first file among a group's descriptors */
	bool all_new; /* nothing was known before: no need to look for it */
	char path[PATH_MAX];
};

static void open_files(struct walk *w, struct group *g, int top)
{
	struct pipa_cgroup_tree *t = w->tree;
	char path[PATH_MAX + 64];
	size_t i;

	for (i = 0; i < w->hierarchy->n_files; i++) {
		const struct pipa_cgroup_file *file = w->hierarchy->files[i];
		int *fd = &g->fds[w->slot + i];

		if (*fd != NOT_OPEN)
			continue;
		if ((file->why & PIPA_CGROUP_RARE) || t->fds >= t->max_fds) {
			*fd = NOT_KEPT;
			continue;
		}
		snprintf(path, sizeof(path), "%s%s%s", g->path, g->path[0] ? "/" : "", file->name);
		*fd = openat(top, path, O_RDONLY | O_CLOEXEC);
		if (*fd < 0)
			*fd = errno == EMFILE || errno == ENFILE ? NOT_KEPT : NOT_OPEN;
		else
			t->fds++;
	}
}

static int visit(struct walk *w)
{
	struct group *g = w->all_new ? NULL : find_group(w->tree, w->path);

	if (!g)
		g = add_group(w->tree, w->path);
	if (!g)
		return -ENOMEM;
	g->walk = w->tree->walks;
	open_files(w, g, w->hierarchy->fd);
	return 0;
}

static int walk_below(struct walk *w, int dir, int depth);

/* A directory has two links and one for each below it, so most need not be listed. */
static int walk_child(struct walk *w, int dir, const char *name, int depth)
{
	size_t len = strlen(w->path);
	struct stat st;
	int rc = 0, fd;

	if (len + strlen(name) + 2 >= sizeof(w->path) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	snprintf(w->path + len, sizeof(w->path) - len, "%s%s", len ? "/" : "", name);
	rc = visit(w);
	if (!rc && st.st_nlink != 2 && depth < MAX_DEPTH) {
		fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			rc = walk_below(w, fd, depth + 1);
	}
	w->path[len] = '\0';
	return rc;
}

/* Takes dir. */
static int walk_below(struct walk *w, int dir, int depth)
{
	DIR *list = fdopendir(dir);
	struct dirent *entry;
	int rc = 0;

	if (!list) {
		close(dir);
		return 0;
	}
	while (!rc && (entry = readdir(list)))
		if (entry->d_name[0] != '.' &&
		    (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			rc = walk_child(w, dir, entry->d_name, depth);
	closedir(list);
	return rc;
}

static int walk_hierarchy(struct pipa_cgroup_tree *t, size_t index, size_t slot)
{
	const struct pipa_cgroup_hierarchy *h = &t->hierarchies.items[index];
	struct walk w = { .tree = t, .hierarchy = h, .slot = slot, .all_new = t->n == 0 };
	int rc, fd;

	t->next = 0;
	rc = visit(&w);
	if (rc < 0)
		return rc;
	fd = openat(h->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? 0 : walk_below(&w, fd, 0);
}

static void drop_vanished(struct pipa_cgroup_tree *t)
{
	size_t i, kept = 0;

	for (i = 0; i < t->n; i++)
		if (t->items[i].walk == t->walks)
			t->items[kept++] = t->items[i];
		else
			drop_group(t, &t->items[i]);
	t->n = kept;
}

static int walk_all(struct pipa_cgroup_tree *t)
{
	size_t i, slot = 0;
	int rc = 0;

	t->walks++;
	for (i = 0; !rc && i < t->hierarchies.n; i++) {
		rc = walk_hierarchy(t, i, slot);
		slot += t->hierarchies.items[i].n_files;
	}
	if (!rc)
		drop_vanished(t);
	t->stale = false;
	return rc;
}

/* ---- readings ----------------------------------------------------------------------------------- */

static uint64_t count_groups(struct pipa_cgroup_tree *t)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < PIPA_COUNT(t->counts); i++)
		if (t->counts[i].fd >= 0 && pipa_reread_read(&t->counts[i]) > 0)
			count += pipa_cgroup_count(t->counts[i].data, t->counts[i].len);
	return count;
}

/* The text of a group's file in t->text, or a negative errno. */
static ssize_t read_file(struct pipa_cgroup_tree *t, const struct pipa_cgroup_hierarchy *h,
			 const struct group *g, int fd, const char *name)
{
	char path[PATH_MAX + 64];
	ssize_t n;

	if (fd >= 0) {
		t->text.fd = fd;
		return pipa_reread_read(&t->text);
	}
	snprintf(path, sizeof(path), "%s%s%s", g->path, g->path[0] ? "/" : "", name);
	t->text.fd = openat(h->fd, path, O_RDONLY | O_CLOEXEC);
	if (t->text.fd < 0)
		return -errno;
	n = pipa_reread_read(&t->text);
	close(t->text.fd);
	return n;
}

/* One file into the group's numbers: 1 when it said something, 0, or -ENOMEM. */
static int read_one(struct pipa_cgroup_tree *t, const struct pipa_cgroup_hierarchy *h,
		    struct group *g, size_t slot, const struct pipa_cgroup_file *file,
		    uint64_t *fields)
{
	bool rare = file->why & PIPA_CGROUP_RARE;
	ssize_t n;

	if (g->fds[slot] == NOT_OPEN || (rare && g->asked && t->ticks % LOOK_EVERY))
		return 0;
	n = read_file(t, h, g, g->fds[slot], file->name);
	if (n == -ENOMEM)
		return -ENOMEM;
	if (n == -ENODEV || n == -ENOENT) { /* of a group that is gone */
		t->stale = t->stale || g->fds[slot] >= 0;
		close_file(t, &g->fds[slot]);
	}
	if (rare)
		g->rare[file->field] = PIPA_COUNTER_MISSING;
	if (n < 0)
		return 0;
	pipa_cgroup_parse(file, t->text.data, (size_t)n, rare ? g->rare : fields);
	return !rare;
}

static int read_group(struct pipa_cgroup_tree *t, struct group *g, struct pipa_raw *raw)
{
	uint64_t fields[CG_FIELDS], *row;
	size_t i, k, slot = 0;
	int said = 0, rc;

	pipa_cgroup_fields_init(fields);
	for (i = 0; i < t->hierarchies.n; i++) {
		const struct pipa_cgroup_hierarchy *h = &t->hierarchies.items[i];

		for (k = 0; k < h->n_files; k++, slot++) {
			rc = read_one(t, h, g, slot, h->files[k], fields);
			if (rc < 0)
				return rc;
			said += rc;
		}
	}
	g->asked = true;
	if (!said)
		return 0;
	fields[CG_MEMORY_MAX] = g->rare[CG_MEMORY_MAX];
	pipa_cgroup_fields_finish(fields);
	row = pipa_raw_put(raw, g->row, strlen(g->row));
	if (!row)
		return -ENOMEM;
	memcpy(row, fields, sizeof(fields));
	return 0;
}

int pipa_cgroup_tree_read(struct pipa_cgroup_tree *t, struct pipa_raw *raw)
{
	uint64_t count = count_groups(t);
	size_t i;
	int rc = 0;

	if (t->stale || count != t->count || t->ticks % LOOK_EVERY == 0)
		rc = walk_all(t);
	t->count = count;
	pipa_raw_begin(raw);
	for (i = 0; !rc && i < t->n; i++)
		rc = read_group(t, &t->items[i], raw);
	pipa_raw_end(raw);
	t->ticks++;
	t->shown = 0;
	return rc;
}

const char *pipa_cgroup_tree_path(struct pipa_cgroup_tree *t, const char *row)
{
	size_t i, at;

	for (i = 0; i < t->n; i++) {
		at = (t->shown + i) % t->n;
		if (strcmp(t->items[at].row, row) == 0) {
			t->shown = at + 1;
			return t->items[at].path[0] ? t->items[at].path : "/";
		}
	}
	return "?";
}

/* ---- opening ------------------------------------------------------------------------------------ */

void pipa_cgroup_tree_close(struct pipa_cgroup_tree *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++)
		drop_group(t, &t->items[i]);
	free(t->items);
	for (i = 0; i < PIPA_COUNT(t->counts); i++)
		pipa_reread_close(&t->counts[i]);
	t->text.fd = -1; /* a group's, closed with it */
	pipa_reread_close(&t->text);
	pipa_cgroup_hierarchies_close(&t->hierarchies);
	free(t);
}

PIPA_DEFINE_AUTO(pipa_cgroup_tree_close, struct pipa_cgroup_tree *)

static void open_counts(struct pipa_cgroup_tree *t, struct pipa_root *root)
{
	size_t i;
	int fd;

	fd = pipa_root_file(root, PIPA_PROC, 0, "cgroups");
	pipa_reread_open(&t->counts[0], fd < 0 ? -1 : fd, 1024);
	fd = -1;
	for (i = 0; fd < 0 && i < t->hierarchies.n; i++)
		if (t->hierarchies.items[i].v2)
			fd = openat(t->hierarchies.items[i].fd, "cgroup.stat",
				    O_RDONLY | O_CLOEXEC);
	pipa_reread_open(&t->counts[1], fd, 1024);
}

int pipa_cgroup_tree_open(struct pipa_root *root, struct pipa_cgroup_tree **ret)
{
	PIPA_AUTO(pipa_cgroup_tree_close) struct pipa_cgroup_tree *t = calloc(1, sizeof(*t));
	size_t i, files = 0;
	int rc;

	if (!t)
		return -ENOMEM;
	t->counts[0].fd = t->counts[1].fd = -1;
	pipa_reread_open(&t->text, -1, 1024);
	rc = pipa_cgroup_hierarchies_open(root, PIPA_CGROUP_USE | PIPA_CGROUP_RARE,
					  &t->hierarchies);
	if (rc < 0)
		return rc;
	for (i = 0; i < t->hierarchies.n; i++)
		files += t->hierarchies.items[i].n_files;
	if (!t->hierarchies.n || files > MAX_FILES)
		return -ENOENT;
	open_counts(t, root);
	t->max_fds = pipa_limit_raise_files() / 2; /* others want some too */
	*ret = PIPA_TAKE(t);
	return 0;
}
