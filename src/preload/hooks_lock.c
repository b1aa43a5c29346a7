/* Hook of mlockall: the shared file, which is sparse, is neither locked nor filled with pages. */
#include <stdint.h>
#include <sys/mman.h>

#include "preload/hooks.h"
#include "preload/maps.h"
#include "preload/process.h"
#include "preload/real.h"
#include "preload/sys.h"

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

PIPA_EXPORT int mlockall(int flags);

struct locking {
	bool on_fault, failed;
};

/* As the kernel: memory that cannot be read is locked, but has no pages, which is not an error. */
static bool lock_mapping(void *ctx, const struct pipa_heap_mapping *mapping)
{
	struct locking *locking = ctx;
	uint64_t file = (uint64_t)pipa_heap_process.file, size = mapping->end - mapping->start;
	long got;

	if (mapping->start > INT64_MAX || /* the kernel's own */
	    (mapping->start >= file && mapping->start < file + pipa_heap_process.file_size))
		return true;
	got = locking->on_fault ? PIPA_SYS3(mlock2, mapping->start, size, MLOCK_ONFAULT) :
				  PIPA_SYS2(mlock, mapping->start, size);
	locking->failed = got < 0 && mapping->readable;
	return !locking->failed;
}

/* Lock each mapping, because the kernel compares all that is mapped, with the file, with RLIMIT_MEMLOCK. */
int mlockall(int flags)
{
	struct locking locking = { .on_fault = flags & MCL_ONFAULT };

	if (!(flags & MCL_CURRENT) || flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) ||
	    __atomic_load_n(&pipa_heap_process.mode, __ATOMIC_ACQUIRE) != PIPA_HEAP_ACTIVE)
		return pipa_heap_real.mlockall(flags);
	if (!pipa_heap_maps_each(lock_mapping, &locking) || locking.failed)
		return pipa_heap_real.mlockall(flags);
	return flags & MCL_FUTURE ? pipa_heap_real.mlockall(flags & ~MCL_CURRENT) : 0;
}
