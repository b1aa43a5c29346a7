#include "plot/plot_color.h"

#include <math.h>

#include "base/auto.h"

#define RGB(hex)                                                                                   \
	{                                                                                          \
		(uint8_t)((hex) >> 16), (uint8_t)((hex) >> 8), (uint8_t)(hex)                      \
	}

/* OKABE_ITO of web/color.js, with its GREY instead of yellow, which is too light on white */
static const struct pipa_color hues[PIPA_PLOT_HUES] = {
	RGB(0x0072b2), RGB(0xd55e00), RGB(0x009e73), RGB(0xcc79a7),
	RGB(0xe69f00), RGB(0x56b4e9), RGB(0x9aa2ad),
};

/* SHARE of web/color.js */
static const struct pipa_color scale[] = {
	RGB(0xfff3d0), RGB(0xfdd58a), RGB(0xf9a03f), RGB(0xe0662a), RGB(0xa8321f),
};

struct pipa_color pipa_plot_color(size_t index)
{
	return hues[index % PIPA_PLOT_HUES];
}

static uint8_t mix(uint8_t a, uint8_t b, double share)
{
	return (uint8_t)lround(a + (b - a) * share);
}

struct pipa_color pipa_plot_scale_color(double at)
{
	enum { STEPS = PIPA_COUNT(scale) - 1 };
	double place = fmin(fmax(isnan(at) ? 0 : at, 0), 1) * STEPS;
	size_t low = place < STEPS - 1 ? (size_t)place : STEPS - 1;
	double share = place - (double)low;
	const struct pipa_color *a = &scale[low], *b = a + 1;

	return (struct pipa_color){ mix(a->r, b->r, share), mix(a->g, b->g, share),
				    mix(a->b, b->b, share) };
}

void pipa_plot_dash(size_t index, double *ret_dash, double *ret_gap)
{
	static const double patterns[][2] = { { 0, 0 }, { 5, 3 }, { 1.2, 2.4 }, { 9, 3 } };
	const double *pattern = patterns[index / PIPA_PLOT_HUES % PIPA_COUNT(patterns)];

	*ret_dash = pattern[0];
	*ret_gap = pattern[1];
}
