/*
 * Refuse an output that is one of the inputs, before anything is opened for writing: overwriting a
 * recording with its own report loses it.
 */
#ifndef PIPA_STORE_OUTPUT_CHECK_H
#define PIPA_STORE_OUTPUT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"

struct pipa_error;

/*
 * Compare device and inode of `output` (NULL and "-": of the descriptor `fd`) with those of n
 * inputs: symbolic links, hard links and /proc/self/fd lead to the same file. An input may be NULL
 * (not given), "-" (standard input) or a directory, whose files that pipa reads are compared. 0, or
 * -EINVAL with a message. An output that does not exist is valid.
 */
int pipa_output_check(const char *output, int fd, const char *const inputs[], size_t n,
		      struct pipa_error *err);

/* Are two outputs one file, which need not exist? Devices and pipes may be written to twice. */
bool pipa_output_is_same(const char *a, const char *b);

/* Call pipa_output_check() with the inputs as arguments. */
#define PIPA_OUTPUT_CHECK(output, fd, err, ...)                                                    \
	pipa_output_check(output, fd, (const char *const[]){ __VA_ARGS__ },                        \
			  PIPA_COUNT(((const char *const[]){ __VA_ARGS__ })), err)

#endif
