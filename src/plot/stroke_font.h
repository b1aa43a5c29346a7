/*
 * Stroke font for images without fonts: printable ASCII and the signs that units need, drawn for this
 * project with the advances of Helvetica, so that layouts agree.
 */
#ifndef PIPA_PLOT_STROKE_FONT_H
#define PIPA_PLOT_STROKE_FONT_H

#include <stdbool.h>
#include <stdint.h>

#include "plot/drawing.h"

struct pipa_raster;

/* Does the font have the character? */
bool pipa_stroke_font_has(uint32_t ch);

/* Add the strokes of a text to the raster; the caller fills them. */
void pipa_stroke_font_add(struct pipa_raster *raster, const struct pipa_drawn_text *text);

#endif
