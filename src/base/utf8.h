/* Check whether bytes are valid UTF-8. */
#ifndef PIPA_BASE_UTF8_H
#define PIPA_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Length of the UTF-8 character at text, 0 when the bytes are none. JSON must be valid UTF-8, and
 * process and cgroup names may be anything.
 */
size_t pipa_utf8_len(const unsigned char *text);

/* The character there, whose length is len. */
uint32_t pipa_utf8_char(const unsigned char *text, size_t len);

/*
 * Is it not seen, or does it change how others are? Controls, marks of direction, joiners, blanks of no
 * width: nothing that a language is written with.
 */
bool pipa_utf8_is_hidden(uint32_t ch);

#endif
