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
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file_map.h"
#include "codec/decompress.h"
#include "elf/elf.h"
#include "elf/identity.h"
#include "locate/bundle_files.h"
#include "locate/debuginfod.h"
#include "locate/mapped_files.h"

#define DEBUG_DIR "/usr/lib/debug"

enum { PLACES_MAX = 3 };

/* Where is looked: in what came along with the recording, or on this machine. */
struct place {
	const struct pipa_bundle_files *pack; /* NULL: on this machine */
	const char *root;		      /* where paths begin */
	const char *debug_dir;
	bool any;	   /* paths were named by the user, or lead into a process: not compared */
	bool same_host;	   /* inodes can be compared */
	uint64_t until_ns; /* files that were written later have changed; 0: not known */
	char cache[PATH_MAX]; /* perf's, "" where there is none */
	char process_root[32];
};

static void set_machine(struct place *place, const struct pipa_locate_options *o)
{
	const char *home = getenv("HOME");

	place->pack = NULL;
	place->any = o->symfs != NULL;
	place->same_host = o->same_host;
	place->until_ns = o->until_ns;
	place->root = o->symfs ? o->symfs : "";
	place->debug_dir = o->debug_dir ? o->debug_dir : DEBUG_DIR;
	place->cache[0] = '\0';
	if (o->cache_dir)
		snprintf(place->cache, sizeof(place->cache), "%s", o->cache_dir);
	else if (home)
		snprintf(place->cache, sizeof(place->cache), "%s/.debug", home);
}

static void set_pack(struct place *place, const struct pipa_bundle_files *pack)
{
	place->pack = pack;
	place->any = false;
	place->root = PIPA_BUNDLE_ROOT;
	place->debug_dir = DEBUG_DIR;
	snprintf(place->cache, sizeof(place->cache), PIPA_BUNDLE_CACHE);
}

/* The root directory of a running process: a container's debug files are there. */
static void set_process(struct place *place, uint32_t pid)
{
	place->pack = NULL;
	place->any = true;
	place->debug_dir = DEBUG_DIR;
	place->cache[0] = '\0';
	snprintf(place->process_root, sizeof(place->process_root), "/proc/%u/root", pid);
	place->root = place->process_root;
}

/* The places to look at, in turn; without a build id only what came along is sure to be it. */
static size_t set_places(struct place places[PLACES_MAX], const struct pipa_locate_options *o,
			 bool has_id)
{
	size_t n = 0;

	if (o->kept)
		set_pack(&places[n++], o->kept);
	if (o->pack)
		set_pack(&places[n++], o->pack);
	if (!o->pack || has_id)
		set_machine(&places[n++], o);
	return n;
}

static bool map_at(const struct place *place, const char *path, struct pipa_span *ret)
{
	return place->pack ? pipa_bundle_files_map(place->pack, path, ret) :
			     pipa_locate_map(path, ret);
}

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
	const uint8_t *base;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	base = pipa_file_map(fd, 0, (size_t)st.st_size, MAP_PRIVATE);
	if (!base)
		return false;
	*ret = (struct pipa_span){ base, (size_t)st.st_size };
	return true;
}

void pipa_locate_unmap(struct pipa_span *span)
{
	pipa_file_unmap(span->data, span->size);
	*span = (struct pipa_span){ 0 };
}

