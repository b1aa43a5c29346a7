#include "import/json_read.h"

#include <math.h>

double pipa_json_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

void pipa_json_spread(const json_t *spread, double value, struct pipa_spread *ret)
{
	double n = pipa_json_number(spread, "n");

	*ret = (struct pipa_spread){ 1, value, NAN, NAN, NAN, NAN, NAN, NAN };
	if (!(n >= 1 && n <= 1e9))
		return;
	*ret = (struct pipa_spread){
		.n = (size_t)n,
		.mean = pipa_json_number(spread, "mean"),
		.sd = pipa_json_number(spread, "sd"),
		.min = pipa_json_number(spread, "min"),
		.max = pipa_json_number(spread, "max"),
		.median = pipa_json_number(spread, "median"),
		.low = pipa_json_number(spread, "low"),
		.high = pipa_json_number(spread, "high"),
	};
	if (!(ret->sd >= 0))
		ret->n = 1; /* several runs without a spread count as one */
}
