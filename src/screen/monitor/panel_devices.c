/* Panels of disks and network interfaces. */
#include <math.h>
#include <string.h>

#include "screen/cells/amount.h"
#include "screen/monitor/monitor_panels.h"

/* WIDEST: in a wider column numbers would be too far from names */
enum { MAX_ROWS = 128, MAX_COLUMNS = 4, WIDEST = 64 };

struct device_column {
	const char *title;
	int width;
	double (*value)(const struct pipa_monitor_model *model, const struct pipa_grid *grid,
			size_t row);
	void (*text)(char out[static PIPA_AMOUNT_MAX], double value);
	bool spared; /* omitted if there is little space */
};

struct device_kind {
	enum pipa_section_id section;
	const char *title;
	struct device_column columns[MAX_COLUMNS];
	double (*busy)(const struct pipa_monitor_model *model, const struct pipa_grid *grid,
		       size_t row);
};

#define VALUE(name, column)                                                                        \
	static double name(const struct pipa_monitor_model *model PIPA_UNUSED,                     \
			   const struct pipa_grid *grid, size_t row)                               \
	{                                                                                          \
		return pipa_grid_value(grid, row, column);                                         \
	}

VALUE(disk_read, PIPA_COL_DISK_READ)
VALUE(disk_written, PIPA_COL_DISK_WRITTEN)
VALUE(disk_await, PIPA_COL_DISK_AWAIT)
VALUE(disk_util, PIPA_COL_DISK_UTIL)
VALUE(net_rx, PIPA_COL_NET_RX)
VALUE(net_tx, PIPA_COL_NET_TX)

/* Rank disks by utilization, or by throughput if utilization is unknown. */
static double disk_busy(const struct pipa_monitor_model *model, const struct pipa_grid *grid,
			size_t row)
{
	double moved = disk_read(model, grid, row) + disk_written(model, grid, row);
	double util = disk_util(model, grid, row);

	return (isnan(util) ? 0 : util) + (isnan(moved) ? 0 : moved / (1 + moved));
}

static double net_busy(const struct pipa_monitor_model *model, const struct pipa_grid *grid,
		       size_t row)
{
	double moved = net_rx(model, grid, row) + net_tx(model, grid, row);

	return isnan(moved) ? -1 : moved;
}

static double net_packets(const struct pipa_monitor_model *model PIPA_UNUSED,
			  const struct pipa_grid *grid, size_t row)
{
	return pipa_grid_value(grid, row, PIPA_COL_NET_RX_PACKETS) +
	       pipa_grid_value(grid, row, PIPA_COL_NET_TX_PACKETS);
}

/* Return errors and drops, which are in another section. */
static double net_errors(const struct pipa_monitor_model *model, const struct pipa_grid *grid,
			 size_t row)
{
	const struct pipa_grid *errors = pipa_monitor_model_grid(model, PIPA_SECTION_NET_ERRORS);
	size_t at = pipa_grid_find(errors, pipa_grid_name(grid, row));

	return pipa_grid_value(errors, at, PIPA_COL_NET_ERRORS_RX_ERRORS) +
	       pipa_grid_value(errors, at, PIPA_COL_NET_ERRORS_TX_ERRORS) +
	       pipa_grid_value(errors, at, PIPA_COL_NET_ERRORS_RX_DROPS) +
	       pipa_grid_value(errors, at, PIPA_COL_NET_ERRORS_TX_DROPS);
}

static const struct device_kind disks = {
	PIPA_SECTION_DISK,
	"Disk",
	{
		{ "read/s", 7, disk_read, pipa_amount_size, false },
		{ "write/s", 8, disk_written, pipa_amount_size, false },
		{ "await", 6, disk_await, pipa_amount_count, true },
		{ "util%", 6, disk_util, pipa_amount_percent, false },
	},
	disk_busy,
};

static const struct device_kind interfaces = {
	PIPA_SECTION_NET,
	"Net",
	{
		{ "rx/s", 7, net_rx, pipa_amount_size, false },
		{ "tx/s", 7, net_tx, pipa_amount_size, false },
		{ "pkt/s", 7, net_packets, pipa_amount_count, true },
		{ "err/s", 6, net_errors, pipa_amount_count, false },
	},
	net_busy,
};

/* Find the n busiest rows, in order; the sort is stable. */
static size_t find_busiest(const struct device_kind *kind, const struct pipa_monitor_model *model,
			   const struct pipa_grid *grid, size_t n, size_t out[static MAX_ROWS])
{
	double keys[MAX_ROWS];
	size_t row, count = 0, i;

	for (row = 0; row < grid->n; row++) {
		double key = kind->busy(model, grid, row);

		if (count == n && !(key > keys[n - 1]))
			continue;
		for (i = count < n ? count++ : n - 1; i > 0 && key > keys[i - 1]; i--) {
			keys[i] = keys[i - 1];
			out[i] = out[i - 1];
		}
		keys[i] = key;
		out[i] = row;
	}
	return count;
}

static int paint_line(const struct device_kind *kind, const struct pipa_monitor_model *model,
		      const struct pipa_grid *grid, struct pipa_canvas *canvas,
		      const struct pipa_box *line, size_t row)
{
	bool spare = line->width < 36;
	int x = line->x + line->width;
	size_t i;

	for (i = MAX_COLUMNS; i-- > 0;) {
		const struct device_column *column = &kind->columns[i];
		char text[PIPA_AMOUNT_MAX];
		bool is_title = row == grid->n;
		enum pipa_cell_style style = PIPA_STYLE_DIM;

		if (spare && column->spared)
			continue;
		if (!is_title) {
			column->text(text, column->value(model, grid, row));
			if (strcmp(text, "0") != 0 && strcmp(text, "0.0") != 0)
				style = PIPA_STYLE_PLAIN;
		}
		x -= column->width;
		pipa_canvas_right(canvas, x, line->y, column->width, style,
				  is_title ? column->title : text);
	}
	return x - line->x;
}

static void paint_devices(const struct device_kind *kind, const struct pipa_monitor_model *model,
			  struct pipa_canvas *canvas, const struct pipa_box *box)
{
	const struct pipa_grid *grid = pipa_monitor_model_grid(model, kind->section);
	size_t rows[MAX_ROWS], n, i;
	struct pipa_box line = { box->x, box->y, box->width < WIDEST ? box->width : WIDEST, 1 };
	int room;

	if (box->height < 2 || !grid)
		return;
	n = (size_t)box->height - 1 < MAX_ROWS ? (size_t)box->height - 1 : MAX_ROWS;
	n = find_busiest(kind, model, grid, n, rows);
	room = paint_line(kind, model, grid, canvas, &line, grid->n);
	pipa_canvas_put(canvas, line.x, line.y, room, PIPA_STYLE_DIM, kind->title);
	for (i = 0; i < n; i++) {
		line.y++;
		room = paint_line(kind, model, grid, canvas, &line, rows[i]);
		pipa_canvas_put(canvas, line.x, line.y, room, PIPA_STYLE_PLAIN,
				pipa_grid_name(grid, rows[i]));
	}
}

void pipa_panel_disks(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		      const struct pipa_box *box)
{
	paint_devices(&disks, model, canvas, box);
}

void pipa_panel_interfaces(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
			   const struct pipa_box *box)
{
	paint_devices(&interfaces, model, canvas, box);
}
