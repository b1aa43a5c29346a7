#include "locate/kept_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/cursor.h"
#include "locate/bundle_files.h"

enum { INDEX_MAX = 16 << 20 };

static int read_at(const struct pipa_bytes *bytes, uint64_t at, uint8_t *ret, size_t len)
{
	while (len) {
		ssize_t n = bytes->read(bytes->ctx, ret, len, at);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? (int)n : -EBADMSG;
		ret += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int add_members(struct pipa_cursor *c, uint64_t n, uint64_t at, uint64_t end,
		       struct pipa_bundle_files *bundle)
{
	int rc = 0;

	while (!rc && n--) {
		uint64_t offset = pipa_get_u64(c), size = pipa_get_u64(c);
		const char *name = pipa_get_str(c);

		if (c->status || offset > end || size > end - offset)
			return -EBADMSG;
		rc = pipa_bundle_files_add(bundle, name, at + offset, size);
	}
	return rc;
}

int pipa_kept_files_open(const struct pipa_bytes *bytes, uint64_t at, uint64_t size, bool swapped,
			 struct pipa_bundle_files **ret)
{
	PIPA_AUTO(pipa_bundle_files_free) struct pipa_bundle_files *bundle = NULL;
	PIPA_AUTO(free) uint8_t *index = NULL;
	uint8_t trailer[PIPA_KEPT_TRAILER];
	struct pipa_cursor c = { trailer, trailer + PIPA_KEPT_TRAILER, swapped, 0 };
	uint64_t offset, n;
	int rc;

	if (size < PIPA_KEPT_TRAILER || size > bytes->size || at > bytes->size - size)
		return -EBADMSG;
	rc = read_at(bytes, at + size - PIPA_KEPT_TRAILER, trailer, PIPA_KEPT_TRAILER);
	if (rc < 0)
		return rc;
	offset = pipa_get_u64(&c);
	n = pipa_get_u64(&c);
	size -= PIPA_KEPT_TRAILER;
	if (memcmp(c.pos, PIPA_KEPT_MAGIC, PIPA_KEPT_MAGIC_SIZE) != 0 || offset > size ||
	    size - offset > INDEX_MAX || n > (size - offset) / 17)
		return -EBADMSG;
	index = malloc((size_t)(size - offset) + 1);
	bundle = pipa_bundle_files_new_bytes(bytes);
	if (!index || !bundle)
		return -ENOMEM;
	rc = read_at(bytes, at + offset, index, (size_t)(size - offset));
	c = (struct pipa_cursor){ index, index + (size - offset), swapped, 0 };
	if (!rc)
		rc = add_members(&c, n, at, offset, bundle);
	if (rc < 0)
		return rc;
	pipa_bundle_files_index(bundle);
	*ret = PIPA_TAKE(bundle);
	return 0;
}
