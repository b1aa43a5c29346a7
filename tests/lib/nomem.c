#include "lib/nomem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static size_t left = SIZE_MAX;
static bool happened;
static pid_t owner; /* a command it forks has all the memory: what counts lines takes some */

void pipa_nomem_after(size_t n)
{
	left = n;
	happened = false;
	owner = getpid();
}

bool pipa_nomem_happened(void)
{
	left = SIZE_MAX;
	return happened;
}

static bool fails(void)
{
	if (left == SIZE_MAX || getpid() != owner || left-- > 0)
		return false;
	left = SIZE_MAX;
	happened = true;
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
