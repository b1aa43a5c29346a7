/* Format numbers for people. */
#ifndef PIPA_EXPORT_TEXT_NUMBER_H
#define PIPA_EXPORT_TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_derived;
struct pipa_stat_place;
struct pipa_spread;

/* Write what snprintf() writes for "%.*f", faster; returns text. */
char *pipa_number_fixed(double value, int digits, char *text, size_t size);

/* Format "1,234,567.89", without separators if plain; returns text. */
const char *pipa_number_text(double value, int digits, bool plain, char *text, size_t size);

/* Scale a rate below 1000: *ret_prefix is "", "K", "M" or "G". */
double pipa_number_rate(double value, const char **ret_prefix);

/* Format a derived number without its unit ("1.83", "12.5"), and the unit as shown ("K/sec"). */
void pipa_number_derived(const struct pipa_derived *derived, char *value, size_t value_size,
			 char *unit, size_t unit_size);

/*
 * Write perf's name of a CPU, thread or group: "CPU0", "S0-D0-C1", "bash-4711"; "" for everything.
 * Returns text.
 */
const char *pipa_number_place(const struct pipa_stat_place *place, char *text, size_t size);

/* Return perf's "+- x %": the standard error of the mean, as a percentage of the mean. */
double pipa_number_noise(const struct pipa_spread *spread);

#endif
