/*
 * SVG image under construction: shared by flame_svg.c, flame_svg_color.c and flame_svg_legend.c
 * only.
 */
#ifndef PIPA_EXPORT_VIEW_FLAME_SVG_OWN_H
#define PIPA_EXPORT_VIEW_FLAME_SVG_OWN_H

#include "analyze/profile/flame.h"

struct pipa_buf;
struct pipa_view;

struct pipa_flame_colors {
	const struct pipa_view *view;
	char by;       /* 'l'ibrary, 'k'ind, 's'elf, 'c'hange */
	uint8_t *hues; /* [string] hue of an object; NULL: hues by name */
	double scale;  /* scale factor of the baseline's weights */
	double slack;  /* smaller changes are pale */
};

/* Choose the colours. 0 or -ENOMEM; call pipa_flame_colors_done() in any case. */
int pipa_flame_colors_init(struct pipa_flame_colors *colors, const struct pipa_view *view);
void pipa_flame_colors_done(struct pipa_flame_colors *colors);

/* Append the class of a node's frame, see web/svg.css. */
void pipa_flame_color(const struct pipa_flame_colors *colors, uint32_t node, char ret[static 8]);

/* Lay out the legend in lines of this many pixels: return its height (0: none), or write it. */
double pipa_flame_legend_height(const struct pipa_flame_colors *colors, double room);
void pipa_flame_legend_put(const struct pipa_flame_colors *colors, double x, double y, double room,
			   struct pipa_buf *out);

#endif
