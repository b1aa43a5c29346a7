/*
 * Patterns of lines that benchmarks print: text with holes, "Complete requests: {count}". Text is
 * matched as it stands, from the line's first byte that is no blank; the line may go on after it. No
 * alternatives, nothing is tried twice, so that the time is linear in the line. Holes:
 *
 *	{count}    a number: that many transactions; several in one line are added
 *	{plain}    the same, where a comma ends it; else 1,234,567 is one number
 *	{rate}     a number: so many a second; several are added
 *	{us_each}  a number: microseconds that one takes, which is a rate
 *	{secs}     a number: how long it ran; {ms} in milliseconds
 *	{times}    a number that counts and rates are to be multiplied by; several are multiplied
 *	{skip}     a number of no interest
 *	{k} {Ki}   K, M, G, T or nothing: the number before is in thousands, or in 1024s
 *	{word}     anything up to a blank
 *	{gap}      blanks, or none
 *	{any}      anything up to where the text after the hole is found first; {last}: last
 *	{end}      the end of the line, but for blanks
 *
 * A number may have blanks before it, and k, M or G behind, as in 41.0k, unless a letter follows those.
 */
#ifndef PIPA_IMPORT_BENCH_TX_PATTERN_H
#define PIPA_IMPORT_BENCH_TX_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* What a line said; what it did not say is NaN. */
struct pipa_tx_said {
	double count, rate, secs, times;
};

/* The line does not start with a blank. ret is filled only on a match. */
bool pipa_tx_match(const char *pattern, const char *line, size_t len, struct pipa_tx_said *ret);

/* How long the text is that the pattern begins with. */
size_t pipa_tx_head(const char *pattern);

/* The longest piece of text of the pattern: a line without it cannot match. */
size_t pipa_tx_needle(const char *pattern, const char **ret);

#endif
