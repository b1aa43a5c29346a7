/*
 * The functions that the hooks replace, of the next object that defines them. Each pointer is at first
 * that of a function that looks all of them up, so they can be called at any time.
 */
#ifndef PIPA_PRELOAD_REAL_H
#define PIPA_PRELOAD_REAL_H

#include <link.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pipa_heap_real {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void (*free)(void *);
	void (*cfree)(void *);
	void (*free_sized)(void *, size_t);
	void (*free_aligned_sized)(void *, size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	/* operator new and delete; see pipa_heap_real_cxx */
	void *(*new)(size_t);
	void *(*new_array)(size_t);
	void *(*new_nothrow)(size_t, const void *);
	void *(*new_array_nothrow)(size_t, const void *);
	void *(*new_aligned)(size_t, size_t);
	void *(*new_array_aligned)(size_t, size_t);
	void *(*new_aligned_nothrow)(size_t, size_t, const void *);
	void *(*new_array_aligned_nothrow)(size_t, size_t, const void *);
	void (*delete)(void *);
	void (*delete_array)(void *);
	void (*delete_nothrow)(void *, const void *);
	void (*delete_array_nothrow)(void *, const void *);
	void (*delete_sized)(void *, size_t);
	void (*delete_array_sized)(void *, size_t);
	void (*delete_aligned)(void *, size_t);
	void (*delete_array_aligned)(void *, size_t);
	void (*delete_sized_aligned)(void *, size_t, size_t);
	void (*delete_array_sized_aligned)(void *, size_t, size_t);
	void (*delete_aligned_nothrow)(void *, size_t, const void *);
	void (*delete_array_aligned_nothrow)(void *, size_t, const void *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
	int (*brk)(void *);
	void *(*sbrk)(intptr_t);
	pid_t (*fork)(void);
	int (*dlclose)(void *);
	int (*dl_iterate_phdr)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	int (*prctl)(int, ...);
	int (*mlockall)(int);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
};

extern struct pipa_heap_real pipa_heap_real __attribute__((visibility("hidden")));

/*
 * Do operators new and delete allocate on their own (jemalloc's, tcmalloc's, mimalloc's)? Those of
 * libstdc++ and libc++ call malloc and free, where their allocations are seen.
 */
extern bool pipa_heap_real_cxx __attribute__((visibility("hidden")));

/* Look up all functions; C++ operators that no object has yet are looked up again when they are called. */
void pipa_heap_real_find(void);

/* Look them up unless a hook has been called before, while there is one thread: jumps.h. */
void pipa_heap_real_load(void);

/* Is the address in the object that malloc is in? The memory that an allocator maps is not counted twice. */
bool pipa_heap_real_is_allocator(const void *address);

/* Look them up again when an operator is called: one that no object defines is replaced by malloc or free. */
void pipa_heap_real_find_operators(void);

#endif
