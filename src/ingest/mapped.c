#include "ingest/mapped.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

/* Return the kind of a mapping by its path, in the spellings of the kernel and of perf. */
static enum pipa_object_kind kind_of(const struct pipa_rec_map *map)
{
	const char *path = map->path;

	if (map->pid == PIPA_KERNEL_PID || map->mode == PIPA_MODE_KERNEL ||
	    map->mode == PIPA_MODE_GUEST_KERNEL)
		return pipa_str_starts(path, "[kernel.kallsyms]") ||
				       pipa_str_starts(path, "[guest.kernel") ?
			       PIPA_OBJECT_KERNEL :
			       PIPA_OBJECT_MODULE;
	if (strcmp(path, "[vdso]") == 0 || pipa_str_starts(path, "[vdso"))
		return PIPA_OBJECT_VDSO;
	if (strcmp(path, "//anon") == 0 || pipa_str_starts(path, "/dev/zero") ||
	    pipa_str_starts(path, "/anon_hugepage") || pipa_str_starts(path, "[heap]") ||
	    pipa_str_starts(path, "[stack") || pipa_str_starts(path, "/SYSV") ||
	    pipa_str_starts(path, "/memfd:") || pipa_str_starts(path, "[anon:") || !path[0])
		return PIPA_OBJECT_JIT;
	return PIPA_OBJECT_FILE;
}

/*
 * Intern the path of an object. "[kernel.kallsyms]_text" has a symbol after the bracket, whose
 * address is the file offset; it is dropped.
 */
static uint32_t object_path(struct pipa_profile *p, const char *path, enum pipa_object_kind kind)
{
	const char *bracket = kind == PIPA_OBJECT_KERNEL ? strchr(path, ']') : NULL;

	return pipa_strings_add(&p->strings, path,
				bracket ? (size_t)(bracket - path) + 1 : strlen(path));
}

int pipa_mapped_range(struct pipa_profile *p, const struct pipa_rec_map *map, uint32_t *ret_pid,
		      struct pipa_range *ret)
{
	struct pipa_object object = { .kind = kind_of(map), .build_id = map->build_id };
	bool kernel = object.kind == PIPA_OBJECT_KERNEL || object.kind == PIPA_OBJECT_MODULE;

	object.path = object_path(p, map->path, object.kind);
	if (object.kind == PIPA_OBJECT_FILE && !map->build_id.len)
		object.file = (struct pipa_file_id){ map->major, map->minor, map->inode,
						     map->inode_generation };
	if (object.kind == PIPA_OBJECT_KERNEL)
		object.base = map->file_offset;
	else if (object.kind == PIPA_OBJECT_MODULE)
		object.base = map->start;
	else if (object.kind == PIPA_OBJECT_JIT)
		object.pid = map->pid;
	*ret_pid = kernel ? PIPA_KERNEL_PID : map->pid;
	*ret = (struct pipa_range){
		.start = map->start,
		.end = map->start + map->len,
		/* without a file the offset is the address */
		.file_offset = kernel || object.kind == PIPA_OBJECT_JIT ? map->start :
									  map->file_offset,
		.object = object.path == PIPA_NO_STRING ? PIPA_NONE :
							  pipa_profile_object(p, &object),
	};
	return ret->object == PIPA_NONE ? -ENOMEM : 0;
}

int pipa_mapped_ksymbol(struct pipa_profile *p, const struct pipa_rec_ksymbol *symbol,
			struct pipa_range *ret)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_KSYMBOL,
				      .path = pipa_profile_text(p, symbol->name),
				      .base = symbol->start };

	*ret = (struct pipa_range){
		.start = symbol->start,
		.end = symbol->start + symbol->len,
		.file_offset = symbol->start,
		.object = object.path == PIPA_NO_STRING ? PIPA_NONE :
							  pipa_profile_object(p, &object),
	};
	return ret->object == PIPA_NONE ? -ENOMEM : 0;
}

uint32_t pipa_mapped_jitdump(struct pipa_profile *p, const struct pipa_rec_map *map)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_JIT,
				      .path = pipa_profile_text(p, map->path),
				      .pid = map->pid };

	return object.path == PIPA_NO_STRING ? PIPA_NONE : pipa_profile_object(p, &object);
}
