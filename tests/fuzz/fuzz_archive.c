/*
 * The archive of an earlier measurement, as a file of any bytes: its members lie within the decompressed bytes and
 * each can be found and read by its name; a recording in it can be opened or is refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "fuzz.h"
#include "store/archive.h"
#include "store/input.h"

static void read_members(const struct pipa_archive *archive)
{
	const struct pipa_archive_member *m;
	size_t i, total = 0;

	for (i = 0; (m = pipa_archive_member(archive, i)); i++) {
		const char *base = strrchr(m->name, '/');
		struct pipa_buf bytes = { .max = 1 << 22 };
		size_t index = 0;

		base = base ? base + 1 : m->name;
		MUST(!m->path);
		if (*base)
			MUST(pipa_archive_find(archive, base, &index) && index <= i + 1);
		if (*base && pipa_archive_read(archive, base, &bytes, NULL) == 0)
			total += bytes.len;
		pipa_buf_done(&bytes);
		if (total > 1 << 24)
			break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);
	struct pipa_archive *archive = NULL;
	struct pipa_input *input = NULL;
	struct pipa_error err = { 0 };
	char path[32];

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pipa_archive_open(path, &archive, &err) == 0) {
		if (pipa_archive_kind(archive) == PIPA_ARCHIVE_TAR) {
			read_members(archive);
			if (pipa_archive_open_recording(archive, &input, NULL) == 0)
				pipa_input_close(input);
		} else {
			MUST(pipa_archive_kind(archive) == PIPA_ARCHIVE_FILE);
		}
		pipa_archive_close(archive);
	} else {
		MUST(*err.what);
	}
	close(fd);
	return 0;
}
