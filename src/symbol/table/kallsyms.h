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
	struct pipa_symbols *symbols; /* the caller frees; empty when hidden */
	bool hidden;	/* there are functions, and all have the address zero: kptr_restrict */
	uint64_t text;	/* _text, for the kernel's load offset (KASLR); 0 if not listed */
	uint64_t stext; /* _stext, as perf's reference symbol in older recordings */
	size_t skipped; /* lines that are malformed */
};

/* The text must outlive the symbols. -ENOMEM, -EFBIG past 4 GiB. */
int pipa_kallsyms_decode(const char *text, size_t len, struct pipa_kallsyms *ret);

/* Where the list has _text, which is all that two boots of one kernel need to be compared; 0: nowhere. */
uint64_t pipa_kallsyms_text(const char *text, size_t len);

/*
 * As pipa_kallsyms_decode(), but only for n ascending addresses: results for these equal those of
 * the whole list, others are undefined. A hundred thousand symbols are scanned and a few kept.
 */
int pipa_kallsyms_decode_near(const char *text, size_t len, const uint64_t *addrs, size_t n,
			      struct pipa_kallsyms *ret);

#endif
