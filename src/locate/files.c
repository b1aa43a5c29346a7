#include "locate/files.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "elf/elf.h"
#include "elf/identity.h"
#include "elf/inflate.h"
#include "elf/unpack.h"

int pipa_locate_open(const char *path, struct stat *ret)
{
	/* a path of a recording may name a pipe or a device here: neither waits nor acts */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && fstat(fd, ret) == 0 && S_ISREG(ret->st_mode))
		return fd;
	pipa_fd_close(fd);
	return -1;
}

bool pipa_locate_map(const char *path, struct pipa_span *ret)
{
	struct stat st;
	PIPA_AUTO(pipa_fd_close) int fd = pipa_locate_open(path, &st);

	return pipa_locate_map_fd(fd, ret);
}

bool pipa_locate_map_fd(int fd, struct pipa_span *ret)
{
	struct stat st;
	void *base;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (base == MAP_FAILED)
		return false;
	*ret = (struct pipa_span){ base, (size_t)st.st_size };
	return true;
}

void pipa_locate_unmap(struct pipa_span *span)
{
	void *base;

	memcpy(&base, &span->data, sizeof(base)); /* it was ours to change before it was lent */
	if (base)
		munmap(base, span->size);
	*span = (struct pipa_span){ 0 };
}

void pipa_located_done(struct pipa_located *located)
{
	if (!located->borrowed)
		pipa_locate_unmap(&located->main);
	pipa_locate_unmap(&located->debug);
}

/* ---- one file ---------------------------------------------------------------------------------------- */

/* Has the image that build id? An unknown one is anybody's. */
static bool has_build_id(struct pipa_span file, const uint8_t *id, size_t len)
{
	struct pipa_span own;
	struct pipa_elf elf;

	if (!len)
		return true;
	return pipa_elf_init(&elf, file, NULL) == 0 && pipa_elf_build_id(&elf, &own) &&
	       own.size >= len && memcmp(own.data, id, len) == 0;
}

