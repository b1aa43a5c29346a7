/* An untrusted name, painted: no control character gets into a cell, no wide one is halved. */
#include "fuzz.h"
#include "screen/cells/canvas.h"

static void check(const struct pipa_canvas *canvas)
{
	int i;

	for (i = 0; i < canvas->width * canvas->height; i++) {
		uint32_t ch = canvas->cells[i].ch;

		MUST(ch == 0 || (ch >= ' ' && ch < 0x7f) || ch >= 0xa0);
		MUST(ch < 0xd800 || ch > 0xdfff);
		MUST(ch < 0x202a || ch > 0x202e); /* turns the line round */
		if (ch == 0)
			MUST(i % canvas->width > 0 && canvas->cells[i - 1].ch >= 0x1100);
		MUST(canvas->utf8 || ch < 0x80);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PIPA_AUTO(free) char *text = fuzz_text(data, size);
	int width;

	for (width = 1; width < 12; width += 3) {
		struct pipa_canvas canvas = { .utf8 = size % 3 != 0 };

		MUST(pipa_canvas_resize(&canvas, 10, 2) == 0);
		MUST(pipa_canvas_put(&canvas, 0, 0, width, PIPA_STYLE_PLAIN, text) <= width);
		pipa_canvas_right(&canvas, 3, 0, width, PIPA_STYLE_PLAIN, text);
		pipa_canvas_put(&canvas, 5, 1, 20, PIPA_STYLE_PLAIN, text);
		MUST(pipa_canvas_measure(text) <= 4 * (int)strlen(text));
		check(&canvas);
		pipa_canvas_done(&canvas);
	}
	return 0;
}
