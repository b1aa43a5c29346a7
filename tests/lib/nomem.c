#include "lib/nomem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static atomic_size_t left = SIZE_MAX; /* threads of a server count together */
static atomic_bool happened;
static pid_t owner; /* a command it forks has all the memory: what counts lines takes some */

void pipa_nomem_after(size_t n)
{
	atomic_store(&happened, false);
	owner = getpid();
	atomic_store(&left, n);
}

bool pipa_nomem_happened(void)
{
	atomic_store(&left, SIZE_MAX);
	return atomic_load(&happened);
}

static bool fails(void)
{
	if (atomic_load(&left) == SIZE_MAX || getpid() != owner)
		return false;
	if (atomic_fetch_sub(&left, 1) > 0) /* of 0 it is SIZE_MAX: the next ones pass */
		return false;
	atomic_store(&happened, true);
	errno = ENOMEM;
	return true;
}

#define WRAP(type, name, params, args)                                                             \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		return fails() ? NULL : __real_##name args;                                        \
	}

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *p, size_t size), (p, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t n), (s, n))

int __real_vasprintf(char **ret, const char *fmt, va_list ap);
int __wrap_asprintf(char **ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vasprintf(char **ret, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

int __wrap_vasprintf(char **ret, const char *fmt, va_list ap)
{
	return fails() ? -1 : __real_vasprintf(ret, fmt, ap);
}

int __wrap_asprintf(char **ret, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = __wrap_vasprintf(ret, fmt, ap);
	va_end(ap);
	return n;
}
