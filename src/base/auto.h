/* Locals with automatic cleanup, and macros that every layer needs. */
#ifndef PIPA_BASE_AUTO_H
#define PIPA_BASE_AUTO_H

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* PIPA_AUTO(fn) frees the local with fn() when it leaves scope; PIPA_TAKE() moves it out first. */
#define PIPA_AUTO(fn) __attribute__((cleanup(fn##_auto)))
#define PIPA_DEFINE_AUTO(fn, type)                                                                 \
	static inline void fn##_auto(type *p)                                                      \
	{                                                                                          \
		fn(*p);                                                                            \
	}
#define PIPA_TAKE(p)                                                                               \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

#define PIPA_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PIPA_UNUSED __attribute__((unused))
#define PIPA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

static inline void pipa_fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

static inline void free_auto(void *p)
{
	free(*(void **)p);
}

PIPA_DEFINE_AUTO(pipa_fd_close, int)

#endif
