#include "locate/mapped_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/str.h"
#include "base/vec.h"
#include "kernel/machine/build_id.h"

#ifndef FS_IOC_GETVERSION
#define FS_IOC_GETVERSION _IOR('v', 1, long)
#endif

enum {
	PARENTS = 8192, /* slots, by pid: a collision drops the older process */
	ANCESTORS = 4,	/* ancestors of an ended process whose roots are searched */
	TRIES_MAX = 16, /* limit for a file that could not be verified */
	FILES_MAX = 1 << 20,
};

struct parent {
	uint32_t pid, parent;
};

struct pipa_mapped_files {
	struct pipa_mapped_file *items;
	size_t n, cap;
	struct pipa_index by_path;
	size_t n_open, max_open;
	struct parent parents[PARENTS];
};

struct pipa_mapped_files *pipa_mapped_files_new(size_t max_open)
{
	struct pipa_mapped_files *files = calloc(1, sizeof(*files));

	if (files)
		files->max_open = max_open;
	return files;
}

void pipa_mapped_files_free(struct pipa_mapped_files *files)
{
	size_t i;

	if (!files)
		return;
	for (i = 0; i < files->n; i++) {
		pipa_fd_close(files->items[i].fd);
		free(files->items[i].path);
	}
	free(files->items);
	pipa_index_done(&files->by_path);
	free(files);
}

void pipa_mapped_files_fork(struct pipa_mapped_files *files, uint32_t pid, uint32_t parent)
{
	if (pid != parent)
		files->parents[pid % PARENTS] = (struct parent){ pid, parent };
}

size_t pipa_mapped_files_count(const struct pipa_mapped_files *files)
{
	return files->n;
}

const struct pipa_mapped_file *pipa_mapped_files_get(const struct pipa_mapped_files *files,
						     size_t i)
{
	return &files->items[i];
}

/* ---- comparison ------------------------------------------------------------------------------ */

enum match {
	MATCH_NONE,
	MATCH_INODE, /* device not comparable: it differs between records and fstat(2) */
	MATCH_FILE,
};

static bool has_own_devices(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && ((unsigned long)fs.f_type == OVERLAYFS_SUPER_MAGIC ||
					 (unsigned long)fs.f_type == BTRFS_SUPER_MAGIC);
}

/* Compare the build id of an open file with the one in a record. */
static bool has_build_id(int fd, struct pipa_span wanted)
{
	uint8_t id[PIPA_BUILD_ID_BYTES];
	int len = pipa_build_id_of_file(fd, id);

	return len > 0 && (size_t)len == wanted.size && memcmp(id, wanted.data, wanted.size) == 0;
}

/* Compare the inode generation if the file system reports it: inode numbers are reused. */
static bool has_generation(int fd, uint64_t wanted)
{
	long generation = 0;

	return !wanted || ioctl(fd, FS_IOC_GETVERSION, &generation) < 0 ||
	       (uint32_t)generation == (uint32_t)wanted;
}

static enum match match_file(int fd, const struct pipa_file_mapping *m)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return MATCH_NONE;
	if (!m->file.inode)
		return has_build_id(fd, m->build_id) ? MATCH_FILE : MATCH_NONE;
	if (st.st_ino != m->file.inode)
		return MATCH_NONE;
	if (major(st.st_dev) == m->file.major && minor(st.st_dev) == m->file.minor)
		return has_generation(fd, m->file.generation) ? MATCH_FILE : MATCH_NONE;
	return has_own_devices(fd) ? MATCH_INODE : MATCH_NONE;
}

/* ---- open ------------------------------------------------------------------------------------ */

/* Open the file of an O_PATH descriptor if it is regular: a device is not even opened. */
static int open_regular(int path_fd)
{
	char self[40];
	struct stat st;

	if (path_fd < 0 || fstat(path_fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	return open(self, O_RDONLY | O_CLOEXEC);
}

static int open_here(const char *path)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path, O_PATH | O_CLOEXEC);

	return open_regular(fd);
}

static int open_mapping(const struct pipa_file_mapping *m)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, m->pid, m->start,
		 m->end);
	return open_here(path);
}

