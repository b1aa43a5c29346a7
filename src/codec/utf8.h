/* Is it text? */
#ifndef PIPA_CODEC_UTF8_H
#define PIPA_CODEC_UTF8_H

#include <stddef.h>

/*
 * Length of the UTF-8 character at text, 0 when the bytes are none. JSON must be valid UTF-8, and
 * process and cgroup names may be anything.
 */
size_t pipa_utf8_len(const unsigned char *text);

#endif
