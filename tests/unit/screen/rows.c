#include "rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "model/sections.h"
#include "screen/cells/glyph.h"

/* 2026-01-02 03:04:05 UTC */
static const struct pipa_tick tick = { .wall_ns = UINT64_C(1767323045) * 1000000000,
				       .interval_s = 1 };

static const struct pipa_section *find(const char *name)
{
	const struct pipa_section *section = pipa_section_find(name);

	if (section)
		return section;
	pipa_test_fail(__FILE__, __LINE__, "no section %s", name);
}

static void set(const struct pipa_section *section, double *values, const char *id, double value)
{
	bool found = false;
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		if (strcmp(id, "*") == 0 || strcmp(section->columns[i].id, id) == 0) {
			values[i] = value;
			found = true;
		}
	if (!found)
		pipa_test_fail(__FILE__, __LINE__, "no column %s", id);
}

void feed_row(struct pipa_monitor_model *model, const char *name, const char *instance, ...)
{
	const struct pipa_section *section = find(name);
	double values[64] = { 0 };
	const char *id;
	va_list ap;

	va_start(ap, instance);
	while ((id = va_arg(ap, const char *)))
		set(section, values, id, va_arg(ap, double));
	va_end(ap);
	CHECK_EQ(model->sink.row(&model->sink, section, &tick, instance, values), 0);
}

/* "1234 bash": a row of its CPU time and memory, and one of its storage */
void feed_process(struct pipa_monitor_model *model, const char *text, double cpu, double rss_kb,
		  double read_kb, double written_kb)
{
	double values[PIPA_COL_PROCESSES_NR], io[PIPA_COL_PROCESS_IO_NR];
	size_t i, pid = strcspn(text, " ");
	char instance[4096];

	for (i = 0; i < PIPA_COUNT(values); i++)
		values[i] = NAN;
	for (i = 0; i < PIPA_COUNT(io); i++)
		io[i] = NAN;
	values[PIPA_COL_PROCESSES_USR] = cpu / 2;
	values[PIPA_COL_PROCESSES_TOTAL] = cpu;
	values[PIPA_COL_PROCESSES_RSS] = rss_kb;
	io[PIPA_COL_PROCESS_IO_RD] = read_kb;
	io[PIPA_COL_PROCESS_IO_WR] = written_kb;
	snprintf(instance, sizeof(instance), "%.*s%c%c%c%s", (int)pid, text, '\0', 'S', '\0',
		 text + pid + (text[pid] == ' '));
	CHECK_EQ(model->sink.row(&model->sink, &pipa_sections[PIPA_SECTION_PROCESSES], &tick,
				 instance, values),
		 0);
	CHECK_EQ(model->sink.row(&model->sink, &pipa_sections[PIPA_SECTION_PROCESS_IO], &tick,
				 instance, io),
		 0);
}

void feed_end(struct pipa_monitor_model *model)
{
	CHECK_EQ(model->sink.end(&model->sink, &tick), 0);
}

static void feed_cpu(struct pipa_monitor_model *model, const char *name, double user)
{
	feed_row(model, "cpu", name, "cpu.usr", user, "cpu.sys", 10.0, "cpu.soft", 2.0, "cpu.steal",
		 3.0, "cpu.iowait", 5.0, "cpu.idle", 80.0 - user, NULL);
}

void feed_machine(struct pipa_monitor_model *model, int cpus)
{
	char name[16];
	int i;

	feed_cpu(model, "all", 40);
	for (i = 0; i < cpus; i++) {
		snprintf(name, sizeof(name), "%d", i);
		feed_cpu(model, name, i * 80 / (cpus > 1 ? cpus - 1 : 1));
	}
	feed_row(model, "mem", NULL, "memory.used", 2097152.0, "memory.buffers", 524288.0,
		 "memory.cached", 1048576.0, "memory.slab", 524288.0, "memory.free", 4194304.0,
		 NULL);
	feed_row(model, "swap", NULL, "swap.used", 262144.0, "swap.free", 786432.0, NULL);
	feed_row(model, "load", NULL, "load.running", 3.0, "load.tasks", 345.0, "load.1", 1.25,
		 "load.5", 0.5, "load.15", 0.25, "load.blocked", 1.0, NULL);
	feed_row(model, "cswch", NULL, "system.switches", 12345.0, NULL);
	feed_row(model, "psi-cpu", NULL, "psi.cpu.some_10", 12.34, NULL);
	feed_row(model, "psi-io", NULL, "psi.io.some_10", 1.5, "psi.io.full_10", 0.75, NULL);
	feed_row(model, "psi-memory", NULL, "*", 0.0, NULL);
	feed_row(model, "io", NULL, "io.read_sectors", 2048.0, "io.written_sectors", 4096.0, NULL);
	feed_row(model, "disk", "sda", "disk.read", 24.0, "disk.written", 48.0, "disk.await", 0.25,
		 "disk.util", 1.5, NULL);
	feed_row(model, "disk", "nvme0n1", "disk.read", 1000.0, "disk.written", 2000.0,
		 "disk.await", 12.5, "disk.util", 87.5, NULL);
	feed_row(model, "net", "lo", "net.rx", 1.0, "net.tx", 1.0, NULL);
	feed_row(model, "net", "docker0", NULL);
	feed_row(model, "net", "eth0", "net.rx", 1536.0, "net.tx", 512.0, "net.rx_packets", 1000.0,
		 "net.tx_packets", 500.0, NULL);
	feed_row(model, "net-errors", "eth0", "net.rx_errors", 1.0, "net.rx_drops", 2.0, NULL);
	feed_row(model, "net-errors", "lo", NULL);
	feed_row(model, "net-errors", "docker0", NULL);
}

void feed_processes(struct pipa_monitor_model *model)
{
	char name[40];
	int i;

	feed_process(model, "1 init", 0, 12000, NAN, NAN);
	feed_process(model, "4711 postgres: writer", 55.5, 800000, 120, 4096);
	feed_process(model, "4712 nginx", 12.25, 64000, 0, 0);
	feed_process(model, "99999 cc1", 99.97, 250000, 2048, 0);
	for (i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "%d worker/%d", 100 + i, i);
		feed_process(model, name, i % 5, 1000 + i, 0, 0);
	}
}

static void add_line(struct pipa_buf *text, const struct pipa_canvas *canvas, int y)
{
	const struct pipa_cell *cells = canvas->cells + (size_t)y * (size_t)canvas->width;
	int x, width = canvas->width;
	char bytes[4];

	while (width > 0 && cells[width - 1].ch == ' ')
		width--;
	for (x = 0; x < width; x++)
		if (cells[x].ch)
			pipa_buf_add(text, bytes, (size_t)pipa_glyph_encode(cells[x].ch, bytes));
}

const char *canvas_line(const struct pipa_canvas *canvas, int y)
{
	static struct pipa_buf text;

	pipa_buf_reset(&text);
	add_line(&text, canvas, y);
	return pipa_buf_str(&text);
}

const char *canvas_text(const struct pipa_canvas *canvas)
{
	static struct pipa_buf text;
	int y;

	pipa_buf_reset(&text);
	for (y = 0; y < canvas->height; y++) {
		add_line(&text, canvas, y);
		pipa_buf_putc(&text, '\n');
	}
	return pipa_buf_str(&text);
}
