#include "collect/meter/meters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "collect/meter/meter_table.h"
#include "kernel/machine/reread.h"
#include "kernel/machine/root.h"

/* A file to read. */
struct wanted {
	const struct pipa_proc_file *file;
	struct pipa_reread kept;
	bool missing;
};

struct meters {
	struct pipa_source source;
	struct pipa_root *root;
	struct pipa_readings readings;
	struct wanted *sources;
	size_t n_sources;
	const struct pipa_meter_section *sections[PIPA_SECTION_NR];
	size_t n_sections;
};

/* Cast: the source is the first member. */
static struct meters *meters_of(struct pipa_source *source)
{
	return (struct meters *)(void *)source;
}

static void meters_free(struct meters *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->n_sources; i++)
		pipa_reread_close(&m->sources[i].kept);
	free(m->sources);
	pipa_readings_done(&m->readings);
	free(m);
}

PIPA_DEFINE_AUTO(meters_free, struct meters *)

static const struct pipa_meter_section *find_section(const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < pipa_n_meter_table; i++)
		if (pipa_meter_table[i]->section == section)
			return pipa_meter_table[i];
	return NULL;
}

static bool meters_has(const struct pipa_section *section)
{
	return find_section(section);
}

static bool is_wanted(const struct meters *m, const struct pipa_proc_file *file)
{
	size_t i, k;

	for (i = 0; i < m->n_sections; i++)
		for (k = 0; k < PIPA_COUNT(file->groups); k++)
			if (m->sections[i]->group == file->groups[k])
				return true;
	return false;
}

static void open_source(struct pipa_root *root, const struct pipa_proc_file *file,
			struct wanted *source)
{
	int fd = pipa_root_file(root, PIPA_PROC, 0, "%s", file->path);

	source->file = file;
	source->missing = fd < 0;
	pipa_reread_open(&source->kept, fd < 0 ? -1 : fd, file->first_size);
}

static int meters_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		       struct pipa_source **ret, struct pipa_error *err)
{
	PIPA_AUTO(meters_free) struct meters *m = calloc(1, sizeof(*m));
	size_t i;

	if (!m)
		return pipa_fail(err, -ENOMEM, "open the machine's statistics");
	m->source.kind = &pipa_meters_source;
	m->root = root;
	pipa_readings_init(&m->readings);
	m->sources = calloc(pipa_n_proc_files, sizeof(*m->sources));
	if (!m->sources)
		return pipa_fail(err, -ENOMEM, "open the machine's statistics");
	for (i = 0; i < n; i++) {
		const struct pipa_meter_section *section = find_section(sections[i]);

		if (section && m->n_sections < PIPA_COUNT(m->sections))
			m->sections[m->n_sections++] = section;
		if (section && section->group == PIPA_GROUP_INTERRUPTS)
			m->readings.interrupts = true;
	}
	for (i = 0; i < pipa_n_proc_files; i++)
		if (is_wanted(m, &pipa_proc_files[i]))
			open_source(root, &pipa_proc_files[i], &m->sources[m->n_sources++]);
	*ret = &PIPA_TAKE(m)->source;
	return 0;
}

/* ---- what /sys knows of the rows ---------------------------------------------------------------- */

/* Set the marks of a disk. /sys replaces slashes of device names by exclamation marks. */
static void mark_disk(struct meters *m, struct pipa_raw_row *row)
{
	char name[PIPA_RAW_NAME];
	size_t i;

	for (i = 0; i < sizeof(name); i++)
		name[i] = row->name[i] == '/' ? '!' : row->name[i];
	row->mark = PIPA_MARK_SEEN;
	if (pipa_root_has(m->root, PIPA_SYS, "block/%s", name))
		row->mark |= PIPA_MARK_WHOLE;
	if (pipa_root_has(m->root, PIPA_SYS, "block/%s/device", name))
		row->mark |= PIPA_MARK_PHYSICAL;
}

