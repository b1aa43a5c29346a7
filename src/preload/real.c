#include "preload/real.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/hooks.h"
#include "preload/jumps.h"
#include "preload/symbols.h"

bool pipa_heap_real_cxx;

static uint64_t allocator_start, allocator_end;

/* Each is called once at most, but for free: pipa_heap_real_find() replaces it. */
#define PIPA_FIND(type, name, parameters, arguments)                                               \
	static type find_##name parameters                                                         \
	{                                                                                          \
		pipa_heap_real_find();                                                             \
		return pipa_heap_real.name arguments;                                              \
	}
#define PIPA_FIND_NEW(name, parameters, arguments)                                                 \
	static void *find_##name parameters                                                        \
	{                                                                                          \
		pipa_heap_real_find_operators();                                                   \
		return pipa_heap_real.name arguments;                                              \
	}
#define PIPA_FIND_DELETE(name, parameters, arguments)                                              \
	static void find_##name parameters                                                         \
	{                                                                                          \
		pipa_heap_real_find_operators();                                                   \
		pipa_heap_real.name arguments;                                                     \
	}
#define PIPA_FIND_VOID(name, parameters, arguments)                                                \
	static void find_##name parameters                                                         \
	{                                                                                          \
		pipa_heap_real_find();                                                             \
		pipa_heap_real.name arguments;                                                     \
	}

PIPA_FIND(void *, malloc, (size_t size), (size))
PIPA_FIND(void *, calloc, (size_t n, size_t size), (n, size))
PIPA_FIND(void *, realloc, (void *block, size_t size), (block, size))
PIPA_FIND(void *, reallocarray, (void *block, size_t n, size_t size), (block, n, size))
PIPA_FIND_VOID(free, (void *block), (block))
PIPA_FIND_VOID(cfree, (void *block), (block))
PIPA_FIND_VOID(free_sized, (void *block, size_t size), (block, size))
PIPA_FIND_VOID(free_aligned_sized, (void *block, size_t align, size_t size), (block, align, size))
PIPA_FIND(int, posix_memalign, (void **ret, size_t align, size_t size), (ret, align, size))
PIPA_FIND(void *, memalign, (size_t align, size_t size), (align, size))
PIPA_FIND(void *, aligned_alloc, (size_t align, size_t size), (align, size))
PIPA_FIND(void *, valloc, (size_t size), (size))
PIPA_FIND(void *, pvalloc, (size_t size), (size))
PIPA_FIND_NEW(new, (size_t size), (size))
PIPA_FIND_NEW(new_array, (size_t size), (size))
PIPA_FIND_NEW(new_nothrow, (size_t size, const void *tag), (size, tag))
PIPA_FIND_NEW(new_array_nothrow, (size_t size, const void *tag), (size, tag))
PIPA_FIND_NEW(new_aligned, (size_t size, size_t align), (size, align))
PIPA_FIND_NEW(new_array_aligned, (size_t size, size_t align), (size, align))
PIPA_FIND_NEW(new_aligned_nothrow, (size_t size, size_t align, const void *tag), (size, align, tag))
PIPA_FIND_NEW(new_array_aligned_nothrow, (size_t size, size_t align, const void *tag),
	      (size, align, tag))
PIPA_FIND_DELETE(delete, (void *block), (block))
PIPA_FIND_DELETE(delete_array, (void *block), (block))
PIPA_FIND_DELETE(delete_nothrow, (void *block, const void *tag), (block, tag))
PIPA_FIND_DELETE(delete_array_nothrow, (void *block, const void *tag), (block, tag))
PIPA_FIND_DELETE(delete_sized, (void *block, size_t size), (block, size))
PIPA_FIND_DELETE(delete_array_sized, (void *block, size_t size), (block, size))
PIPA_FIND_DELETE(delete_aligned, (void *block, size_t align), (block, align))
PIPA_FIND_DELETE(delete_array_aligned, (void *block, size_t align), (block, align))
PIPA_FIND_DELETE(delete_sized_aligned, (void *block, size_t size, size_t align),
		 (block, size, align))
