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
#include "base/file/file_map.h"
#include "codec/decompress.h"
#include "elf/elf.h"
#include "elf/identity.h"
#include "locate/bundle_files.h"
#include "locate/debuginfod.h"
#include "locate/mapped_files.h"

#define DEBUG_DIR "/usr/lib/debug"

enum { SOURCES_MAX = 3 };

/* A source of files: the bundle of the recording, or this machine. */
struct source {
	const struct pipa_bundle_files *bundle; /* NULL: this machine */
	const char *root;			/* prefix of paths */
	const char *debug_dir;
	bool any;	      /* given by the user or in a process's root: not compared */
	bool same_host;	      /* inodes can be compared */
	uint64_t until_ns;    /* files modified later have changed; 0: unknown */
	char cache[PATH_MAX]; /* perf's cache, "" if none */
	char process_root[32];
};

static void set_machine(struct source *source, const struct pipa_locate_options *o)
{
	const char *home = getenv("HOME");

	source->bundle = NULL;
	source->any = o->symfs != NULL;
	source->same_host = o->same_host;
	source->until_ns = o->until_ns;
	source->root = o->symfs ? o->symfs : "";
	source->debug_dir = o->debug_dir ? o->debug_dir : DEBUG_DIR;
	source->cache[0] = '\0';
	if (o->cache_dir)
		snprintf(source->cache, sizeof(source->cache), "%s", o->cache_dir);
	else if (home)
		snprintf(source->cache, sizeof(source->cache), "%s/.debug", home);
}

static void set_bundle(struct source *source, const struct pipa_bundle_files *bundle)
{
	source->bundle = bundle;
	source->any = false;
	source->root = PIPA_BUNDLE_ROOT;
	source->debug_dir = DEBUG_DIR;
	snprintf(source->cache, sizeof(source->cache), PIPA_BUNDLE_CACHE);
}

/* Search the root directory of a running process: a container's debug files are there. */
static void set_process(struct source *source, uint32_t pid)
{
	source->bundle = NULL;
	source->any = true;
	source->debug_dir = DEBUG_DIR;
	source->cache[0] = '\0';
	snprintf(source->process_root, sizeof(source->process_root), "/proc/%u/root", pid);
	source->root = source->process_root;
}

/*
 * Set the sources in search order. Without a build id a file of the bundle is certain, others are
 * not.
 */
static size_t set_sources(struct source sources[SOURCES_MAX], const struct pipa_locate_options *o,
			  bool has_id)
{
	size_t n = 0;

	if (o->kept)
		set_bundle(&sources[n++], o->kept);
	if (o->bundle)
		set_bundle(&sources[n++], o->bundle);
	if (!o->bundle || has_id)
		set_machine(&sources[n++], o);
	return n;
}

static bool map_at(const struct source *source, const char *path, struct pipa_span *ret)
{
	return source->bundle ? pipa_bundle_files_map(source->bundle, path, ret) :
				pipa_locate_map(path, ret);
}

int pipa_locate_open(const char *path, struct stat *ret)
{
	/*
	 * a recorded path may be a FIFO or a device here: do not block, do not become its terminal
	 */
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

/* Has the image that build id? True if the wanted id is unknown. */
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

/* Map the file at a path if it is the wanted one. Sets *other if there is a different file. */
static bool map_if_wanted(const struct source *source, const char *path, struct pipa_span id,
			  struct pipa_span *ret, bool *other)
{
	if (!map_at(source, path, ret) || (pipa_is_compressed(*ret) && !pipa_locate_unpack(ret)))
		return false;
	if (has_build_id(*ret, id.data, id.size))
		return true;
	*other = true;
	pipa_locate_unmap(ret);
	return false;
}

/* Map a file of perf's cache, or its counterpart in a bundle: "elf", "debug", "vdso". */
static bool map_cached(const struct source *source, struct pipa_span id, const char *what,
		       struct pipa_span *ret)
{
	char path[PATH_MAX];
	bool other = false;

	return source->cache[0] &&
	       pipa_bundle_files_id_name(source->cache, id, what, path, sizeof(path)) &&
	       map_if_wanted(source, path, id, ret, &other);
}

/* ---- mapped file ----------------------------------------------------------------------------- */

/* Return the size of an image in memory by its header; 0 if it is invalid. */
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
	/* the section headers follow, in the same pages */
	n = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	return n > end ? n : end;
}

/*
 * Use the vdso of this process: the same image if the build id matches, or else if the kernel does.
 */
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
 * Is the file at the path the mapped one, by its inode? Device numbers of a file system change when
 * it is mounted again, and are not comparable on another machine.
 */
