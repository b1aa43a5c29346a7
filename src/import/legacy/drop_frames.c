#include "import/legacy/drop_frames.h"

#include <stdbool.h>
#include <string.h>

#include "base/auto.h"

/* Functions of allocators, and those of the Go runtime except for the ones that are among a program's callers. */
static const struct pipa_drop_frames heap_frames = {
	"calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|"
	"realloc|tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|"
	"tc_posix_memalign|tc_pvalloc|tc_valloc|tc_realloc|tc_new|tc_delete|tc_newarray|"
	"tc_deletearray|tc_new_nothrow|tc_newarray_nothrow|malloc_zone_malloc|"
	"malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|malloc_zone_memalign|"
	"malloc_zone_free|runtime\\..*|BaseArena::.*|(::)?do_malloc_no_errno|"
	"(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|"
	"MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|"
	"__builtin_(vec_)?new|__gnu_cxx::new_allocator::allocate|__libc_malloc|"
	"__malloc_alloc_template::allocate|allocate|cpp_alloc|operator new(\\[\\])?|"
	"simple_alloc::allocate",
	"runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*",
};

/* Functions that release a lock, and those that record it. */
static const struct pipa_drop_frames lock_frames = {
	"RecordLockProfileData|(base::)?RecordLockProfileData.*|"
	"(base::)?SubmitMutexProfileData.*|(base::)?SubmitSpinLockProfileData.*|"
	"(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|"
	"(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|"
	"(base::MutexLock::)?~MutexLock.*|(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|"
	"(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|(MutexLock::)?~MutexLock.*|"
	"(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
	"(SpinLockHolder::)?~SpinLockHolder.*",
	"",
};

/* Signal handlers of the profiler. */
static const struct pipa_drop_frames cpu_frames = {
	"ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|"
	"__pthread_sighandler|__restore",
	"",
};

static const struct {
	const char *columns[5]; /* up to NULL */
	const struct pipa_drop_frames *frames;
} kinds[] = {
	{ { "allocations", "size" }, &heap_frames },
	{ { "objects", "space" }, &heap_frames },
	{ { "inuse_objects", "inuse_space" }, &heap_frames },
	{ { "alloc_objects", "alloc_space" }, &heap_frames },
	{ { "alloc_objects", "alloc_space", "inuse_objects", "inuse_space" }, &heap_frames },
	{ { "contentions", "delay" }, &lock_frames },
};

const struct pipa_drop_frames *pipa_drop_frames_of(const char *const *columns, size_t n)
{
	size_t i, k;

	for (i = 0; i < PIPA_COUNT(kinds); i++) {
		for (k = 0; k < n && kinds[i].columns[k]; k++)
			if (strcmp(kinds[i].columns[k], columns[k]) != 0)
				break;
		if (k == n && !kinds[i].columns[k])
			return kinds[i].frames;
	}
	return &cpu_frames;
}
