/* Format numbers for a narrow column: three digits and a letter. Missing values are "-". */
#ifndef PIPA_SCREEN_CELLS_AMOUNT_H
#define PIPA_SCREEN_CELLS_AMOUNT_H

#include <stdint.h>

enum { PIPA_AMOUNT_MAX = 24 };

/* Format a size in kB, in units of 1024: "0", "1.50K", "12.3M", "999G". */
void pipa_amount_size(char out[static PIPA_AMOUNT_MAX], double kb);

/* Format a count, in units of 1000: "0", "0.5", "3", "12", "1.20k". */
void pipa_amount_count(char out[static PIPA_AMOUNT_MAX], double count);

/* Format a percentage: "0.0", "12.3", "100", "1600". */
void pipa_amount_percent(char out[static PIPA_AMOUNT_MAX], double percent);

/* Format a duration: "250ms", "1s", "1.5s", "2m". */
void pipa_amount_interval(char out[static PIPA_AMOUNT_MAX], uint64_t ns);

/* Format an uptime: "04:11", "12d 04:11". */
void pipa_amount_uptime(char out[static PIPA_AMOUNT_MAX], uint64_t seconds);

#endif
