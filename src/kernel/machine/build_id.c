#include "kernel/machine/build_id.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MAX_HEADERS = 64, MAX_NOTES = 4096 };

/*
 *	u32 name's size | u32 content's size | u32 type | name, padded to 4 | content, padded to 4
 */
int pipa_build_id_of_notes(const uint8_t *notes, size_t len, uint8_t ret[PIPA_BUILD_ID_BYTES])
{
	Elf64_Nhdr note;

	while (len >= sizeof(note)) {
		size_t name, content;

		memcpy(&note, notes, sizeof(note));
		notes += sizeof(note);
		len -= sizeof(note);
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		content = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > len || content > len - name)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(notes, "GNU", 4) == 0 && note.n_descsz &&
		    note.n_descsz <= PIPA_BUILD_ID_BYTES) {
			memset(ret, 0, PIPA_BUILD_ID_BYTES);
			memcpy(ret, notes + name, note.n_descsz);
			return (int)note.n_descsz;
		}
		notes += name + content;
		len -= name + content;
	}
	return -ENOENT;
}

static int read_notes(int fd, uint64_t offset, uint64_t size, uint8_t ret[PIPA_BUILD_ID_BYTES])
{
	uint8_t notes[MAX_NOTES];
	ssize_t n = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), (off_t)offset);

	return n < 0 ? -errno : pipa_build_id_of_notes(notes, (size_t)n, ret);
}

/* Both classes differ only in the size of their fields. */
#define SCAN(bits)                                                                                 \
	static int scan_##bits(int fd, const uint8_t *head, uint8_t ret[PIPA_BUILD_ID_BYTES])      \
	{                                                                                          \
		Elf##bits##_Phdr segments[MAX_HEADERS];                                            \
		Elf##bits##_Ehdr elf;                                                              \
		size_t n, i;                                                                       \
		ssize_t got;                                                                       \
		int rc = -ENOENT;                                                                  \
                                                                                                   \
		memcpy(&elf, head, sizeof(elf));                                                   \
		if (elf.e_phentsize != sizeof(segments[0]))                                        \
			return -ENOEXEC;                                                           \
		n = elf.e_phnum < MAX_HEADERS ? elf.e_phnum : MAX_HEADERS;                         \
		got = pread(fd, segments, n * sizeof(segments[0]), (off_t)elf.e_phoff);            \
		if (got < 0)                                                                       \
			return -errno;                                                             \
		n = (size_t)got / sizeof(segments[0]);                                             \
		for (i = 0; i < n && rc < 0; i++)                                                  \
			if (segments[i].p_type == PT_NOTE)                                         \
				rc = read_notes(fd, segments[i].p_offset, segments[i].p_filesz,    \
						ret);                                              \
		return rc;                                                                         \
	}

SCAN(32)
SCAN(64)

int pipa_build_id_of_file(int fd, uint8_t ret[PIPA_BUILD_ID_BYTES])
{
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	uint8_t head[sizeof(Elf64_Ehdr)];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
	    head[EI_DATA] != order)
		return -ENOEXEC;
	return head[EI_CLASS] == ELFCLASS32 ? scan_32(fd, head, ret) :
	       head[EI_CLASS] == ELFCLASS64 ? scan_64(fd, head, ret) :
					      -ENOEXEC;
}
