#include "base/large.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 }; /* the large page of all three architectures, with small ones of 4 KiB */

void *pipa_large_alloc(size_t size)
{
	size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	void *memory;

	if (size < PAGE)
		return malloc(size ? size : 1);
	if (whole < size || posix_memalign(&memory, PAGE, whole))
		return NULL;
	madvise(memory, whole, MADV_HUGEPAGE); /* without it, it is as slow as before */
	return memory;
}