/* A packed file gives way to what is in it, in memory that is given back the same way. */
static bool open_packed(struct pipa_span *file)
{
	enum { MOST = 1 << 30 };
	struct pipa_inflated plain;
	void *base = MAP_FAILED;
	int rc = pipa_elf_unpack(*file, MOST, &plain);

	pipa_locate_unmap(file);
	if (rc < 0)
		return false;
	if (plain.size)
		base = mmap(NULL, plain.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	if (base != MAP_FAILED) {
		memcpy(base, plain.data, plain.size);
		*file = (struct pipa_span){ base, plain.size };
	}
	free(plain.data);
	return base != MAP_FAILED;
}

/* Map the file at the path if it is the one that is wanted. *other: one was there, but not it. */
static bool take(const char *path, const uint8_t *id, size_t len, struct pipa_span *ret,
		 bool *other)
{
	if (!pipa_locate_map(path, ret) || (pipa_elf_is_packed(*ret) && !open_packed(ret)))
		return false;
	if (has_build_id(*ret, id, len))
		return true;
	*other = true;
	pipa_locate_unmap(ret);
	return false;
}

/* "ab/cdef..." of a build id; false when it is too short to be one. */
static bool id_path(const uint8_t *id, size_t len, char *text, size_t size)
{
	size_t i, n;

	if (len < 2 || size < 2 * len + 2)
		return false;
	n = (size_t)snprintf(text, size, "%02x/", id[0]);
	for (i = 1; i < len; i++)
		n += (size_t)snprintf(text + n, size - n, "%02x", id[i]);
	return true;
}

/* ---- the file that was mapped ------------------------------------------------------------------------ */

static bool from_cache(const struct pipa_locate_options *o, const struct pipa_wanted_file *w,
		       struct pipa_span *ret)
{
	char id[2 * 64 + 8], path[PATH_MAX];
	const char *home = getenv("HOME");
	bool other = false;

	if (!id_path(w->build_id, w->build_id_len, id, sizeof(id)) || (!o->cache_dir && !home))
		return false;
	snprintf(path, sizeof(path), "%s%s/.build-id/%s/elf", o->cache_dir ? o->cache_dir : home,
		 o->cache_dir ? "" : "/.debug", id);
	return take(path, w->build_id, w->build_id_len, ret, &other);
}

/* How far the parts of an image in memory reach, as its own header says; 0 when it is none. */
static size_t image_size(const ElfW(Ehdr) * image)
{
	const ElfW(Phdr) * segments;
	size_t n, end = 0;

	if (memcmp(image->e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	segments = (const void *)((const char *)image + image->e_phoff);
	for (n = 0; n < image->e_phnum; n++)
		if (segments[n].p_type == PT_LOAD &&
		    segments[n].p_offset + segments[n].p_filesz > end)
			end = segments[n].p_offset + segments[n].p_filesz;
	/* its sections lie behind, in the same pages */
	n = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	return n > end ? n : end;
}

/* What the kernel maps into everyone is mapped into us, too: the same, if its build id is. */
static bool own_vdso(const struct pipa_wanted_file *w, struct pipa_span *ret)
{
	uintptr_t at = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *image = NULL;

	memcpy(&image, &at, sizeof(at));
	if (!image)
		return false;
	*ret = (struct pipa_span){ (const uint8_t *)image, image_size(image) };
	return ret->size && has_build_id(*ret, w->build_id, w->build_id_len);
}

static enum pipa_located_state find_main(const struct pipa_locate_options *o,
					 const struct pipa_wanted_file *w, struct pipa_span *ret)
{
	char path[PATH_MAX];
	bool other = false;

	if (w->path[0] == '/') {
		snprintf(path, sizeof(path), "%s%s", o->symfs ? o->symfs : "", w->path);
		if (take(path, w->build_id, w->build_id_len, ret, &other))
			return PIPA_LOCATED;
	}
	if (from_cache(o, w, ret))
		return PIPA_LOCATED;
	return other ? PIPA_LOCATE_OTHER : PIPA_LOCATE_NO_FILE;
}

/* ---- its debug file ---------------------------------------------------------------------------------- */

static const char *debug_dir(const struct pipa_locate_options *o)
{
	return o->debug_dir ? o->debug_dir : "/usr/lib/debug";
}

static bool debug_by_id(const struct pipa_locate_options *o, const uint8_t *id, size_t len,
			struct pipa_span *ret)
{
	char text[2 * 64 + 8], path[PATH_MAX];
	bool other = false;

	if (!id_path(id, len, text, sizeof(text)))
		return false;
	snprintf(path, sizeof(path), "%s%s/.build-id/%s.debug", o->symfs ? o->symfs : "",
		 debug_dir(o), text);
	return take(path, id, len, ret, &other);
}

/* Beside the file, in .debug beside it, or in the debug folder; its checksum must be right. */
static bool debug_by_link(const struct pipa_locate_options *o, const char *path,
			  const struct pipa_elf *elf, struct pipa_span *ret)
{
	const char *slash = strrchr(path, '/');
	struct pipa_elf_debuglink link;
	char found[PATH_MAX];
	size_t i;

	if (!slash || !pipa_elf_debuglink(elf, &link) || strchr(link.name, '/'))
		return false;
	for (i = 0; i < 3; i++) {
		snprintf(found, sizeof(found), "%s%s%.*s%s/%s", o->symfs ? o->symfs : "",
			 i == 2 ? debug_dir(o) : "", (int)(slash - path), path,
			 i == 1 ? "/.debug" : "", link.name);
		if (!pipa_locate_map(found, ret))
			continue;
		if (pipa_elf_debuglink_crc(0, *ret) == link.crc)
			return true;
		pipa_locate_unmap(ret);
	}
	return false;
}

static void find_debug(const struct pipa_locate_options *o, const struct pipa_wanted_file *w,
		       struct pipa_located *l)
{
	struct pipa_span id = { w->build_id, w->build_id_len };
	struct pipa_elf elf;
	bool is_elf = l->main.size && pipa_elf_init(&elf, l->main, NULL) == 0;

	if (is_elf && !id.size && !pipa_elf_build_id(&elf, &id))
		id.size = 0;
	if (id.size && debug_by_id(o, id.data, id.size, &l->debug))
		return;
	if (is_elf)
		debug_by_link(o, w->path, &elf, &l->debug);
}

void pipa_locate(const struct pipa_locate_options *o, const struct pipa_wanted_file *w,
		 struct pipa_located *ret)
{
	struct pipa_located l = { 0 };

	if (strcmp(w->path, "[vdso]") == 0 && own_vdso(w, &l.main)) {
		l.borrowed = true;
		*ret = l;
		return;
	}
	l.main = (struct pipa_span){ 0 };
	l.state = find_main(o, w, &l.main);
	find_debug(o, w, &l);
	if (l.debug.size)
		l.state = PIPA_LOCATED;
	*ret = l;
}
