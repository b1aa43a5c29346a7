/* Check whether bytes are valid UTF-8. */
#ifndef PIPA_BASE_UTF8_H
#define PIPA_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Return the length of the UTF-8 character at text, 0 if the bytes are invalid. JSON must be valid
 * UTF-8, and process and cgroup names may be anything.
 */
size_t pipa_utf8_len(const unsigned char *text);

/* The character there, whose length is len. */
uint32_t pipa_utf8_char(const unsigned char *text, size_t len);

/*
 * Is the character invisible, or does it change how others are shown? Controls, direction marks,
 * joiners, zero-width spaces.
 */
bool pipa_utf8_is_hidden(uint32_t ch);

/* Are these bytes UTF-8? NULs and noncharacters are permitted, as in Protocol Buffers. */
bool pipa_utf8_is_valid(const void *bytes, size_t size);

struct pipa_buf;

/*
 * Append a text with invalid UTF-8 and NULs replaced by U+FFFD. Returns false if there were any; a failure is in the
 * status of the buffer.
 */
bool pipa_utf8_put_clean(struct pipa_buf *out, const char *text, size_t len);

#endif