static enum same compare_file(const struct source *source, const char *path,
			      const struct pipa_file_id *wanted)
{
	struct stat st;

	if (source->any || !wanted->inode)
		return SAME_FILE; /* unknown */
	if (stat(path, &st) < 0)
		return OTHER_FILE;
	if (st.st_ino != wanted->inode || (source->until_ns && modified_ns(&st) > source->until_ns))
		return source->same_host ? OTHER_FILE : MAYBE_SAME;
	return major(st.st_dev) == wanted->major && minor(st.st_dev) == wanted->minor ? SAME_FILE :
											MAYBE_SAME;
}

/* Find a file without a build id: a kept file with its identity, or the one at the path. */
static bool find_by_file(const struct source *source, const struct pipa_wanted_file *w,
			 const char *path, struct pipa_located *l, bool *other)
{
	char name[PATH_MAX];
	enum same same;

	if (source->bundle)
		return pipa_bundle_files_file_name(&w->file, w->path, name, sizeof(name)) &&
		       map_if_wanted(source, name, (struct pipa_span){ 0 }, &l->main, other);
	same = compare_file(source, path, &w->file);
	if (same == OTHER_FILE && access(path, F_OK) == 0)
		*other = true;
	l->unverified = same == MAYBE_SAME;
	return same != OTHER_FILE &&
	       map_if_wanted(source, path, (struct pipa_span){ 0 }, &l->main, other);
}

/* Find the mapped file. Sets *other if a file has another build id or inode. */
static bool find_main(const struct source *source, const struct pipa_wanted_file *w,
		      struct pipa_located *l, bool *other)
{
	const struct pipa_span id = { w->build_id, w->build_id_len };
	struct pipa_span *ret = &l->main;
	char path[PATH_MAX];

	if (source->bundle || w->path[0] == '/') {
		snprintf(path, sizeof(path), "%s%s%s", source->root, w->path[0] == '/' ? "" : "/",
			 w->path);
		if (!id.size && w->file.inode && find_by_file(source, w, path, l, other))
			return true;
		if ((id.size || !w->file.inode || source->bundle) &&
		    map_if_wanted(source, path, id, ret, other))
			return true;
	}
	return map_cached(source, id, is_vdso(w) ? "vdso" : "elf", ret);
}

/* ---- debug file ------------------------------------------------------------------------------ */

static bool debug_by_id(const struct source *source, struct pipa_span id, struct pipa_span *ret)
{
	char directory[PATH_MAX], path[PATH_MAX];
	bool other = false;

	snprintf(directory, sizeof(directory), "%s%s", source->root, source->debug_dir);
	if (pipa_bundle_files_id_name(directory, id, "", path, sizeof(path) - strlen(".debug"))) {
		memcpy(path + strlen(path) - 1, ".debug",
		       sizeof(".debug")); /* overwrites the slash */
		if (map_if_wanted(source, path, id, ret, &other))
			return true;
	}
	return map_cached(source, id, "debug", ret);
}

/*
 * Find the target of .gnu_debuglink: next to the file, in .debug next to it, or in the debug
 * directory; its checksum must match.
 */
static bool debug_by_link(const struct source *source, const char *path, const struct pipa_elf *elf,
			  struct pipa_span *ret)
{
	const char *slash = strrchr(path, '/');
	struct pipa_elf_debuglink link;
	char found[PATH_MAX];
	size_t i;

	if (!slash || !pipa_elf_debuglink(elf, &link) || strchr(link.name, '/'))
		return false;
	for (i = 0; i < 3; i++) {
		snprintf(found, sizeof(found), "%s%s%.*s%s/%s", source->root,
			 i == 2 ? source->debug_dir : "", (int)(slash - path), path,
			 i == 1 ? "/.debug" : "", link.name);
		if (!map_at(source, found, ret))
			continue;
		if (pipa_elf_debuglink_crc(0, *ret) == link.crc)
			return true;
		pipa_locate_unmap(ret);
	}
	return false;
}

static bool find_debug(const struct source *source, const struct pipa_wanted_file *w,
		       struct pipa_located *l)
{
	struct pipa_span id = { w->build_id, w->build_id_len };
	struct pipa_elf elf;
	bool is_elf = l->main.size && pipa_elf_init(&elf, l->main, NULL) == 0;

	if (is_elf && !id.size && !pipa_elf_build_id(&elf, &id))
		id.size = 0;
	if (id.size && debug_by_id(source, id, &l->debug))
		return true;
	return is_elf && debug_by_link(source, w->path, &elf, &l->debug);
}

/*
 * Find the package of split units: the name of the file with suffix .dwp. Its units have ids, so a
 * wrong package has no matches.
 */
static bool find_package(const struct source *source, const struct pipa_wanted_file *w,
			 struct pipa_span *ret)
{
	char path[PATH_MAX];

