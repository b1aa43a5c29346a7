#include "locate/kernel_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "elf/identity.h"
#include "locate/bundle_files.h"
#include "locate/files.h"

/* ---- identity of the kernel ------------------------------------------------------------------ */

enum { NOTES = 64 << 10 };

/* Find the build id of the running kernel; it points into `notes`. */
static bool read_running_id(char notes[static NOTES], struct pipa_span *ret)
{
	ssize_t n = pipa_file_read_into("/sys/kernel/notes", notes, NOTES);

	return n > 0 && pipa_notes_build_id((struct pipa_span){ (const uint8_t *)notes, (size_t)n },
					    false, ret);
}

static bool has_running_id(const struct pipa_wanted_kernel *kernel)
{
	char notes[NOTES];
	struct pipa_span id;

	return read_running_id(notes, &id) && id.size == kernel->build_id_len &&
	       memcmp(id.data, kernel->build_id, id.size) == 0;
}

bool pipa_locate_is_running(const struct pipa_wanted_kernel *kernel)
{
	struct utsname name;

	if (kernel->build_id_len)
		return has_running_id(kernel);
	return kernel->release && uname(&name) == 0 && strcmp(name.release, kernel->release) == 0;
}

bool pipa_locate_is_foreign(const struct pipa_wanted_kernel *kernel)
{
	struct utsname name;

	if (pipa_locate_is_running(kernel))
		return false;
	return kernel->build_id_len ||
	       (kernel->release && uname(&name) == 0 && strcmp(name.release, kernel->release) != 0);
}

int pipa_locate_kallsyms_copy(const struct pipa_locate_options *o,
			      const struct pipa_wanted_kernel *kernel)
{
	const char *home = getenv("HOME");
	char id[2 * PIPA_ELF_BUILD_ID_MAX + 1] = "", path[PATH_MAX];
	struct stat st;
	size_t i;

	if (!kernel->build_id_len || kernel->build_id_len > PIPA_ELF_BUILD_ID_MAX ||
	    (!o->cache_dir && !home))
		return -1;
	for (i = 0; i < kernel->build_id_len; i++)
		snprintf(id + 2 * i, 3, "%02x", kernel->build_id[i]);
	snprintf(path, sizeof(path), "%s%s/[kernel.kallsyms]/%s/kallsyms",
		 o->cache_dir ? o->cache_dir : home, o->cache_dir ? "" : "/.debug", id);
	return pipa_locate_open(path, &st);
}

int pipa_locate_kallsyms_packed(const struct pipa_locate_options *o,
				const struct pipa_wanted_kernel *kernel, struct pipa_buf *ret)
{
	const struct pipa_span id = { kernel->build_id, kernel->build_id_len };
	struct pipa_span text;
	char name[PATH_MAX];

	if (!o->bundle)
		return 0;
	if (!pipa_bundle_files_id_name(PIPA_BUNDLE_CACHE, id, "kallsyms", name, sizeof(name)))
		snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "/proc/kallsyms");
	if (!pipa_bundle_files_map(o->bundle, name, &text))
		return 0;
	pipa_buf_add(ret, text.data, text.size);
	pipa_locate_unmap(&text);
	return ret->status ? ret->status : 1;
}

/* ---- vmlinux --------------------------------------------------------------------------------- */

/*
 * Locate vmlinux at a path. A debug file without a main file is used as the image, though it may
 * lack code.
 */
static bool locate_image(const struct pipa_locate_options *o, const char *path,
			 const struct pipa_wanted_kernel *kernel, struct pipa_located *ret)
{
	const struct pipa_wanted_file wanted = { .path = path,
						 .build_id = kernel->build_id,
						 .build_id_len = kernel->build_id_len };

	pipa_locate(o, &wanted, ret);
	if (ret->state == PIPA_LOCATED && !ret->main.size) {
		ret->main = ret->debug;
		ret->debug = (struct pipa_span){ 0 };
	}
	return ret->state == PIPA_LOCATED;
}

/* Locate vmlinux in perf's cache, which is not below symfs. */
static bool locate_cached(struct pipa_locate_options o, const struct pipa_wanted_kernel *kernel,
			  struct pipa_located *ret)
{
	const struct pipa_span id = { kernel->build_id, kernel->build_id_len };
	const char *home = getenv("HOME");
	char directory[PATH_MAX], path[PATH_MAX];

