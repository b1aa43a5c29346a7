#include "import/bench/transactions.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/bench/benchmarks.h"
#include "import/bench/tx_lines.h"
#include "import/bench/tx_needles.h"
#include "import/bench/tx_pattern.h"
#include "import/bench/tx_tally.h"

enum {
	SECTIONS = 16,
	/* lines with numbers after which a section without a match ends */
	SECTION_LINES_MAX = 2000,
};

/* State of a measure. */
struct state {
	struct pipa_tx_tally now;
	bool closed;		   /* later values belong to another run */
	struct pipa_tx_tally done; /* of the last complete run */
	bool has_done;
};

struct stream {
	struct pipa_transactions *tx;
	enum pipa_tx_stream id;
	struct pipa_tx_lines lines;
};

struct pipa_transactions {
	struct stream streams[PIPA_TX_STREAM_NR];
	bool has_patterns; /* of the table: added at the first line, because most runs print none */
	struct pipa_tx_needles needles;
	struct pipa_tx_found sectional[SECTIONS]; /* patterns of each section */
	unsigned int sections;			  /* bits of open sections */
	unsigned int patience;
	uint64_t matched;
	struct state states[PIPA_TX_MEASURES];
	char *expression;
	regex_t regex;
	struct pipa_tx_tally own; /* of the user's expression */
	double given;		  /* NaN: none */
	/* lines of each stream; last, because it is not zeroed */
	char buf[PIPA_TX_STREAM_NR][PIPA_TX_LINE_MAX + 1];
};

/* ---- matching lines -------------------------------------------------------------------------- */

static const struct pipa_tx_tally *tally_of(const struct state *state)
{
	return state->has_done ? &state->done : &state->now;
}

static bool has_answer(const struct pipa_tx_tally *tally, const struct pipa_tx_measure *measure)
{
	if (!tally->when || (measure->at_end && isnan(tally->secs)))
		return false;
	return !isnan(pipa_tx_tally_count(tally)) || !isnan(pipa_tx_tally_rate(tally));
}

static bool same_benchmark(size_t a, size_t b)
{
	return strcmp(pipa_tx_measures[a].benchmark, pipa_tx_measures[b].benchmark) == 0;
}

/* Complete a run of a benchmark. */
static void close_run(struct pipa_transactions *tx, const struct pipa_tx_pattern *pattern)
{
	size_t i;

	for (i = 0; i < pipa_tx_n_measures; i++) {
		struct state *state = &tx->states[i];

		if (!same_benchmark(i, pattern->measure) || state->closed)
			continue;
		if (pattern->how == PIPA_TX_DONE && state->now.final &&
		    has_answer(&state->now, &pipa_tx_measures[i])) {
			state->done = state->now;
			state->has_done = true;
		}
		state->closed = true;
	}
}

static void add_match(struct pipa_transactions *tx, const struct pipa_tx_pattern *pattern,
		      const struct pipa_tx_values *values, const struct stream *from,
		      const char *line, size_t len)
{
	struct state *state = &tx->states[pattern->measure];
	struct pipa_tx_tally *now = &state->now;

	if (pattern->progress && (now->final || state->has_done))
		return;
	if (state->closed || now->final == pattern->progress)
		*now = pipa_tx_tally_none;
	state->closed = false;
	now->final = !pattern->progress;
	now->when = ++tx->matched;
	pipa_tx_tally_add(now, pattern, values);
	if (values->count > 0 || !now->line[0] || (!isnan(values->rate) && isnan(now->count)))
		pipa_tx_tally_show(now, pattern->text, from->id, line, len);
}

static void try_pattern(struct pipa_transactions *tx, const struct pipa_tx_pattern *pattern,
			const struct stream *from, const char *line, size_t len)
{
	struct pipa_tx_values values;

	if ((pattern->needs && !(tx->sections & pattern->needs)) ||
	    !pipa_tx_match(pattern->text, line, len, &values))
		return;
	tx->sections = (tx->sections | pattern->opens) & ~(unsigned int)pattern->shuts;
	tx->patience = SECTION_LINES_MAX;
	if (pattern->how == PIPA_TX_CLOSE || pattern->how == PIPA_TX_DONE)
		close_run(tx, pattern);
	else
		add_match(tx, pattern, &values, from, line, len);
}