PIPA_FIND_DELETE(delete_array_sized_aligned, (void *block, size_t size, size_t align),
		 (block, size, align))
PIPA_FIND_DELETE(delete_aligned_nothrow, (void *block, size_t align, const void *tag),
		 (block, align, tag))
PIPA_FIND_DELETE(delete_array_aligned_nothrow, (void *block, size_t align, const void *tag),
		 (block, align, tag))
PIPA_FIND(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
	  (at, size, protection, flags, fd, offset))
PIPA_FIND(int, munmap, (void *at, size_t size), (at, size))
PIPA_FIND(int, brk, (void *end), (end))
PIPA_FIND(void *, sbrk, (intptr_t change), (change))
PIPA_FIND(pid_t, fork, (void), ())
PIPA_FIND(int, dlclose, (void *handle), (handle))
PIPA_FIND(int, mlockall, (int flags), (flags))
PIPA_FIND(int, dl_iterate_phdr, (int (*each)(struct dl_phdr_info *, size_t, void *), void *ctx),
	  (each, ctx))
PIPA_FIND(int, execve, (const char *path, char *const argv[], char *const envp[]),
	  (path, argv, envp))
PIPA_FIND(int, execvpe, (const char *path, char *const argv[], char *const envp[]),
	  (path, argv, envp))
PIPA_FIND(int, posix_spawn,
	  (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
	   const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
	  (pid, path, actions, attr, argv, envp))
PIPA_FIND(int, posix_spawnp,
	  (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
	   const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
	  (pid, path, actions, attr, argv, envp))

static void *find_mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	va_list rest;
	void *to;

	va_start(rest, flags);
	to = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
	va_end(rest);
	pipa_heap_real_find();
	return pipa_heap_real.mremap(at, size, new_size, flags, to);
}

static int find_prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list rest;

	va_start(rest, option);
	a = va_arg(rest, unsigned long);
	b = va_arg(rest, unsigned long);
	c = va_arg(rest, unsigned long);
	d = va_arg(rest, unsigned long);
	va_end(rest);
	pipa_heap_real_find();
	return pipa_heap_real.prctl(option, a, b, c, d);
}

#define PIPA_FIRST(name) .name = find_##name

struct pipa_heap_real pipa_heap_real = {
	PIPA_FIRST(malloc),
	PIPA_FIRST(calloc),
	PIPA_FIRST(realloc),
	PIPA_FIRST(reallocarray),
	PIPA_FIRST(free),
	PIPA_FIRST(cfree),
	PIPA_FIRST(free_sized),
	PIPA_FIRST(free_aligned_sized),
	PIPA_FIRST(posix_memalign),
	PIPA_FIRST(memalign),
	PIPA_FIRST(aligned_alloc),
	PIPA_FIRST(valloc),
	PIPA_FIRST(pvalloc),
	PIPA_FIRST(new),
	PIPA_FIRST(new_array),
	PIPA_FIRST(new_nothrow),
	PIPA_FIRST(new_array_nothrow),
	PIPA_FIRST(new_aligned),
	PIPA_FIRST(new_array_aligned),
	PIPA_FIRST(new_aligned_nothrow),
	PIPA_FIRST(new_array_aligned_nothrow),
	PIPA_FIRST(delete),
	PIPA_FIRST(delete_array),
	PIPA_FIRST(delete_nothrow),
	PIPA_FIRST(delete_array_nothrow),
	PIPA_FIRST(delete_sized),
	PIPA_FIRST(delete_array_sized),
	PIPA_FIRST(delete_aligned),
	PIPA_FIRST(delete_array_aligned),
	PIPA_FIRST(delete_sized_aligned),
	PIPA_FIRST(delete_array_sized_aligned),
	PIPA_FIRST(delete_aligned_nothrow),
	PIPA_FIRST(delete_array_aligned_nothrow),
	PIPA_FIRST(mmap),
	PIPA_FIRST(munmap),
	PIPA_FIRST(mremap),
	PIPA_FIRST(brk),
	PIPA_FIRST(sbrk),
	PIPA_FIRST(fork),
	PIPA_FIRST(dlclose),
	PIPA_FIRST(dl_iterate_phdr),
	PIPA_FIRST(prctl),
	PIPA_FIRST(mlockall),
	PIPA_FIRST(execve),
	PIPA_FIRST(execvpe),
	PIPA_FIRST(posix_spawn),
	PIPA_FIRST(posix_spawnp),
};