static void mark_disks(struct meters *m)
{
	struct pipa_raw *raw = &m->readings.group[PIPA_GROUP_DISK];
	size_t i;

	for (i = 0; i < raw->n; i++)
		if (!raw->rows[i].mark)
			mark_disk(m, &raw->rows[i]);
}

/*
 * Read link speeds, which rarely change and are expensive: when an interface appears, and now and
 * then.
 */
static void fill_links(struct meters *m)
{
	enum { ASK_EVERY = 16 };
	struct pipa_raw *raw = &m->readings.group[PIPA_GROUP_NET];
	size_t i;

	for (i = 0; i < raw->n; i++) {
		uint64_t *fields = &raw->now[i * raw->fields];
		const uint64_t *before = pipa_raw_previous(raw, i);
		char duplex[16];

		if (raw->rows[i].mark && raw->tick % ASK_EVERY) {
			fields[NET_SPEED_MBIT] = before[NET_SPEED_MBIT];
			fields[NET_HALF_DUPLEX] = before[NET_HALF_DUPLEX];
			continue;
		}
		raw->rows[i].mark = PIPA_MARK_SEEN;
		if (pipa_root_read_u64(m->root, PIPA_SYS, &fields[NET_SPEED_MBIT],
				       "class/net/%s/speed", raw->rows[i].name) < 0)
			fields[NET_SPEED_MBIT] = 0;
		fields[NET_HALF_DUPLEX] = pipa_root_read(m->root, PIPA_SYS, duplex, sizeof(duplex),
							 "class/net/%s/duplex",
							 raw->rows[i].name) <= 0 ||
					  strcmp(duplex, "full") != 0;
	}
}

/* ---- reading and handing out -------------------------------------------------------------------- */

static int meters_read(struct pipa_source *source, struct pipa_error *err)
{
	struct meters *m = meters_of(source);
	size_t i;

	pipa_readings_begin(&m->readings);
	for (i = 0; i < m->n_sources; i++) {
		struct wanted *file = &m->sources[i];
		ssize_t n = file->missing ? -ENOENT : pipa_reread_read(&file->kept);

		if (n == -ENOMEM)
			return pipa_fail(err, -ENOMEM, "read /proc/%s", file->file->path);
		if (n < 0 && n != -EINTR &&
		    n != -EAGAIN) /* -EOPNOTSUPP for pressure files if PSI is disabled */
			file->missing = true;
		else if (n >= 0)
			pipa_proc_parse(file->file, file->kept.data, (size_t)n, &m->readings);
	}
	fill_links(m);
	pipa_readings_end(&m->readings);
	mark_disks(m);
	for (i = 0; i < PIPA_GROUP_NR; i++)
		if (m->readings.group[i].status < 0)
			return pipa_fail(err, m->readings.group[i].status,
					 "read the machine's statistics");
	return 0;
}

static int meters_emit(struct pipa_source *source, const struct pipa_tick *tick, bool whole,
		       struct pipa_series_sink *sink)
{
	struct meters *m = meters_of(source);
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < m->n_sections; i++)
		rc = pipa_meter_emit(m->sections[i], &m->readings.group[m->sections[i]->group],
				     tick, whole, sink);
	return rc;
}

static bool meters_missing(struct pipa_source *source, size_t index, char *path, size_t size)
{
	struct meters *m = meters_of(source);
	size_t i;

	for (i = 0; i < m->n_sources; i++)
		if (m->sources[i].missing && index-- == 0) {
			snprintf(path, size, "/proc/%s", m->sources[i].file->path);
			return true;
		}
	return false;
}

static void meters_close(struct pipa_source *source)
{
	meters_free(meters_of(source));
}

const struct pipa_source_kind pipa_meters_source = {
	.has = meters_has,
	.open = meters_open,
	.close = meters_close,
	.read = meters_read,
	.emit = meters_emit,
	.missing = meters_missing,
};
