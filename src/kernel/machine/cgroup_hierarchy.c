/* Which hierarchies there are and which files of theirs are wanted. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/str.h"
#include "kernel/machine/cgroup.h"
#include "kernel/machine/cgroup_tree.h"
#include "kernel/machine/root.h"

void pipa_cgroup_hierarchies_close(struct pipa_cgroup_hierarchies *h)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		pipa_fd_close(h->items[i].fd);
	h->n = 0;
}

static bool is_v1_mounted(const char *mounts, const char *controller)
{
	struct pipa_cgroup_place place;

	while (pipa_cgroup_next_place(&mounts, &place))
		if (!place.v2 && pipa_cgroup_place_has(&place, controller))
			return true;
	return false;
}

static bool is_wanted(const struct pipa_cgroup_file *file, const struct pipa_cgroup_place *place,
		      const char *mounts, unsigned int why)
{
	if (!(file->why & why) || place->v2 != !file->v1)
		return false;
	if (place->v2)
		return !is_v1_mounted(mounts, file->unless);
	return pipa_cgroup_place_has(place, file->v1);
}

/* A hierarchy may be mounted twice. */
static bool is_taken(const struct pipa_cgroup_hierarchies *all, const struct pipa_cgroup_file *file)
{
	size_t i, k;

	for (i = 0; i < all->n; i++)
		for (k = 0; k < all->items[i].n_files; k++)
			if (all->items[i].files[k] == file)
				return true;
	return false;
}

static void choose_files(const struct pipa_cgroup_hierarchies *all, struct pipa_cgroup_hierarchy *h,
			 const struct pipa_cgroup_place *place, const char *mounts,
			 unsigned int why)
{
	size_t i;

	for (i = 0; i < pipa_n_cgroup_files && h->n_files < PIPA_CGROUP_OPEN_FILES; i++)
		if (is_wanted(&pipa_cgroup_files[i], place, mounts, why) &&
		    !is_taken(all, &pipa_cgroup_files[i])) {
			h->controller = pipa_cgroup_files[i].v1;
			h->files[h->n_files++] = &pipa_cgroup_files[i];
		}
}

int pipa_cgroup_hierarchies_open(struct pipa_root *root, unsigned int why,
				 struct pipa_cgroup_hierarchies *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf mounts = { 0 };
	struct pipa_cgroup_place place;
	const char *rest;
	int rc = pipa_cgroup_read_mounts(root, &mounts);

	ret->n = 0;
	if (rc < 0)
		return rc;
	rest = pipa_buf_str(&mounts);
	while (ret->n < PIPA_CGROUP_HIERARCHIES && pipa_cgroup_next_place(&rest, &place)) {
		struct pipa_cgroup_hierarchy h = { .v2 = place.v2 };

		choose_files(ret, &h, &place, pipa_buf_str(&mounts), why);
		if (!h.n_files || !pipa_str_starts(place.path, "/sys/"))
			continue;
		h.fd = pipa_root_file(root, PIPA_SYS, O_DIRECTORY, "%s", place.path + 5);
		if (h.fd >= 0)
			ret->items[ret->n++] = h;
	}
	return 0;
}
