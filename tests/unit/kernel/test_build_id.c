#include "kernel/machine/build_id.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/test.h"

static const uint8_t notes[] = {
	4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0,   0,	'G', 'N', 'U',	0,    1,    2, 3, 4, 4, 0,
	0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,	  0xab, 0xcd, 0xef, 1, 2, 0, 0, 0,
};

TEST(the_build_id_is_found_after_other_notes)
{
	uint8_t id[PIPA_BUILD_ID_BYTES];

	CHECK_EQ(pipa_build_id_of_notes(notes, sizeof(notes), id), 5);
	CHECK_EQ(id[0], 0xab);
	CHECK_EQ(id[4], 2);
	CHECK_EQ(id[5], 0);
}

TEST(notes_that_end_early_have_none)
{
	uint8_t id[PIPA_BUILD_ID_BYTES];
	size_t len;

	for (len = 0; len + 3 < sizeof(notes); len++)
		CHECK_EQ(pipa_build_id_of_notes(notes, len, id), -ENOENT);
}

TEST(files_other_than_elf_have_no_build_id)
{
	uint8_t id[PIPA_BUILD_ID_BYTES];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(pipa_build_id_of_file(fd, id), -ENOEXEC);
	close(fd);
}
