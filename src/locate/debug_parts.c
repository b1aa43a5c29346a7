#include "locate/debug_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "elf/elf.h"
#include "elf/identity.h"
#include "locate/files.h"

static const char *root_of(const struct pipa_locate_options *o)
{
	return o->symfs ? o->symfs : "";
}

static bool is_it(struct pipa_span file, struct pipa_span id)
{
	struct pipa_elf elf;
	struct pipa_span own;

	return pipa_elf_init(&elf, file, NULL) == 0 && pipa_elf_build_id(&elf, &own) &&
	       own.size == id.size && memcmp(own.data, id.data, id.size) == 0;
}

static bool take(const char *path, struct pipa_span id, struct pipa_span *ret)
{
	if (!pipa_locate_map(path, ret))
		return false;
	if (is_it(*ret, id))
		return true;
	pipa_locate_unmap(ret);
	return false;
}

/*
 * Debug files lie in DEBUG/.build-id/ab/, and what the name leads to from there need not: "../../.dwz/..."
 * is below DEBUG wherever the file was found.
 */
bool pipa_locate_alt(const struct pipa_locate_options *o, struct pipa_span image,
		     struct pipa_span *ret)
{
	const char *debug = o->debug_dir ? o->debug_dir : "/usr/lib/debug", *name;
	struct pipa_elf_altlink link;
	struct pipa_elf elf;
	char path[PATH_MAX];
	size_t n, i;

	if (pipa_elf_init(&elf, image, NULL) < 0 || !pipa_elf_altlink(&elf, &link) ||
	    link.build_id.size < 2)
		return false;
	name = link.name;
	if (name[0] == '/') {
		snprintf(path, sizeof(path), "%s%s", root_of(o), name);
		if (take(path, link.build_id, ret))
			return true;
	}
	while (strncmp(name, "../", 3) == 0)
		name += 3;
	snprintf(path, sizeof(path), "%s%s/%s", root_of(o), debug, name);
	if (name[0] != '/' && take(path, link.build_id, ret))
		return true;
	n = (size_t)snprintf(path, sizeof(path), "%s%s/.build-id/%02x/", root_of(o), debug,
			     link.build_id.data[0]);
	for (i = 1; i < link.build_id.size && n + 16 < sizeof(path); i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, "%02x", link.build_id.data[i]);
	snprintf(path + n, sizeof(path) - n, ".debug");
	return n + 16 < sizeof(path) && take(path, link.build_id, ret);
}

bool pipa_locate_split(const struct pipa_locate_options *o, const char *comp_dir, const char *name,
		       struct pipa_span *ret)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s%s", root_of(o),
		 name[0] == '/' || !comp_dir ? "" : comp_dir,
		 name[0] == '/' || !comp_dir ? "" : "/", name);
	return pipa_locate_map(path, ret);
}
