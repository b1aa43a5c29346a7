#include "import/bench/tx_tally.h"

#include <math.h>

#include "import/bench/benchmarks.h"
#include "import/bench/tx_pattern.h"

const struct pipa_tx_tally pipa_tx_tally_none = {
	.count = NAN,
	.rate = NAN,
	.secs = NAN,
	.times = 1,
};

static double finite_or_nan(double value)
{
	return isfinite(value) ? value : NAN;
}

double pipa_tx_tally_rate(const struct pipa_tx_tally *tally)
{
	double rate = tally->rate;

	if (tally->links > 0)
		rate = tally->links / tally->slowness;
	else if (isnan(rate) && tally->secs > 0)
		rate = tally->count / tally->secs;
	return finite_or_nan(rate * tally->times);
}

double pipa_tx_tally_count(const struct pipa_tx_tally *tally)
{
	if (!isnan(tally->count))
		return finite_or_nan(tally->count * tally->times);
	return tally->final ? finite_or_nan(round(pipa_tx_tally_rate(tally) * tally->secs)) : NAN;
}

static void add_to(double *sum, double part)
{
	if (!isnan(part))
		*sum = isnan(*sum) ? part : *sum + part;
}

static void replace(double *old, double by)
{
	if (!isnan(by))
		*old = by;
}

/* Add a part that ran after the others. */
static void add_chained(struct pipa_tx_tally *tally, double count, double rate, double secs)
{
	add_to(&tally->count, count);
	if (!isnan(count) && !isnan(rate)) {
		add_to(&tally->secs, count / rate);
	} else if (!isnan(rate)) {
		tally->slowness += 1 / rate;
		tally->links++;
	} else {
		add_to(&tally->secs, secs);
	}
}

void pipa_tx_tally_add(struct pipa_tx_tally *tally, const struct pipa_tx_pattern *pattern,
		       const struct pipa_tx_values *values)
{
	double scale = pattern->scale > 0 ? pattern->scale : 1;
	double count = values->count * scale, rate = values->rate * scale;

	replace(&tally->times, values->times);
	if (pattern->how == PIPA_TX_CHAIN) {
		add_chained(tally, count, rate, values->secs);
		return;
	}
	if (pattern->how == PIPA_TX_ADD) {
		add_to(&tally->count, count);
		add_to(&tally->rate, rate);
	} else {
		replace(&tally->count, count);
		replace(&tally->rate, rate);
	}
	replace(&tally->secs, values->secs);
}

static char plain_count(char c)
{
	if (c == '\t')
		return ' ';
	return c >= ' ' && c <= '~' ? c : '?';
}

void pipa_tx_tally_show(struct pipa_tx_tally *tally, const char *pattern,
			enum pipa_tx_stream stream, const char *line, size_t len)
{
	size_t i;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	if (len > PIPA_TX_LINE_KEPT - 1)
		len = PIPA_TX_LINE_KEPT - 1;
	for (i = 0; i < len; i++)
		tally->line[i] = plain_count(line[i]);
	tally->line[len] = '\0';
	tally->pattern = pattern;
	tally->stream = stream;
}
