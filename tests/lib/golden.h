/*
 * Outputs kept byte for byte under tests/data. To accept the program's current output:
 *
 *	PIPA_UPDATE_GOLDEN=1 build/debug/tests/unit_export && git diff --text tests/data
 */
#ifndef PIPA_TESTS_GOLDEN_H
#define PIPA_TESTS_GOLDEN_H

#include <stddef.h>

/* Fails the test where the bytes differ from those of the file, naming the first line that does. */
void golden_check(const char *name, const char *text, size_t len, const char *file, int line);

/* The directory of kept data. */
const char *golden_data(void);

#define CHECK_GOLDEN(name, text, len) golden_check(name, text, len, __FILE__, __LINE__)

#endif