static void match_table(struct pipa_transactions *tx, const struct stream *from, const char *line,
			size_t len)
{
	struct pipa_tx_found found = { 0 };
	unsigned int open;
	size_t i;

	pipa_tx_needles_find(&tx->needles, line, len, &found);
	for (open = tx->sections; open; open &= open - 1)
		for (i = 0; i < PIPA_TX_NEEDLES / 64; i++)
			found.bits[i] |= tx->sectional[__builtin_ctz(open)].bits[i];
	if (tx->sections && --tx->patience == 0)
		tx->sections = 0;
	for (i = 0; i < PIPA_TX_NEEDLES / 64; i++)
		for (; found.bits[i]; found.bits[i] &= found.bits[i] - 1)
			try_pattern(
				tx,
				&pipa_tx_patterns[i * 64 + (size_t)__builtin_ctzll(found.bits[i])],
				from, line, len);
}

static void match_expression(struct pipa_transactions *tx, const struct stream *from, char *line,
			     size_t len)
{
	regmatch_t groups[2];
	double count;
	size_t i;

	for (i = 0; i < len; i++)
		if (!line[i])
			line[i] = '?';
	if (regexec(&tx->regex, line, 2, groups, 0) != 0 || groups[1].rm_so < 0 ||
	    pipa_tx_number(line + groups[1].rm_so, (size_t)(groups[1].rm_eo - groups[1].rm_so),
			   &count) < 0)
		return;
	tx->own.count = count;
	tx->own.when = ++tx->matched;
	pipa_tx_tally_show(&tx->own, tx->expression, from->id, line, len);
}

/*
 * Register a pattern by its section, its first text or any of its texts, so that matching lines are
 * tested with it.
 */
static void add_pattern(struct pipa_transactions *tx, unsigned int id)
{
	const struct pipa_tx_pattern *pattern = &pipa_tx_patterns[id];
	size_t head = pipa_tx_head(pattern->text), len, s;
	const char *needle = NULL;

	for (s = 0; s < SECTIONS; s++)
		if (pattern->needs & (1u << s))
			tx->sectional[s].bits[id / 64] |= 1ull << (id % 64);
	if (pattern->needs)
		return;
	if (head >= PIPA_TX_WINDOW) {
		pipa_tx_needles_add_head(&tx->needles, pattern->text, head, id);
		return;
	}
	len = pipa_tx_needle(pattern->text, &needle);
	pipa_tx_needles_add(&tx->needles, needle, len, id);
}

static void read_line(void *ctx, char *line, size_t len)
{
	struct stream *from = ctx;
	unsigned int i;

	if (from->tx->expression) {
		match_expression(from->tx, from, line, len);
		return;
	}
	for (i = 0; !from->tx->has_patterns && i < pipa_tx_n_patterns; i++)
		add_pattern(from->tx, i);
	from->tx->has_patterns = true;
	match_table(from->tx, from, line, len);
}

/* ---- result ---------------------------------------------------------------------------------- */

static unsigned int preference(const struct pipa_tx_tally *tally)
{
	return (tally->final ? 2 : 0) + (isnan(pipa_tx_tally_count(tally)) ? 0 : 1);
}

/* Return the preferred measure, or pipa_tx_n_measures. */
static size_t choose_measure(const struct pipa_transactions *tx)
{
	size_t i, best = pipa_tx_n_measures;

	for (i = 0; i < pipa_tx_n_measures; i++) {
		const struct pipa_tx_tally *tally = tally_of(&tx->states[i]), *other;

		if (!has_answer(tally, &pipa_tx_measures[i]))
			continue;
		other = best < pipa_tx_n_measures ? tally_of(&tx->states[best]) : NULL;
		if (!other || preference(tally) > preference(other) ||
		    (preference(tally) == preference(other) && tally->when > other->when))
			best = i;
	}
	for (i = 0; i < best && best < pipa_tx_n_measures; i++)
		if (same_benchmark(i, best) &&
		    has_answer(tally_of(&tx->states[i]), &pipa_tx_measures[i]) &&
		    !tx->states[i].closed &&
		    preference(tally_of(&tx->states[i])) == preference(tally_of(&tx->states[best])))
			return i;
	return best;
}

