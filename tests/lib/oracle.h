/* Other tools as the measure: is one installed, what does it print, and the file it looks at. */
#ifndef PIPA_TESTS_ORACLE_H
#define PIPA_TESTS_ORACLE_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "lib/test.h"

__attribute__((format(printf, 1, 2))) static inline int oracle_run(const char *fmt, ...)
{
	char command[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return system(command); /* NOLINT(cert-env33-c): the tools are what is wanted */
}

static inline bool oracle_has(const char *tool)
{
	return oracle_run("command -v %s > /dev/null 2>&1", tool) == 0;
}

/*
 * The binutils for the architecture of this test program, which runs under emulation too: objdump and strip
 * of another one do not read it.
 */
static inline const char *oracle_native(const char *tool)
{
	static char name[64];

#if defined(__x86_64__)
	snprintf(name, sizeof(name), "x86_64-linux-gnu-%s", tool);
#elif defined(__aarch64__)
	snprintf(name, sizeof(name), "aarch64-linux-gnu-%s", tool);
#elif defined(__riscv)
	snprintf(name, sizeof(name), "riscv64-linux-gnu-%s", tool);
#endif
	if (!oracle_has(name))
		snprintf(name, sizeof(name), "%s", tool);
	return name;
}

#define NEED(tool)                                                                                 \
	do {                                                                                       \
		if (!oracle_has(tool))                                                             \
			SKIP("no %s", tool);                                                       \
	} while (0)

/* The output as a stream; the caller pcloses it. */
__attribute__((format(printf, 1, 2))) static inline FILE *oracle_read(const char *fmt, ...)
{
	char command[4096];
	va_list ap;
	FILE *out;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	out = popen(command, "r"); /* NOLINT(cert-env33-c) */
	CHECK(out);
	return out;
}

/* This test program: not stripped, and dynamically linked. */
static inline const char *oracle_self(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	CHECK(n > 0);
	path[n] = '\0';
	return path;
}

/* The file's bytes until the test ends; empty when there is no such file. */
static inline struct pipa_span oracle_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		return (struct pipa_span){ NULL, 0 };
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	CHECK(map != MAP_FAILED);
	return (struct pipa_span){ map, (size_t)st.st_size };
}

#endif
