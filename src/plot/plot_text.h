/*
 * Texts of charts. All formats use the widths of Helvetica, so that a chart has the same layout in
 * each: PDF has the font built in, SVG asks for it or one of equal widths (Arial, Liberation Sans),
 * PNG has a stroke font of these widths.
 */
#ifndef PIPA_PLOT_PLOT_TEXT_H
#define PIPA_PLOT_PLOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

/* Return the advance of a character in thousandths of the font size. Wide characters take 1000. */
unsigned int pipa_plot_char_width(uint32_t ch);

/* Return the width of a prepared text. Bold text is slightly wider. */
double pipa_plot_text_width(const char *text, double size, bool bold);

/*
 * Append a text for drawing: invisible characters and invalid bytes escaped (base/visible.h), and
 * those that the font lacks (`has` returns false) written as "\u4e2d". A text wider than `width` is
 * shortened to end in "...". Returns the number of characters that the font lacks; allocation
 * failures are in the status of the buffer.
 */
size_t pipa_plot_text_prepare(const char *text, bool (*has)(uint32_t ch), double size, double width,
			      struct pipa_buf *out);

#endif