	if (w->path[0] != '/')
		return false;
	return snprintf(path, sizeof(path), "%s%s.dwp", source->root, w->path) < PATH_MAX &&
	       map_at(source, path, ret);
}

/*
 * Request the debug file from a server if there are no symbols here; the file itself if it is
 * missing and has no debug file.
 */
static void find_remote(struct pipa_debuginfod *debuginfod, const struct pipa_wanted_file *w,
			struct pipa_located *l)
{
	const struct pipa_span id = { w->build_id, w->build_id_len };

	if (l->debug.size || (l->main.size && !pipa_locate_is_stripped(l->main)))
		return;
	if (!pipa_debuginfod_find(debuginfod, id, "debuginfo", &l->debug) && !l->main.size)
		pipa_debuginfod_find(debuginfod, id, "executable", &l->main);
}

/* ---- files of running processes -------------------------------------------------------------- */

/*
 * Find a file that a running process has mapped and that its path does not lead to; NULL: use the
 * path. Sets *closed if the file is no longer open: without a build id no other file may be used.
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
	struct source sources[SOURCES_MAX];
	size_t n = set_sources(sources, o, w->build_id_len > 0), i;
	bool other = false, closed;
	const struct pipa_mapped_file *mapped = find_mapped(o, w, &l.main, &closed);

	if (mapped && mapped->fd >= 0)
		set_process(&sources[n++], mapped->pid);
	for (i = 0; i < n && !l.main.size && !closed; i++) {
		if (!sources[i].bundle && is_vdso(w) && own_vdso(o, w, &l.main)) {
			l.borrowed = true;
			*ret = l;
			return;
		}
		l.main = (struct pipa_span){ 0 };
		find_main(&sources[i], w, &l, &other);
	}
	for (i = 0; i < n && !l.debug.size; i++)
		find_debug(&sources[i], w, &l);
	for (i = 0; i < n && l.main.size && !l.package.size; i++)
		find_package(&sources[i], w, &l.package);
	if (o->debuginfod && w->build_id_len && !is_vdso(w))
		find_remote(o->debuginfod, w, &l);
	if (!l.main.size && !l.debug.size)
		l.state = other || (closed && mapped->state == PIPA_MAPPED_OTHER_FILE) ?
				  PIPA_LOCATE_OTHER :
				  PIPA_LOCATE_NO_FILE;
	*ret = l;
}

/* ---- dwz and .dwo files ---------------------------------------------------------------------- */

/* Find a dwz file by its build id, else by its name, which may be relative to the debug file. */
static bool find_shared(const struct source *source, struct pipa_span id,
			const struct pipa_elf_altlink *link, struct pipa_span *ret)
{
	char directory[PATH_MAX], path[PATH_MAX], *end;
	bool other = false;

	if (debug_by_id(source, link->build_id, ret))
		return true;
	if (link->name[0] == '/') {
		snprintf(path, sizeof(path), "%s%s", source->root, link->name);
		return map_if_wanted(source, path, link->build_id, ret, &other);
	}
	snprintf(directory, sizeof(directory), "%s%s", source->root, source->debug_dir);
	if (source->bundle || !pipa_bundle_files_id_name(directory, id, "", path, sizeof(path)))
		return false;
	for (end = path + strlen(path) - 1; end > path && end[-1] != '/'; end--)
		;
	snprintf(end, sizeof(path) - (size_t)(end - path), "%s", link->name);
	return map_if_wanted(source, path, link->build_id, ret, &other);
}

bool pipa_locate_shared(const struct pipa_locate_options *o, const struct pipa_located *l,
			struct pipa_span *ret)
{
	struct pipa_span id = { 0 };
	struct pipa_elf_altlink link;
	struct source sources[SOURCES_MAX];
	struct pipa_elf elf;
	size_t n, i;

	if (pipa_elf_init(&elf, l->debug.size ? l->debug : l->main, NULL) < 0 ||
	    !pipa_elf_altlink(&elf, &link) || !link.build_id.size)
		return false;
	if (!pipa_elf_build_id(&elf, &id))
		id.size = 0;
	n = set_sources(sources, o, true);
	for (i = 0; i < n; i++)
		if (find_shared(&sources[i], id, &link, ret))
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

/* A .dwo file has no build id: its path is meaningful only on the machine on which it was built. */
bool pipa_locate_split(const struct pipa_locate_options *o, const char *comp_dir, const char *name,
		       struct pipa_span *ret)
{
	bool whole = name[0] == '/' || !comp_dir;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s%s", o->symfs ? o->symfs : "", whole ? "" : comp_dir,
		 whole ? "" : "/", name);
	return !o->bundle && pipa_locate_map(path, ret);
}
