/* The bytes of libpipa-heap.so in the program. */
#include <elf.h>
#include <string.h>

#include "lib/test.h"
#include "preload/library.h"
#include "preload/machine.h"

TEST(the_whole_library_for_this_architecture_is_in_the_program)
{
	struct pipa_span image = pipa_heap_library();
	Elf64_Ehdr head;

	CHECK(image.size > sizeof(head));
	memcpy(&head, image.data, sizeof(head));
	CHECK_EQ(memcmp(head.e_ident, ELFMAG, SELFMAG), 0);
	CHECK_EQ(head.e_type, ET_DYN);
	CHECK_EQ(head.e_machine, PIPA_HEAP_MACHINE);
	/* the section headers are the last thing in the file */
	CHECK_EQ(image.size, head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize);
}