void pipa_located_done(struct pipa_located *located)
{
	if (!located->borrowed)
		pipa_locate_unmap(&located->main);
	pipa_locate_unmap(&located->debug);
	pipa_locate_unmap(&located->package);
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

bool pipa_locate_unpack(struct pipa_span *file)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf plain = { .max = 1 << 30 };
	void *base = MAP_FAILED;
	int rc = pipa_decompress(*file, &plain);

	pipa_locate_unmap(file);
	if (rc < 0)
		return false;
	if (plain.len)
		base = mmap(NULL, plain.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	if (base != MAP_FAILED) {
		memcpy(base, plain.data, plain.len);
		*file = (struct pipa_span){ base, plain.len };
	}
	return base != MAP_FAILED;
}

/* Map the file at the path if it is the one that is wanted. *other: one was there, but not it. */
static bool take(const struct place *place, const char *path, struct pipa_span id,
		 struct pipa_span *ret, bool *other)
{
	if (!map_at(place, path, ret) || (pipa_is_compressed(*ret) && !pipa_locate_unpack(ret)))
		return false;
	if (has_build_id(*ret, id.data, id.size))
		return true;
	*other = true;
	pipa_locate_unmap(ret);
	return false;
}

/* Out of perf's cache, or what a pack has in its place: "elf", "debug", "vdso". */
static bool take_cached(const struct place *place, struct pipa_span id, const char *what,
			struct pipa_span *ret)
{
	char path[PATH_MAX];
	bool other = false;

	return place->cache[0] &&
	       pipa_bundle_files_id_name(place->cache, id, what, path, sizeof(path)) &&
	       take(place, path, id, ret, &other);
}

/* ---- the file that was mapped ------------------------------------------------------------------------ */

/* How far the parts of an image in memory reach, as its own header says; 0 if it is invalid. */
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
	/* its sections lie after, in the same pages */
	n = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	return n > end ? n : end;
}

/* What the kernel maps into everyone is mapped into us, too: the same, if its build id or the kernel is. */
static bool own_vdso(const struct pipa_locate_options *o, const struct pipa_wanted_file *w,
		     struct pipa_span *ret)
{
	uintptr_t at = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *image = NULL;

	memcpy(&image, &at, sizeof(at));
	if (!image || (o->foreign && !w->build_id_len))
		return false;
	*ret = (struct pipa_span){ (const uint8_t *)image, image_size(image) };
	return ret->size && has_build_id(*ret, w->build_id, w->build_id_len);
}

static bool is_vdso(const struct pipa_wanted_file *w)
{
	return strcmp(w->path, "[vdso]") == 0;
}

enum same { SAME_FILE, MAYBE_SAME, OTHER_FILE };

