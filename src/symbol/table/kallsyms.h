/*
 * Symbols of the kernel from the text of /proc/kallsyms:
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0a51000 t ext4_getattr	[ext4]
 *
 * Only functions. Of several names at one address the last is taken, as perf does. The kernel
 * shows every address as zero without permission (kptr_restrict).
 */
#ifndef PIPA_SYMBOL_TABLE_KALLSYMS_H
#define PIPA_SYMBOL_TABLE_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_symbols;

struct pipa_kallsyms {
	struct pipa_symbols *symbols; /* owned by the caller; empty if hidden */
	bool hidden;		      /* all functions have address zero: kptr_restrict */
	uint64_t text;	/* _text, for the kernel's load offset (KASLR); 0 if not listed */
	uint64_t stext; /* _stext, as perf's reference symbol in older recordings */
	size_t skipped; /* number of malformed lines */
};

/* Parse the text, which must outlive the symbols. -ENOMEM, or -EFBIG above 4 GiB. */
int pipa_kallsyms_decode(const char *text, size_t len, struct pipa_kallsyms *ret);

/* Return the address of _text, by which two boots of a kernel are compared; 0: not listed. */
uint64_t pipa_kallsyms_text(const char *text, size_t len);

/*
 * Like pipa_kallsyms_decode(), but only for n ascending addresses: lookups of these give the same
 * results as with the whole list, others are undefined. Stores a few symbols instead of all of the
 * more than 100,000.
 */
int pipa_kallsyms_decode_near(const char *text, size_t len, const uint64_t *addrs, size_t n,
			      struct pipa_kallsyms *ret);

#endif