	if (!o.cache_dir && !home)
		return false;
	snprintf(directory, sizeof(directory), "%s%s", o.cache_dir ? o.cache_dir : home,
		 o.cache_dir ? "" : "/.debug");
	o.symfs = NULL;
	return pipa_bundle_files_id_name(directory, id, "vmlinux", path, sizeof(path)) &&
	       locate_image(&o, path, kernel, ret);
}

void pipa_locate_kernel(const struct pipa_locate_options *options,
			const struct pipa_wanted_kernel *kernel, struct pipa_located *ret)
{
	static const char *const places[][2] = {
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" },
	};
	struct pipa_locate_options o = *options;
	const char *release = kernel->release;
	char path[PATH_MAX];
	bool other = false;
	size_t i;

	*ret = (struct pipa_located){ .state = PIPA_LOCATE_NO_FILE };
	if (!kernel->build_id_len)
		return;
	o.debuginfod = NULL; /* a download of half a gigabyte that was not requested */
	if (!release || strchr(release, '/'))
		release = "";
	for (i = 0; i < PIPA_COUNT(places); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i][0], release, places[i][1]);
		if (locate_image(&o, path, kernel, ret))
			return;
		other |= ret->state == PIPA_LOCATE_OTHER;
	}
	if (!locate_cached(o, kernel, ret))
		ret->state = other ? PIPA_LOCATE_OTHER : PIPA_LOCATE_NO_FILE;
}

void pipa_locate_running_kernel(const struct pipa_locate_options *options, struct pipa_located *ret)
{
	char notes[NOTES];
	struct pipa_wanted_kernel kernel = { 0 };
	struct utsname name;
	struct pipa_span id;

	if (read_running_id(notes, &id)) {
		kernel.build_id = id.data;
		kernel.build_id_len = id.size;
	}
	if (uname(&name) == 0)
		kernel.release = name.release;
	pipa_locate_kernel(options, &kernel, ret);
}

/* ---- modules ----------------------------------------------------------------------------------------- */

/*
 * Is the file, "kernel/fs/ext4/ext4.ko.xz", that of the module? Its name may have dashes instead of
 * underscores.
 */
static bool is_file_of(const char *file, size_t len, const char *module, size_t module_len)
{
	const char *slash = memrchr(file, '/', len), *name = slash ? slash + 1 : file;
	size_t i, left = len - (size_t)(name - file);

	if (left < module_len + 3 || memcmp(name + module_len, ".ko", 3) != 0)
		return false;
	for (i = 0; i < module_len; i++)
		if (name[i] != module[i] && !(name[i] == '-' && module[i] == '_'))
			return false;
	return true;
}

/* Find the path of module "[ext4]" in modules.dep of the release. */
static bool find_in_list(const struct pipa_locate_options *o, const char *release,
			 const char *module, char *ret, size_t size)
{
	const char *line, *end, *stop;
	struct pipa_span list;
	char path[PATH_MAX];
	bool found = false;
	size_t len;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", o->symfs ? o->symfs : "",
		 release);
	if (!pipa_locate_map(path, &list))
		return false;
	stop = (const char *)list.data + list.size;
	for (line = (const char *)list.data; !found && line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		for (len = 0; line + len < end && line[len] != ':';)
			len++;
		found = is_file_of(line, len, module + 1, strlen(module) - 2);
		if (found)
			snprintf(ret, size, "/lib/modules/%s/%.*s", release, (int)len, line);
	}
	pipa_locate_unmap(&list);
	return found;
}

void pipa_locate_module(const struct pipa_locate_options *o,
			const struct pipa_wanted_kernel *kernel,
			const struct pipa_wanted_file *wanted, struct pipa_located *ret)
{
	struct pipa_wanted_file file = *wanted;
	size_t len = strlen(wanted->path);
	char path[PATH_MAX];

	/* files of a bundle without a build id have the recorded name */
	if ((!o->bundle || wanted->build_id_len) && len > 2 && wanted->path[0] == '[' &&
	    wanted->path[len - 1] == ']' && kernel->release && !strchr(kernel->release, '/') &&
	    find_in_list(o, kernel->release, wanted->path, path, sizeof(path)))
		file.path = path;
	pipa_locate(o, &file, ret);
}
