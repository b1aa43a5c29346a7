#include "measure/heap/heap_target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "elf/elf.h"
#include "elf/program.h"
#include "locate/files.h"

enum { SCRIPT_DEPTH = 5 }; /* of interpreters, as in the kernel */

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool pipa_command_find(const char *command, char *path, size_t size)
{
	const char *dirs = getenv("PATH"), *end;

	if (strchr(command, '/'))
		return snprintf(path, size, "%s", command) < (int)size && is_program(path);
	if (!dirs)
		dirs = "/bin:/usr/bin"; /* as execvp(3) */
	for (;; dirs = end + 1) {
		end = strchrnul(dirs, ':');
		if (snprintf(path, size, "%.*s%s%s", (int)(end - dirs), dirs,
			     end == dirs ? "" : "/", command) < (int)size &&
		    is_program(path))
			return true;
		if (!*end)
			return false;
	}
}

static int refuse(const char *path, struct pipa_error *err, const char *why)
{
	return pipa_refuse(err, -ENOTSUP, "cannot preload the heap profiler into %s: %s", path,
			   why);
}

/* Would its exec change privileges? The loader then ignores LD_PRELOAD. */
static bool changes_privileges(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	       ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static int check_machine(const char *path, const struct pipa_elf *elf, struct pipa_error *err)
{
	uint16_t own = pipa_elf_own_machine();
	const char *name = pipa_elf_machine_name(elf->machine);
	char why[128];

	if (elf->machine == own && elf->is64 && !elf->swapped)
		return 0;
	snprintf(why, sizeof(why), "it is a%s program for %s, and this pipa is for %s",
		 elf->is64 ? "" : " 32-bit", name ? name : "an unknown machine",
		 pipa_elf_machine_name(own));
	return refuse(path, err, why);
}

static int check_libc(const char *path, const struct pipa_elf_program *program,
		      struct pipa_error *err)
{
	char why[PATH_MAX];

	switch (program->libc) {
	case PIPA_ELF_LIBC_GLIBC: return 0;
	case PIPA_ELF_LIBC_NONE:
		refuse(path, err, "it is statically linked");
		return pipa_hint(err, "link it dynamically, or sample page faults: "
				      "pipa record -e page-faults");
	case PIPA_ELF_LIBC_MUSL:
		return refuse(path, err,
			      "its C library is musl, and the preloaded library requires glibc");
	case PIPA_ELF_LIBC_OTHER: break;
	}
	snprintf(why, sizeof(why), "its dynamic loader %s is not that of glibc", program->loader);
	return refuse(path, err, why);
}

static int check_program(const char *path, struct pipa_span file, bool malloc_required,
			 struct pipa_error *err)
{
	struct pipa_elf_program program;
	struct pipa_elf elf;
	int rc;

	if (pipa_elf_init(&elf, file, NULL) < 0)
		return 0; /* exec reports it, or the kernel has another format for it */
	rc = check_machine(path, &elf, err);
	if (rc < 0)
		return rc;
	pipa_elf_program_read(&elf, &program);
	rc = check_libc(path, &program, err);
	if (rc < 0)
		return rc;
	if (changes_privileges(path)) {
		refuse(path, err,
		       "it is setuid, setgid or has file capabilities, so the loader ignores "
		       "LD_PRELOAD");
		return pipa_hint(err, "run pipa as that user: sudo pipa heap -- ...");
	}
	if (program.has_malloc && malloc_required) {
		refuse(path, err,
		       "it defines malloc itself, so its allocations do not reach the library");
		return pipa_hint(err,
				 "link the allocator as a shared library, or use --mmap, which "
				 "records its mappings");
	}
	return 0;
}

int pipa_heap_target_check(const char *command, bool malloc_required, struct pipa_error *err)
{
	char path[PATH_MAX], next[PATH_MAX];
	int depth, rc;

	if (!pipa_command_find(command, path, sizeof(path)))
		return 0;
	for (depth = 0; depth < SCRIPT_DEPTH; depth++) {
		struct pipa_span file, interpreter;

		if (!pipa_locate_map(path, &file))
			return 0;
		if (!pipa_script_interpreter(file, &interpreter)) {
			rc = check_program(path, file, malloc_required, err);
			pipa_locate_unmap(&file);
			return rc;
		}
		rc = snprintf(next, sizeof(next), "%.*s", (int)interpreter.size,
			      (const char *)interpreter.data);
		pipa_locate_unmap(&file);
		if (rc >= (int)sizeof(next))
			return 0;
		memcpy(path, next, sizeof(path));
	}
	return 0;
}
