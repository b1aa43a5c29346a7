/* Write the counters of a run. */
#include "base/buf.h"
#include "export/table/run.h"
#include "export/text/number.h"
#include "export/text/plain.h"

enum { NAME_WIDTH = 27, VALUE_WIDTH = 16 };

/* Return the digits after the point: none for integers. */
static int digits_of(double value)
{
	return value == (double)(long long)value ? 0 : 3;
}

static void put_counter_row(const struct pipa_stat_row *row, struct pipa_buf *out)
{
	static const char *const states[] = {
		[PIPA_NOT_COUNTED] = "not counted", [PIPA_NOT_SUPPORTED] = "not supported"
	};
	size_t width;
	char text[64];

	pipa_buf_puts(out, "  ");
	width = pipa_plain_put(out, row->name, NAME_WIDTH);
	pipa_buf_fill(out, ' ', NAME_WIDTH - width);
	if (row->state != PIPA_COUNTED) {
		pipa_buf_printf(out, " %*s\n", VALUE_WIDTH, states[row->state]);
		return;
	}
	pipa_buf_printf(out, " %*s", VALUE_WIDTH,
			pipa_number_text(row->value, digits_of(row->value), false, text,
					 sizeof(text)));
	if (row->unit && row->unit[0])
		pipa_buf_printf(out, " %s", row->unit);
	if (row->running_ns < row->enabled_ns)
		pipa_buf_printf(out, "  (counted %.0f %% of the time)",
				100 * (double)row->running_ns / (double)row->enabled_ns);
	pipa_buf_putc(out, '\n');
}

void pipa_run_counters_text(const struct pipa_stat *stat, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < stat->n_rows; i++)
		put_counter_row(&stat->rows[i], out);
}
