#include "locate/bundle_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/file/file_map.h"
#include "base/vec.h"
#include "elf/elf.h"
#include "elf/identity.h"

struct member {
	const char *name;
	uint64_t offset, size;
	size_t turn; /* position in the archive */
};

struct pipa_bundle_files {
	int fd;
	const struct pipa_bytes *bytes; /* NULL: members are mapped from fd */
	struct pipa_arena names;
	struct {
		struct member *items;
		size_t n, cap;
	} members;
};

struct pipa_bundle_files *pipa_bundle_files_new(int fd)
{
	struct pipa_bundle_files *bundle = calloc(1, sizeof(*bundle));

	if (bundle)
		bundle->fd = fd;
	return bundle;
}

struct pipa_bundle_files *pipa_bundle_files_new_bytes(const struct pipa_bytes *bytes)
{
	struct pipa_bundle_files *bundle = pipa_bundle_files_new(-1);

	if (bundle)
		bundle->bytes = bytes;
	return bundle;
}

void pipa_bundle_files_free(struct pipa_bundle_files *bundle)
{
	if (!bundle)
		return;
	pipa_arena_done(&bundle->names);
	free(bundle->members.items);
	free(bundle);
}

int pipa_bundle_files_add(struct pipa_bundle_files *bundle, const char *name, uint64_t offset,
			  uint64_t size)
{
	const char *own = pipa_arena_text(&bundle->names, name, strlen(name));
	struct member *member = own ? PIPA_VEC_ADD(&bundle->members) : NULL;

	if (!member)
		return -ENOMEM;
	*member = (struct member){ own, offset, size, bundle->members.n };
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->turn < y->turn ? -1 : x->turn > y->turn;
}

void pipa_bundle_files_index(struct pipa_bundle_files *bundle)
{
	if (bundle->members.n)
		qsort(bundle->members.items, bundle->members.n, sizeof(*bundle->members.items),
		      by_name);
}

bool pipa_bundle_files_find(const struct pipa_bundle_files *bundle, const char *name,
			    uint64_t *ret_offset, uint64_t *ret_size)
{
	size_t low = 0, high = bundle->members.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(bundle->members.items[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == bundle->members.n || strcmp(bundle->members.items[low].name, name) != 0)
		return false;
	*ret_offset = bundle->members.items[low].offset;
	*ret_size = bundle->members.items[low].size;
	return true;
}

/* Read a member into anonymous memory. */
static bool read_member(const struct pipa_bytes *bytes, uint64_t offset, uint64_t size,
			struct pipa_span *ret)
{
	uint8_t *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	uint64_t done = 0;
	ssize_t n = 1;

	if (base == MAP_FAILED)
		return false;
	while (done < size && n > 0) {
		n = bytes->read(bytes->ctx, base + done, size - done, offset + done);
		if (n == -EINTR)
			n = 1;
		else if (n > 0)
			done += (uint64_t)n;
	}
	if (done < size) {
		munmap(base, size);
		return false;
	}
	*ret = (struct pipa_span){ base, (size_t)size };
	return true;
}

bool pipa_bundle_files_map(const struct pipa_bundle_files *bundle, const char *name,
			   struct pipa_span *ret)
{
	uint64_t offset, size;
	const uint8_t *data;

	if (!pipa_bundle_files_find(bundle, name, &offset, &size) || !size)
		return false;
	if (bundle->bytes)
		return read_member(bundle->bytes, offset, size, ret);
	data = pipa_file_map(bundle->fd, offset, (size_t)size, MAP_PRIVATE);
	if (!data)
		return false;
	*ret = (struct pipa_span){ data, (size_t)size };
	return true;
}

bool pipa_bundle_files_id_name(const char *directory, struct pipa_span id, const char *what,
			       char *ret, size_t size)
{
	char text[2 * PIPA_ELF_BUILD_ID_MAX + 2];
	size_t i, n;

	if (id.size < 2 || id.size > PIPA_ELF_BUILD_ID_MAX)
		return false;
	n = (size_t)snprintf(text, sizeof(text), "%02x/", id.data[0]);
	for (i = 1; i < id.size; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%02x", id.data[i]);
	return (size_t)snprintf(ret, size, "%s/.build-id/%s/%s", directory, text, what) < size;
}

bool pipa_bundle_files_file_name(const struct pipa_file_id *file, const char *path, char *ret,
				 size_t size)
{
	return (size_t)snprintf(ret, size, "file/%x:%x:%" PRIu64 "%s", file->major, file->minor,
				file->inode, path) < size;
}

bool pipa_bundle_files_link_name(const char *path, struct pipa_span image, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');
	struct pipa_elf_debuglink link;
	struct pipa_elf elf;

	if (!slash || pipa_elf_init(&elf, image, NULL) < 0 || !pipa_elf_debuglink(&elf, &link) ||
	    strchr(link.name, '/'))
		return false;
	return (size_t)snprintf(ret, size, PIPA_BUNDLE_ROOT "/usr/lib/debug%.*s/%s",
				(int)(slash - path), path, link.name) < size;
}
