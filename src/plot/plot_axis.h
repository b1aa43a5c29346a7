/* Axes of charts: ranges that end at round values, and ticks for linear, logarithmic and time axes. */
#ifndef PIPA_PLOT_PLOT_AXIS_H
#define PIPA_PLOT_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_zone;

enum pipa_plot_scale {
	PIPA_PLOT_LINEAR,
	PIPA_PLOT_LOG,
	PIPA_PLOT_TIME, /* values are seconds since 1970, labels are times of day */
};

struct pipa_plot_axis {
	enum pipa_plot_scale scale;
	char *label;		      /* owned; NULL: none */
	double min, max;	      /* range; NaN: that of the data */
	const struct pipa_zone *zone; /* of times of day; NULL: UTC; borrowed */
};

enum { PIPA_PLOT_TICKS_MAX = 64 };

struct pipa_plot_tick {
	double value;
	char label[24]; /* "": a minor tick */
};

struct pipa_plot_ticks {
	struct pipa_plot_tick items[PIPA_PLOT_TICKS_MAX];
	size_t n;
};

/*
 * Complete the range: finite, not empty, positive on a logarithmic axis. A linear axis whose values
 * are not negative starts at 0 unless they are far from it, and ends at a round value.
 */
void pipa_plot_axis_fit(struct pipa_plot_axis *axis, double data_min, double data_max);

/* Make at most about `wanted` ticks with labels within the range, ascending, and minor ones. */
void pipa_plot_axis_ticks(const struct pipa_plot_axis *axis, size_t wanted,
			  struct pipa_plot_ticks *ret);

/* Return the position of a value on the axis: 0 at its start, 1 at its end. */
double pipa_plot_axis_at(const struct pipa_plot_axis *axis, double value);

/* Format a number with a prefix of SI where that is shorter: "12.5", "1.5M". Returns text. */
const char *pipa_plot_number(double value, int digits, char *text, size_t size);

#endif
