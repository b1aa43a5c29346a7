#include "plot/plot_number.h"

#include <math.h>
#include <stdint.h>

#include "base/buf.h"

void pipa_plot_put_number(struct pipa_buf *out, double value)
{
	int64_t hundredths = isfinite(value) && fabs(value) < 1e12 ? llround(value * 100) : 0;
	unsigned int fraction;

	if (hundredths < 0) {
		pipa_buf_putc(out, '-');
		hundredths = -hundredths;
	}
	pipa_buf_put_i64(out, hundredths / 100);
	fraction = (unsigned int)(hundredths % 100);
	if (!fraction)
		return;
	pipa_buf_putc(out, '.');
	pipa_buf_putc(out, (char)('0' + fraction / 10));
	if (fraction % 10)
		pipa_buf_putc(out, (char)('0' + fraction % 10));
}
