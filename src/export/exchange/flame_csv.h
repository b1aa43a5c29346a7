/*
 * Write stacks as CSV with the columns of PIPA: "stack,weight,weight_pct", lines that end with CR
 * and LF. A stack is that of a folded line (export/exchange/folded.h). The heaviest stack is the
 * first; of equal weights that whose innermost frame was met first.
 */
#ifndef PIPA_EXPORT_EXCHANGE_FLAME_CSV_H
#define PIPA_EXPORT_EXCHANGE_FLAME_CSV_H

#include <stddef.h>

struct pipa_folded_format;
struct pipa_profile;

/*
 * Pass the text to put() in pieces that end anywhere. Returns 0, -ENOMEM, or the first negative
 * result of put(), which ends the writing.
 */
int pipa_flame_csv_write(const struct pipa_profile *profile,
			 const struct pipa_folded_format *format,
			 int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