static void fill_result(const struct pipa_tx_tally *tally, const char *benchmark, const char *unit,
			struct pipa_tx *ret)
{
	ret->benchmark = benchmark;
	ret->pattern = tally->pattern;
	ret->unit = unit;
	ret->count = pipa_tx_tally_count(tally);
	ret->rate = pipa_tx_tally_rate(tally);
	ret->final = tally->final;
	ret->stream = tally->stream;
	memcpy(ret->line, tally->line, sizeof(ret->line));
}

bool pipa_transactions_get(const struct pipa_transactions *tx, struct pipa_tx *ret)
{
	size_t best;

	if (!isnan(tx->given)) {
		struct pipa_tx_tally given = pipa_tx_tally_none;

		given.count = tx->given;
		given.final = true;
		given.pattern = "";
		fill_result(&given, "given", "transactions", ret);
		return true;
	}
	if (tx->expression) {
		if (tx->own.when)
			fill_result(&tx->own, "expression", "transactions", ret);
		return tx->own.when;
	}
	best = choose_measure(tx);
	if (best == pipa_tx_n_measures)
		return false;
	fill_result(tally_of(&tx->states[best]), pipa_tx_measures[best].benchmark,
		    pipa_tx_measures[best].unit, ret);
	return true;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static int compile(struct pipa_transactions *tx, const char *expression, struct pipa_error *err)
{
	char why[128];
	int code = regcomp(&tx->regex, expression, REG_EXTENDED);

	if (code == REG_ESPACE)
		return pipa_fail(err, -ENOMEM, "read the expression '%s'", expression);
	if (code) {
		regerror(code, &tx->regex, why, sizeof(why));
		pipa_refuse(err, -EINVAL, "invalid expression '%s': %s", expression, why);
		return pipa_hint(err,
				 "expected a POSIX extended regular expression, as for grep -E");
	}
	tx->expression = strdup(expression);
	if (!tx->expression) {
		regfree(&tx->regex);
		return pipa_fail(err, -ENOMEM, "keep the expression '%s'", expression);
	}
	if (!tx->regex.re_nsub) {
		pipa_refuse(err, -EINVAL, "the expression '%s' has no group", expression);
		return pipa_hint(err, "put the number in parentheses, as in 'done ([0-9]+) jobs'");
	}
	return 0;
}

static void set_up(struct pipa_transactions *tx)
{
	unsigned int i;

	for (i = 0; i < pipa_tx_n_measures; i++)
		tx->states[i].now = pipa_tx_tally_none;
	for (i = 0; i < PIPA_TX_STREAM_NR; i++) {
		tx->streams[i].tx = tx;
		tx->streams[i].id = (enum pipa_tx_stream)i;
		tx->streams[i].lines.fn = read_line;
		tx->streams[i].lines.ctx = &tx->streams[i];
		tx->streams[i].lines.buf = tx->buf[i];
	}
}

int pipa_transactions_new(const char *expression, struct pipa_transactions **ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = malloc(sizeof(*tx));
	int status;

	if (!tx)
		return pipa_fail(err, -ENOMEM, "look for transactions");
	memset(tx, 0, offsetof(struct pipa_transactions, buf));
	tx->given = NAN;
	tx->own = pipa_tx_tally_none;
	tx->own.final = true;
	set_up(tx);
	status = expression ? compile(tx, expression, err) : 0;
	if (status < 0)
		return status;
	*ret = PIPA_TAKE(tx);
	return 0;
}

void pipa_transactions_free(struct pipa_transactions *tx)
{
	if (!tx)
		return;
	if (tx->expression)
		regfree(&tx->regex);
	free(tx->expression);
	free(tx);
}

void pipa_transactions_give(struct pipa_transactions *tx, double count)
{
	tx->given = count;
}

void pipa_transactions_put(struct pipa_transactions *tx, enum pipa_tx_stream stream,
			   const char *bytes, size_t len)
{
	if (isnan(tx->given))
		pipa_tx_lines_put(&tx->streams[stream].lines, bytes, len);
}

void pipa_transactions_end(struct pipa_transactions *tx)
{
	size_t i;

	for (i = 0; i < PIPA_TX_STREAM_NR; i++)
		pipa_tx_lines_end(&tx->streams[i].lines);
}
