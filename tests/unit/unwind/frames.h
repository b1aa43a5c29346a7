/* Call frame information made by hand: CIEs and FDEs with absolute 8-byte addresses, little-endian. */
#ifndef PIPA_TESTS_FRAMES_H
#define PIPA_TESTS_FRAMES_H

#include <string.h>

#include "lib/test.h"
#include "unwind/cfi.h"

struct frames {
	uint8_t bytes[4096];
	size_t n;
};

struct code {
	uint8_t bytes[256];
	size_t n;
};

#define CODE(...)                                                                                  \
	(struct code)                                                                              \
	{                                                                                          \
		{ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })                                \
	}

static inline void put(struct frames *f, uint64_t value, size_t size)
{
	CHECK(f->n + size <= sizeof(f->bytes));
	for (; size; size--, value >>= 8)
		f->bytes[f->n++] = (uint8_t)value;
}

static inline void put_code(struct frames *f, struct code code)
{
	size_t i;

	for (i = 0; i < code.n; i++)
		put(f, code.bytes[i], 1);
}

/* Set the length of the entry that began at `at`. */
static inline void put_length(struct frames *f, size_t at)
{
	uint32_t length;

	while (f->n % 8)
		put(f, 0, 1);
	length = (uint32_t)(f->n - at - 4);
	memcpy(f->bytes + at, &length, sizeof(length));
}

/* Factors 1 and -8. Returns where it is. */
static inline size_t put_cie(struct frames *f, const char *letters, uint8_t ra, struct code code)
{
	size_t at = f->n, i;

	put(f, 0, 4);
	put(f, 0, 4);
	put(f, 1, 1);
	for (i = 0; i <= strlen(letters); i++)
		put(f, (uint8_t)letters[i], 1);
	put(f, 1, 1);
	put(f, 0x78, 1);
	put(f, ra, 1);
	if (letters[0] == 'z') {
		put(f, strchr(letters, 'R') ? 1 : 0, 1);
		if (strchr(letters, 'R'))
			put(f, PIPA_EH_PE_U8, 1);
	}
	put_code(f, code);
	put_length(f, at);
	return at;
}

static inline size_t put_fde(struct frames *f, size_t cie, uint64_t start, uint64_t size,
			     struct code code)
{
	size_t at = f->n;

	put(f, 0, 4);
	put(f, at + 4 - cie, 4);
	put(f, start, 8);
	put(f, size, 8);
	put(f, 0, 1); /* nothing extra; for this the CIE must be of 'z' */
	put_code(f, code);
	put_length(f, at);
	return at;
}

static inline struct pipa_cfi cfi_of(const struct frames *f)
{
	return (struct pipa_cfi){
		.bytes = { f->bytes, f->n }, .addr = 0x9000, .is_eh = true, .is64 = true
	};
}

#endif
