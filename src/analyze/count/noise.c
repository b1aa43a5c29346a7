#include "analyze/count/noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto.h"

/*
 * 97.5 % quantile of t: a table up to four degrees of freedom, rounded to the conservative side,
 * then Hill's expansion around the normal quantile, which is exact to three digits there.
 */
double pipa_student_t95(double degrees)
{
	const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
	double v = degrees;

	if (v < 1)
		return NAN;
	if (v < 2)
		return 12.706204736;
	if (v < 3)
		return 4.302652730;
	if (v < 4)
		return 3.182446305;
	if (v < 5)
		return 2.776445105;
	return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

enum { BETA_TERMS = 500 };

/* Return the continued fraction of the incomplete beta function by Lentz's method (Numerical Recipes 6.4). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h, step;
	int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (m = 1; m < BETA_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

double pipa_student_p(double t, double degrees)
{
	double a = degrees / 2, b = 0.5, x = degrees / (degrees + t * t), front;

	if (!(degrees >= 1) || isnan(t))
		return NAN;
	if (isinf(t) || x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2)) /* where the fraction converges fast */
		return fmin(1, front * beta_fraction(a, b, x) / a);
	return fmax(0, 1 - front * beta_fraction(b, a, 1 - x) / b);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void pipa_spread_of(double *values, size_t n, struct pipa_spread *ret)
{
	struct pipa_spread s = { n, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	double sum = 0, squares = 0, half;
	size_t i;

	*ret = s;
	if (!n)
		return;
	qsort(values, n, sizeof(*values), by_value);
	for (i = 0; i < n; i++)
		sum += values[i];
	s.mean = sum / (double)n;
	s.min = values[0];
	s.max = values[n - 1];
	s.median = (values[(n - 1) / 2] + values[n / 2]) / 2;
	if (n > 1) {
		for (i = 0; i < n; i++)
			squares += (values[i] - s.mean) * (values[i] - s.mean);
		s.sd = sqrt(squares / (double)(n - 1));
		half = pipa_student_t95((double)(n - 1)) * s.sd / sqrt((double)n);
		s.low = s.mean - half;
		s.high = s.mean + half;
	}
	*ret = s;
}

/* Compute the standard error of the difference of two means and Welch's degrees of freedom. */
static double welch_error(const struct pipa_spread *a, const struct pipa_spread *b,
			  double *ret_degrees)
{
	double va = a->sd * a->sd / (double)a->n, vb = b->sd * b->sd / (double)b->n;

	*ret_degrees = (va + vb) * (va + vb) /
		       (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	return sqrt(va + vb);
}

enum pipa_verdict pipa_spread_compare(const struct pipa_spread *a, const struct pipa_spread *b)
{
	double se, degrees, delta = b->mean - a->mean;

	if (a->n < 2 || b->n < 2 || isnan(a->mean) || isnan(b->mean))
		return PIPA_VERDICT_UNKNOWN;
	se = welch_error(a, b, &degrees);
	if (se == 0) /* exact counts: any difference is significant */
		return delta == 0 ? PIPA_VERDICT_SAME :
		       delta < 0  ? PIPA_VERDICT_LOWER :
				    PIPA_VERDICT_HIGHER;
	if (!(fabs(delta) >
	      pipa_student_t95(degrees) * se)) /* negated, so that NaN counts as noise */
		return PIPA_VERDICT_SAME;
	return delta < 0 ? PIPA_VERDICT_LOWER : PIPA_VERDICT_HIGHER;
}

double pipa_spread_p(const struct pipa_spread *a, const struct pipa_spread *b)
{
	double se, degrees, delta = b->mean - a->mean;

	if (a->n < 2 || b->n < 2 || isnan(delta))
		return NAN;
	se = welch_error(a, b, &degrees);
	if (se == 0)
		return delta == 0 ? 1 : 0;
	return pipa_student_p(delta / se, degrees);
}

static int by_p_value(const void *a, const void *b)
{
	const struct pipa_p_value *x = a, *y = b;

	if (x->p < y->p || x->p > y->p)
		return x->p < y->p ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

size_t pipa_holm(struct pipa_p_value *tests, size_t n)
{
	size_t i = 0;

	qsort(tests, n, sizeof(*tests), by_p_value);
	while (i < n && tests[i].p * (double)(n - i) <= 0.05)
		i++;
	return i;
}

enum pipa_verdict pipa_spread_place(const struct pipa_spread *runs, double value)
{
	double n = (double)runs->n, delta = value - runs->mean, reach;

	if (runs->n < 2 || isnan(runs->mean) || isnan(value))
		return PIPA_VERDICT_UNKNOWN;
	reach = pipa_student_t95(n - 1) * runs->sd * sqrt(1 + 1 / n);
	if (!(fabs(delta) > reach))
		return PIPA_VERDICT_SAME;
	return delta < 0 ? PIPA_VERDICT_LOWER : PIPA_VERDICT_HIGHER;
}

const char *pipa_verdict_text(enum pipa_verdict verdict)
{
	static const char *const texts[] = {
		[PIPA_VERDICT_UNKNOWN] = "unknown",
		[PIPA_VERDICT_SAME] = "within noise",
		[PIPA_VERDICT_LOWER] = "lower",
		[PIPA_VERDICT_HIGHER] = "higher",
	};

	return texts[verdict];
}
