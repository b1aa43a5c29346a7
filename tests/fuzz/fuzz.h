/*
 * Helpers of the fuzz targets. A target is more than "does not crash": it states what must hold of
 * any input, with MUST(), which stays on in every build type.
 */
#ifndef PIPA_TESTS_FUZZ_H
#define PIPA_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #cond);   \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The input as a text on the heap, exact, so that a read past the end is seen. The caller frees. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	char *text = malloc(len + 1);

	MUST(text);
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	return text;
}

#endif