static uint64_t modified_ns(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

/*
 * Is the file at the path the one that was mapped, as far as its inode tells? Device numbers of a file system
 * change when it is mounted again, and mean nothing on another machine.
 */
static enum same compare_file(const struct place *place, const char *path,
			      const struct pipa_file_id *wanted)
{
	struct stat st;

	if (place->any || !wanted->inode)
		return SAME_FILE; /* nothing to compare */
	if (stat(path, &st) < 0)
		return OTHER_FILE;
	if (st.st_ino != wanted->inode || (place->until_ns && modified_ns(&st) > place->until_ns))
		return place->same_host ? OTHER_FILE : MAYBE_SAME;
	return major(st.st_dev) == wanted->major && minor(st.st_dev) == wanted->minor ? SAME_FILE :
											MAYBE_SAME;
}

/* Without a build id: a file that the recording holds by its identity, or the one at the path. */
static bool find_by_file(const struct place *place, const struct pipa_wanted_file *w,
			 const char *path, struct pipa_located *l, bool *other)
{
	char name[PATH_MAX];
	enum same same;

	if (place->pack)
		return pipa_bundle_files_file_name(&w->file, w->path, name, sizeof(name)) &&
		       take(place, name, (struct pipa_span){ 0 }, &l->main, other);
	same = compare_file(place, path, &w->file);
	if (same == OTHER_FILE && access(path, F_OK) == 0)
		*other = true;
	l->unverified = same == MAYBE_SAME;
	return same != OTHER_FILE && take(place, path, (struct pipa_span){ 0 }, &l->main, other);
}

/* *other: a file is there, but with another build id, or another inode. */
static bool find_main(const struct place *place, const struct pipa_wanted_file *w,
		      struct pipa_located *l, bool *other)
{
	const struct pipa_span id = { w->build_id, w->build_id_len };
	struct pipa_span *ret = &l->main;
	char path[PATH_MAX];

	if (place->pack || w->path[0] == '/') {
		snprintf(path, sizeof(path), "%s%s%s", place->root, w->path[0] == '/' ? "" : "/",
			 w->path);
		if (!id.size && w->file.inode && find_by_file(place, w, path, l, other))
			return true;
		if ((id.size || !w->file.inode || place->pack) && take(place, path, id, ret, other))
			return true;
	}
	return take_cached(place, id, is_vdso(w) ? "vdso" : "elf", ret);
}

/* ---- its debug file ---------------------------------------------------------------------------------- */

static bool debug_by_id(const struct place *place, struct pipa_span id, struct pipa_span *ret)
{
	char folder[PATH_MAX], path[PATH_MAX];
	bool other = false;

	snprintf(folder, sizeof(folder), "%s%s", place->root, place->debug_dir);
	if (pipa_bundle_files_id_name(folder, id, "", path, sizeof(path) - strlen(".debug"))) {
		memcpy(path + strlen(path) - 1, ".debug", sizeof(".debug")); /* for the slash */
		if (take(place, path, id, ret, &other))
			return true;
	}
	return take_cached(place, id, "debug", ret);
}

/* Beside the file, in .debug beside it, or in the debug directory; its checksum must be right. */
static bool debug_by_link(const struct place *place, const char *path, const struct pipa_elf *elf,
			  struct pipa_span *ret)
{
	const char *slash = strrchr(path, '/');
	struct pipa_elf_debuglink link;
	char found[PATH_MAX];
	size_t i;

	if (!slash || !pipa_elf_debuglink(elf, &link) || strchr(link.name, '/'))
		return false;
	for (i = 0; i < 3; i++) {
		snprintf(found, sizeof(found), "%s%s%.*s%s/%s", place->root,
			 i == 2 ? place->debug_dir : "", (int)(slash - path), path,
			 i == 1 ? "/.debug" : "", link.name);
		if (!map_at(place, found, ret))
			continue;
		if (pipa_elf_debuglink_crc(0, *ret) == link.crc)
			return true;
		pipa_locate_unmap(ret);
	}
	return false;
}

static bool find_debug(const struct place *place, const struct pipa_wanted_file *w,
		       struct pipa_located *l)
{
	struct pipa_span id = { w->build_id, w->build_id_len };
	struct pipa_elf elf;
	bool is_elf = l->main.size && pipa_elf_init(&elf, l->main, NULL) == 0;

	if (is_elf && !id.size && !pipa_elf_build_id(&elf, &id))
		id.size = 0;
	if (id.size && debug_by_id(place, id, &l->debug))
		return true;
	return is_elf && debug_by_link(place, w->path, &elf, &l->debug);
}

/* Beside the file, called as it is with .dwp after. Its units have ids, so that none can be another's. */
static bool find_package(const struct place *place, const struct pipa_wanted_file *w,
			 struct pipa_span *ret)
{
	char path[PATH_MAX];

	if (w->path[0] != '/')
		return false;
	return snprintf(path, sizeof(path), "%s%s.dwp", place->root, w->path) < PATH_MAX &&
	       map_at(place, path, ret);
}

/* From a server, if there are no symbols here; the file itself if it is not here and has no debug file. */
static void find_far(struct pipa_debuginfod *debuginfod, const struct pipa_wanted_file *w,
		     struct pipa_located *l)
{
	const struct pipa_span id = { w->build_id, w->build_id_len };

	if (l->debug.size || (l->main.size && !pipa_locate_is_stripped(l->main)))
		return;
	if (!pipa_debuginfod_find(debuginfod, id, "debuginfo", &l->debug) && !l->main.size)
		pipa_debuginfod_find(debuginfod, id, "executable", &l->main);
}

/* ---- both ---------------------------------------------------------------------------------------------- */

/*
 * Find a file that a running process has mapped and that its path does not lead to; NULL: the path
 * is good. *closed: the file is not open any more, and without a build id no other can be treated
 * as it.
 */
static const struct pipa_mapped_file *find_mapped(const struct pipa_locate_options *o,
						  const struct pipa_wanted_file *w,
						  struct pipa_span *ret, bool *closed)
{
	const struct pipa_span id = { w->build_id, w->build_id_len };
	const struct pipa_mapped_file *file;

	*closed = false;
	file = o->mapped ? pipa_mapped_files_find(o->mapped, w->path, id, &w->file) : NULL;
	if (!file || file->state == PIPA_MAPPED_UNVERIFIED ||
	    (file->state == PIPA_MAPPED_VERIFIED && !file->outside))
		return NULL;
	*closed = !pipa_locate_map_fd(file->fd, ret) && !id.size;
	return file;
}

void pipa_locate(const struct pipa_locate_options *o, const struct pipa_wanted_file *w,
		 struct pipa_located *ret)
{
	struct pipa_located l = { 0 };
	struct place places[PLACES_MAX];
	size_t n = set_places(places, o, w->build_id_len > 0), i;
	bool other = false, closed;
	const struct pipa_mapped_file *mapped = find_mapped(o, w, &l.main, &closed);

	if (mapped && mapped->fd >= 0)
		set_process(&places[n++], mapped->pid);
	for (i = 0; i < n && !l.main.size && !closed; i++) {
		if (!places[i].pack && is_vdso(w) && own_vdso(o, w, &l.main)) {
			l.borrowed = true;
			*ret = l;
			return;
		}
		l.main = (struct pipa_span){ 0 };
		find_main(&places[i], w, &l, &other);
	}
	for (i = 0; i < n && !l.debug.size; i++)
		find_debug(&places[i], w, &l);
	for (i = 0; i < n && l.main.size && !l.package.size; i++)
		find_package(&places[i], w, &l.package);
	if (o->debuginfod && w->build_id_len && !is_vdso(w))
		find_far(o->debuginfod, w, &l);
	if (!l.main.size && !l.debug.size)
		l.state = other || (closed && mapped->state == PIPA_MAPPED_OTHER_FILE) ?
				  PIPA_LOCATE_OTHER :
				  PIPA_LOCATE_NO_FILE;
	*ret = l;
}

/* ---- what several debug files share ------------------------------------------------------------------------ */

/* By its build id, else by its name, which may begin where the debug file lies. */
static bool find_shared(const struct place *place, struct pipa_span id,
			const struct pipa_elf_altlink *link, struct pipa_span *ret)
{
	char folder[PATH_MAX], path[PATH_MAX], *end;
	bool other = false;

	if (debug_by_id(place, link->build_id, ret))
		return true;
	if (link->name[0] == '/') {
		snprintf(path, sizeof(path), "%s%s", place->root, link->name);
		return take(place, path, link->build_id, ret, &other);
	}
	snprintf(folder, sizeof(folder), "%s%s", place->root, place->debug_dir);
	if (place->pack || !pipa_bundle_files_id_name(folder, id, "", path, sizeof(path)))
		return false;
	for (end = path + strlen(path) - 1; end > path && end[-1] != '/'; end--)
		;
	snprintf(end, sizeof(path) - (size_t)(end - path), "%s", link->name);
	return take(place, path, link->build_id, ret, &other);
}

bool pipa_locate_shared(const struct pipa_locate_options *o, const struct pipa_located *l,
			struct pipa_span *ret)
{
	struct pipa_span id = { 0 };
	struct pipa_elf_altlink link;
	struct place places[PLACES_MAX];
	struct pipa_elf elf;
	size_t n, i;

	if (pipa_elf_init(&elf, l->debug.size ? l->debug : l->main, NULL) < 0 ||
	    !pipa_elf_altlink(&elf, &link) || !link.build_id.size)
		return false;
	if (!pipa_elf_build_id(&elf, &id))
		id.size = 0;
	n = set_places(places, o, true);
	for (i = 0; i < n; i++)
		if (find_shared(&places[i], id, &link, ret))
			return true;
	return false;
}

bool pipa_locate_build_id(struct pipa_span image, struct pipa_span *ret)
{
	struct pipa_elf elf;

	return pipa_elf_init(&elf, image, NULL) == 0 && pipa_elf_build_id(&elf, ret);
}

bool pipa_locate_is_stripped(struct pipa_span image)
{
	struct pipa_elf_section section;
	struct pipa_elf elf;

	return pipa_elf_init(&elf, image, NULL) == 0 &&
	       !pipa_elf_section_typed(&elf, SHT_SYMTAB, &section) &&
	       !pipa_elf_section_named(&elf, ".gnu_debugdata", &section);
}

/* It has no build id: only where the program was built does the path mean anything. */
bool pipa_locate_split(const struct pipa_locate_options *o, const char *comp_dir, const char *name,
		       struct pipa_span *ret)
{
	bool whole = name[0] == '/' || !comp_dir;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s%s", o->symfs ? o->symfs : "", whole ? "" : comp_dir,
		 whole ? "" : "/", name);
	return !o->pack && pipa_locate_map(path, ret);
}