/* ---- what to do where no object has the function --------------------------------------------------------- */

/* Return the product, or a size that no allocator grants. */
static size_t product(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

static void *array_without(void *block, size_t n, size_t size)
{
	return pipa_heap_real.realloc(block, product(n, size));
}

static void *aligned_without(size_t align, size_t size)
{
	void *block;

	return pipa_heap_real.posix_memalign(&block, align, size) ? NULL : block;
}

static void free_sized_without(void *block, size_t size)
{
	(void)size;
	pipa_heap_real.free(block);
}

static void free_aligned_without(void *block, size_t align, size_t size)
{
	(void)align;
	(void)size;
	pipa_heap_real.free(block);
}

static int iterate_nothing(int (*each)(struct dl_phdr_info *, size_t, void *), void *ctx)
{
	(void)each;
	(void)ctx;
	return 0;
}

static __attribute__((noreturn)) void missing_function(void)
{
	__builtin_trap();
}

static void *new_without(size_t size)
{
	void *block = malloc(size ? size : 1);

	if (!block)
		missing_function(); /* there is no C++ runtime that could throw */
	return block;
}

static void *new_aligned_without(size_t size, size_t align)
{
	void *block = aligned_without(align, size);

	if (!block)
		missing_function();
	return block;
}

/*
 * The first are C++ operators. A C++ runtime may be loaded later with dlopen(3), so they are looked up
 * again when they are called.
 */
enum { N_NEW = 8, N_CXX = 20 };

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define PIPA_AT(symbol, member)                                                                    \
	{                                                                                          \
		symbol, offsetof(struct pipa_heap_real, member)                                    \
	}
	PIPA_AT("_Znwm", new),
	PIPA_AT("_Znam", new_array),
	PIPA_AT("_ZnwmRKSt9nothrow_t", new_nothrow),
	PIPA_AT("_ZnamRKSt9nothrow_t", new_array_nothrow),
	PIPA_AT("_ZnwmSt11align_val_t", new_aligned),
	PIPA_AT("_ZnamSt11align_val_t", new_array_aligned),
	PIPA_AT("_ZnwmSt11align_val_tRKSt9nothrow_t", new_aligned_nothrow),
	PIPA_AT("_ZnamSt11align_val_tRKSt9nothrow_t", new_array_aligned_nothrow),
	PIPA_AT("_ZdlPv", delete),
	PIPA_AT("_ZdaPv", delete_array),
	PIPA_AT("_ZdlPvRKSt9nothrow_t", delete_nothrow),
	PIPA_AT("_ZdaPvRKSt9nothrow_t", delete_array_nothrow),
	PIPA_AT("_ZdlPvm", delete_sized),
	PIPA_AT("_ZdaPvm", delete_array_sized),
	PIPA_AT("_ZdlPvSt11align_val_t", delete_aligned),
	PIPA_AT("_ZdaPvSt11align_val_t", delete_array_aligned),
	PIPA_AT("_ZdlPvmSt11align_val_t", delete_sized_aligned),
	PIPA_AT("_ZdaPvmSt11align_val_t", delete_array_sized_aligned),
	PIPA_AT("_ZdlPvSt11align_val_tRKSt9nothrow_t", delete_aligned_nothrow),
	PIPA_AT("_ZdaPvSt11align_val_tRKSt9nothrow_t", delete_array_aligned_nothrow),
	PIPA_AT("malloc", malloc),
	PIPA_AT("calloc", calloc),
	PIPA_AT("realloc", realloc),
	PIPA_AT("reallocarray", reallocarray),
	PIPA_AT("free", free),
	PIPA_AT("cfree", cfree),
	PIPA_AT("free_sized", free_sized),
	PIPA_AT("free_aligned_sized", free_aligned_sized),
	PIPA_AT("posix_memalign", posix_memalign),
	PIPA_AT("memalign", memalign),
	PIPA_AT("aligned_alloc", aligned_alloc),
	PIPA_AT("valloc", valloc),
	PIPA_AT("pvalloc", pvalloc),
	PIPA_AT("mmap", mmap),
	PIPA_AT("munmap", munmap),
	PIPA_AT("mremap", mremap),
	PIPA_AT("brk", brk),
	PIPA_AT("sbrk", sbrk),
	PIPA_AT("fork", fork),
	PIPA_AT("dlclose", dlclose),
	PIPA_AT("dl_iterate_phdr", dl_iterate_phdr),
	PIPA_AT("prctl", prctl),
	PIPA_AT("mlockall", mlockall),
	PIPA_AT("execve", execve),
	PIPA_AT("execvpe", execvpe),
	PIPA_AT("posix_spawn", posix_spawn),
	PIPA_AT("posix_spawnp", posix_spawnp),
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static void *substitute_operator(size_t i)
{
	if (i >= N_NEW)
		return (void *)free;
	return i >= N_NEW / 2 ? (void *)new_aligned_without : (void *)new_without;
}

/* Return the substitute of a function that the program's libc does not have. */
static void *substitute(size_t at)
{
	switch (at) {
	case offsetof(struct pipa_heap_real, reallocarray): return (void *)array_without;
	case offsetof(struct pipa_heap_real, cfree): return (void *)pipa_heap_real.free;
	case offsetof(struct pipa_heap_real, free_sized): return (void *)free_sized_without;
	case offsetof(struct pipa_heap_real, free_aligned_sized):
		return (void *)free_aligned_without;
	case offsetof(struct pipa_heap_real, aligned_alloc):
	case offsetof(struct pipa_heap_real, memalign): return (void *)aligned_without;
	case offsetof(struct pipa_heap_real, dl_iterate_phdr): return (void *)iterate_nothing;
	default: return (void *)missing_function;
	}
}

static void find_functions(bool final)
{
	const void *allocator = NULL, *operators = NULL, **ret;
	void **pointer, *found;
	size_t i;

	for (i = N_FUNCTIONS; i-- > 0;) {
		pointer = (void **)((char *)&pipa_heap_real + functions[i].at);
		ret = functions[i].at == offsetof(struct pipa_heap_real, malloc) ? &allocator :
		      functions[i].at == offsetof(struct pipa_heap_real, new)	 ? &operators :
										   NULL;
		found = pipa_heap_symbol_next(functions[i].name, ret);
		if (found)
			*pointer = found;
		else if (i >= N_CXX)
			*pointer = substitute(functions[i].at);
		else if (final)
			*pointer = substitute_operator(i);
	}
	pipa_heap_real_cxx = operators && operators == allocator;
	if (allocator)
		pipa_heap_symbol_extent(allocator, &allocator_start, &allocator_end);
}

bool pipa_heap_real_is_allocator(const void *address)
{
	return (uint64_t)address >= allocator_start && (uint64_t)address < allocator_end;
}

static uint32_t is_bound; /* riscv64 exchanges bytes only with libatomic */

void pipa_heap_real_find(void)
{
	find_functions(false);
	if (!__atomic_exchange_n(&is_bound, 1, __ATOMIC_RELAXED))
		pipa_heap_jumps_bind();
}

void pipa_heap_real_load(void)
{
	if (!__atomic_load_n(&is_bound, __ATOMIC_RELAXED))
		pipa_heap_real_find();
}

void pipa_heap_real_find_operators(void)
{
	find_functions(true);
}