/* Open a path in the root directory of a process; symbolic links do not lead out of it. */
static int open_in_root(uint32_t pid, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	PIPA_AUTO(pipa_fd_close) int root = -1, fd = -1;
	char name[40];

	snprintf(name, sizeof(name), "/proc/%u/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS)
		fd = openat(root, path + 1, O_PATH | O_CLOEXEC);
	return open_regular(fd);
}

uint32_t pipa_mapped_files_parent(const struct pipa_mapped_files *files, uint32_t pid)
{
	const struct parent *slot = &files->parents[pid % PARENTS];

	return slot->pid == pid ? slot->parent : 0;
}

/* Return a descriptor if it is of the mapped file, else close it and return -1. */
static int check_fd(int fd, const struct pipa_file_mapping *m)
{
	if (fd < 0 || match_file(fd, m) != MATCH_NONE)
		return fd;
	close(fd);
	return -1;
}

static int open_by_process(const struct pipa_mapped_files *files, const struct pipa_file_mapping *m)
{
	uint32_t pid = m->pid;
	int fd = check_fd(open_mapping(m), m), i;

	for (i = 0; fd < 0 && pid > 0 && i <= ANCESTORS; i++) {
		fd = check_fd(open_in_root(pid, m->path), m);
		pid = pipa_mapped_files_parent(files, pid);
	}
	return fd;
}

static bool is_same_inode(int a, int b)
{
	struct stat x, y;

	return a >= 0 && b >= 0 && fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_ino == y.st_ino &&
	       x.st_dev == y.st_dev;
}

static void read_build_id(struct pipa_mapped_file *file, int fd)
{
	int len = pipa_build_id_of_file(fd, file->build_id);

	file->build_id_len = len > 0 ? (uint8_t)len : 0;
}

static void open_file(struct pipa_mapped_files *files, struct pipa_mapped_file *file,
		      const struct pipa_file_mapping *m)
{
	PIPA_AUTO(pipa_fd_close) int here = open_here(m->path);
	enum match match = here < 0 ? MATCH_NONE : match_file(here, m);

	int fd;

	file->tries++;
	if (match == MATCH_FILE) {
		file->state = PIPA_MAPPED_VERIFIED;
		read_build_id(file, here);
		return;
	}
	fd = open_by_process(files, m);
	if (fd < 0) {
		file->state = match == MATCH_INODE ? PIPA_MAPPED_UNVERIFIED :
			      here >= 0		   ? PIPA_MAPPED_OTHER_FILE :
						     PIPA_MAPPED_NOT_FOUND;
		return;
	}
	file->state = PIPA_MAPPED_VERIFIED;
	read_build_id(file, fd);
	/*
	 * a copy with the same build id is equivalent: a container's C library may be that of the
	 * host
	 */
	file->outside = !is_same_inode(here, fd) &&
			!(here >= 0 && file->build_id_len &&
			  has_build_id(here,
				       (struct pipa_span){ file->build_id, file->build_id_len }));
	file->dropped = file->outside && files->n_open >= files->max_open;
	if (file->outside && !file->dropped) {
		file->fd = fd;
		files->n_open++;
	} else {
		close(fd);
	}
}

/* ---- table of files -------------------------------------------------------------------------- */

static bool is_file(const struct pipa_file_mapping *m)
{
	return m->path[0] == '/' && m->path[1] != '/' && (m->file.inode || m->build_id.size) &&
	       m->build_id.size <= PIPA_MAPPED_ID_MAX && !pipa_str_starts(m->path, "/memfd:") &&
	       !pipa_str_starts(m->path, "/SYSV") && !pipa_str_starts(m->path, "/dev/") &&
	       !pipa_str_starts(m->path, "/anon_hugepage");
}

static bool is_wanted(const struct pipa_mapped_file *file, const char *path, struct pipa_span id,
		      const struct pipa_file_id *wanted)
{
	if (strcmp(file->path, path) != 0)
		return false;
	if (wanted && wanted->inode)
		return pipa_file_id_equal(&file->file, wanted);
	return id.size && file->build_id_len == id.size &&
	       memcmp(file->build_id, id.data, id.size) == 0;
}

static struct pipa_mapped_file *find_file(const struct pipa_mapped_files *files, uint64_t hash,
					  const char *path, struct pipa_span id,
					  const struct pipa_file_id *wanted)
{
	const struct pipa_index_slot *slot;

	for (slot = pipa_index_start(&files->by_path, hash); slot->id;
	     slot = pipa_index_after(&files->by_path, slot))
		if (slot->hash == (uint32_t)hash &&
		    is_wanted(&files->items[slot->id - 1], path, id, wanted))
			return &files->items[slot->id - 1];
	return NULL;
}

static uint64_t hash_path(const char *path)
{
	return pipa_hash_bytes(path, strlen(path), PIPA_HASH_SEED);
}

const struct pipa_mapped_file *pipa_mapped_files_find(const struct pipa_mapped_files *files,
						      const char *path, struct pipa_span build_id,
						      const struct pipa_file_id *file)
{
	return find_file(files, hash_path(path), path, build_id, file);
}

const struct pipa_mapped_file *pipa_mapped_files_of_path(const struct pipa_mapped_files *files,
							 const char *path)
{
	const uint64_t hash = hash_path(path);
	const struct pipa_index_slot *slot;

	for (slot = pipa_index_start(&files->by_path, hash); slot->id;
	     slot = pipa_index_after(&files->by_path, slot)) {
		const struct pipa_mapped_file *file = &files->items[slot->id - 1];

		if (slot->hash == (uint32_t)hash && file->build_id_len &&
		    strcmp(file->path, path) == 0)
			return file;
	}
	return NULL;
}

static struct pipa_mapped_file *add_file(struct pipa_mapped_files *files, uint64_t hash,
					 const struct pipa_file_mapping *m)
{
	struct pipa_mapped_file *file;
	char *path;

	if (files->n >= FILES_MAX)
		return NULL;
	path = strdup(m->path);
	file = path ? PIPA_VEC_ADD(files) : NULL;
	if (!file) {
		free(path);
		return NULL;
	}
	*file = (struct pipa_mapped_file){ .path = path, .file = m->file, .fd = -1 };
	if (m->build_id.size) {
		memcpy(file->build_id, m->build_id.data, m->build_id.size);
		file->build_id_len = (uint8_t)m->build_id.size;
	}
	if (pipa_index_add(&files->by_path, hash, (uint32_t)files->n - 1) < 0) {
		files->n--;
		free(path);
		return NULL;
	}
	return file;
}

const struct pipa_mapped_file *pipa_mapped_files_add(struct pipa_mapped_files *files,
						     const struct pipa_file_mapping *m)
{
	struct pipa_mapped_file *file;
	uint64_t hash;

	if (!is_file(m))
		return NULL;
	hash = hash_path(m->path);
	file = find_file(files, hash, m->path, m->build_id, &m->file);
	if (!file)
		file = add_file(files, hash, m);
	if (!file)
		return NULL;
	file->pid = m->pid;
	if (!file->file.generation)
		file->file.generation = m->file.generation;
	if (file->state != PIPA_MAPPED_VERIFIED && file->tries < TRIES_MAX)
		open_file(files, file, m);
	return file;
}
