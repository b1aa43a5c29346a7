/*
 * Panels of the monitor: each paints its part of the model into a box and omits what is missing.
 */
#ifndef PIPA_SCREEN_MONITOR_MONITOR_PANELS_H
#define PIPA_SCREEN_MONITOR_MONITOR_PANELS_H

#include <stdbool.h>
#include <stddef.h>

#include "screen/cells/canvas.h"
#include "screen/monitor/monitor_model.h"

/*
 * Paint CPUs as bars in columns, as one cell each if that would take more than `limit` rows, or as
 * one bar for all if folded. Returns the rows used.
 */
int pipa_panel_cpu_rows(const struct pipa_monitor_model *model, int width, int limit, bool folded);
void pipa_panel_cpu(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		    const struct pipa_box *box, bool folded);

/*
 * Paint the lines of memory, swap, pressure and tasks that are available: line `index`, or return
 * their number.
 */
size_t pipa_panel_meters(const struct pipa_monitor_model *model);
void pipa_panel_meter(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		      const struct pipa_box *box, size_t index);

/* Paint a value over time, newest at the right. */
void pipa_panel_chart(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		      const struct pipa_box *box, enum pipa_history which);

/* Paint a title and the busiest devices. */
void pipa_panel_disks(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		      const struct pipa_box *box);
void pipa_panel_interfaces(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
			   const struct pipa_box *box);

#endif
