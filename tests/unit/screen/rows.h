/* Invented ticks for the model, and the canvas as text. */
#ifndef PIPA_TESTS_SCREEN_ROWS_H
#define PIPA_TESTS_SCREEN_ROWS_H

#include "screen/cells/canvas.h"
#include "screen/monitor/monitor_model.h"

/*
 * A row of a section by name, "id", value pairs up to a NULL; columns that are not named are 0. "*"
 * is all columns.
 */
void feed_row(struct pipa_monitor_model *model, const char *section, const char *instance, ...)
	__attribute__((sentinel));
void feed_process(struct pipa_monitor_model *model, const char *instance, double cpu, double rss_kb,
		  double read_kb, double written_kb);
void feed_end(struct pipa_monitor_model *model);

/* A tick of a machine with that many CPUs, two disks, three interfaces. */
void feed_machine(struct pipa_monitor_model *model, int cpus);
void feed_processes(struct pipa_monitor_model *model);

/* Return all lines without trailing spaces; valid until the next call. */
const char *canvas_text(const struct pipa_canvas *canvas);
const char *canvas_line(const struct pipa_canvas *canvas, int y);

#endif
