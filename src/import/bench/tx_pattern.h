/*
 * Patterns of benchmark output: text with fields, "Complete requests: {count}". Text is matched
 * literally from the first byte of the line that is not a space; the line may continue after it.
 * There are no alternatives and no backtracking, so time is linear in the line. Fields:
 *
 *	{count}    a number of transactions; several in one line are summed
 *	{plain}    the same, ended by a comma; else 1,234,567 is one number
 *	{rate}     a number per second; several are summed
 *	{us_each}  microseconds per transaction, which is a rate
 *	{secs}     the run time in seconds; {ms} in milliseconds
 *	{times}    a factor of counts and rates; several are multiplied
 *	{skip}     a number that is ignored
 *	{k} {Ki}   K, M, G, T or nothing: the number before is in thousands, or in 1024s
 *	{word}     anything up to a space
 *	{gap}      spaces, or none
 *	{any}      anything up to the first occurrence of the following text; {last}: the last one
 *	{end}      the end of the line, apart from spaces
 *
 * A number may have spaces before it, and k, M or G after it, as in 41.0k, unless a letter
 * follows.
 */
#ifndef PIPA_IMPORT_BENCH_TX_PATTERN_H
#define PIPA_IMPORT_BENCH_TX_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Values of a line; absent ones are NaN. */
struct pipa_tx_values {
	double count, rate, secs, times;
};

/* Match a line that does not start with a space. `ret` is set only on a match. */
bool pipa_tx_match(const char *pattern, const char *line, size_t len, struct pipa_tx_values *ret);

/* Return the length of the text before the first field. */
size_t pipa_tx_head(const char *pattern);

/* Return the longest text of the pattern: lines without it cannot match. */
size_t pipa_tx_needle(const char *pattern, const char **ret);

#endif
