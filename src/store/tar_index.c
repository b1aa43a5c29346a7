#include "store/tar_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "codec/tar.h"
#include "locate/bundle_files.h"
#include "locate/files.h"
#include "store/collection.h"

/* Limit of members, so that a hostile archive cannot exhaust memory. */
enum { MAX_MEMBERS = 1 << 17, MAX_PARTS = 4096 };

/* A range of the archive. */
struct range {
	int fd;
	uint64_t offset, size;
};

struct pipa_tar_index {
	int fd;
	struct pipa_bundle_files *pack;
	struct {
		struct pipa_tar_entry *items;
		size_t n, cap;
	} entries;
	struct range *ranges;	  /* recording and its parts */
	struct pipa_bytes *bytes; /* of each range */
	size_t n;
	bool cut;
};

PIPA_DEFINE_AUTO(pipa_tar_index_close, struct pipa_tar_index *)

void pipa_tar_index_close(struct pipa_tar_index *archive)
{
	size_t i;

	if (!archive)
		return;
	for (i = 0; i < archive->entries.n; i++)
		free(archive->entries.items[i].name);
	free(archive->entries.items);
	pipa_bundle_files_free(archive->pack);
	free(archive->ranges);
	free(archive->bytes);
	free(archive);
}

const struct pipa_tar_entry *pipa_tar_index_entries(const struct pipa_tar_index *archive,
						    size_t *ret_n)
{
	*ret_n = archive->entries.n;
	return archive->entries.items;
}

const struct pipa_bytes *pipa_tar_index_recording(const struct pipa_tar_index *archive)
{
	return archive->n ? archive->bytes : NULL;
}

const struct pipa_bytes *pipa_tar_index_parts(const struct pipa_tar_index *archive, size_t *ret_n)
{
	*ret_n = archive->n > 1 ? archive->n - 1 : 0;
	return *ret_n ? archive->bytes + 1 : NULL;
}

const struct pipa_bundle_files *pipa_tar_index_files(const struct pipa_tar_index *archive)
{
	return archive->pack;
}

bool pipa_tar_index_is_truncated(const struct pipa_tar_index *archive)
{
	return archive->cut;
}

static ssize_t read_range(void *ctx, void *buf, size_t size, uint64_t offset)
{
	const struct range *s = ctx;
	ssize_t n;

	if (offset >= s->size)
		return 0;
	if (size > s->size - offset)
		size = (size_t)(s->size - offset);
	n = pread(s->fd, buf, size, (off_t)(s->offset + offset));
	return n < 0 ? -errno : n;
}

/* Is it the recording of a collection: "attach_session/perf.data", "attach_session_1/perf.data"? */
static bool is_of_session(const char *member)
{
	const char *slash = strchr(member, '/');

	return slash && strncmp(member, PIPA_SESSION_DIR, strlen(PIPA_SESSION_DIR)) == 0 &&
	       strcmp(slash + 1, PIPA_BUNDLE_RECORDING) == 0;
}

static bool is_recording(const char *member)
{
	return strncmp(member, PIPA_BUNDLE_RECORDING, strlen(PIPA_BUNDLE_RECORDING)) == 0 ||
	       is_of_session(member);
}

static const char *own_name(const char *name)
{
	return strncmp(name, "./", 2) == 0 ? name + 2 : name;
}

static int add_entry(struct pipa_tar_index *a, const struct pipa_tar_member *member,
		     uint64_t offset)
{
	struct pipa_tar_entry *entry = PIPA_VEC_ADD(&a->entries);

	if (!entry)
		return -ENOMEM;
	*entry = (struct pipa_tar_entry){ strdup(member->name), offset, member->len };
	return entry->name ? 0 : -ENOMEM;
}

/*
 * Index all members. A truncated one is added to the files of the bundle only if it is a recording.
 */
static int index_members(struct pipa_tar_index *a, struct pipa_span whole, const char *name,
			 struct pipa_error *err)
{
	struct pipa_tar tar = { whole.data, whole.data + whole.size, false };
	struct pipa_tar_member *member = malloc(sizeof(*member));
	int rc = member ? 0 : -ENOMEM;

	while (!rc && pipa_tar_next(&tar, member)) {
		const char *own = own_name(member->name);
		uint64_t offset = (uint64_t)((const uint8_t *)member->bytes - whole.data);

		if (a->entries.n == MAX_MEMBERS)
			rc = pipa_refuse(err, -EFBIG, "%s has more than %d members", name,
					 MAX_MEMBERS);
		else
			rc = add_entry(a, member, offset);
		if (!rc && (!tar.damaged || is_recording(own)))
			rc = pipa_bundle_files_add(a->pack, own, offset, member->len);
	}
	a->cut = tar.damaged;
	free(member);
	return rc;
}

static bool add_range(struct pipa_tar_index *a, const char *name)
{
	struct range *s = &a->ranges[a->n];

	s->fd = a->fd;
	if (!pipa_bundle_files_find(a->pack, name, &s->offset, &s->size))
		return false;
	a->bytes[a->n++] = (struct pipa_bytes){ .read = read_range, .ctx = s, .size = s->size };
	return true;
}

/* Find the recording: "perf.data", or "perf.data/data" and "perf.data/data.0" and so on. */
static int find_recording(struct pipa_tar_index *a)
{
	char name[64];
	size_t i;

	a->ranges = calloc(MAX_PARTS + 1, sizeof(*a->ranges));
	a->bytes = calloc(MAX_PARTS + 1, sizeof(*a->bytes));
	if (!a->ranges || !a->bytes)
		return -ENOMEM;
	if (add_range(a, PIPA_BUNDLE_RECORDING))
		return 0;
	for (i = 0; i < a->entries.n; i++)
		if (is_of_session(own_name(a->entries.items[i].name)) &&
		    add_range(a, own_name(a->entries.items[i].name)))
			return 0;
	if (!add_range(a, PIPA_BUNDLE_RECORDING "/data"))
		return 0;
	for (i = 0; i < MAX_PARTS; i++) {
		snprintf(name, sizeof(name), PIPA_BUNDLE_RECORDING "/data.%zu", i);
		if (!add_range(a, name))
			break;
	}
	return 0;
}

int pipa_tar_index_open(int fd, const char *name, struct pipa_tar_index **ret,
			struct pipa_error *err)
{
	PIPA_AUTO(pipa_tar_index_close) struct pipa_tar_index *a = calloc(1, sizeof(*a));
	struct pipa_error own = { 0 };
	struct pipa_span whole;
	int rc = 0;

	err = err ? err : &own;
	if (!a || !(a->pack = pipa_bundle_files_new(fd)))
		return pipa_fail(err, -ENOMEM, "open %s", name);
	a->fd = fd;
	if (!pipa_locate_map_fd(fd, &whole)) /* only its headers are touched */
		return pipa_fail(err, -errno, "map %s", name);
	rc = index_members(a, whole, name, err);
	pipa_locate_unmap(&whole);
	if (!rc) {
		pipa_bundle_files_index(a->pack);
		rc = find_recording(a);
	}
	if (rc < 0)
		return err->code ? rc : pipa_fail(err, rc, "open %s", name);
	*ret = PIPA_TAKE(a);
	return 0;
}
