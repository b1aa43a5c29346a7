#include "collect/meter/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "collect/meter/device_kinds.h"
#include "kernel/machine/limit.h"
#include "kernel/machine/root.h"

enum { ONLINE_SIZE = 256, ASK_EVERY = 16 };

/* A section and its files. */
struct device_class {
	const struct pipa_device_kind *kind;
	struct pipa_device_parts parts;
	struct pipa_raw raw;
	struct pipa_reread online; /* list of existing devices: a change causes a new search */
	char was_online[ONLINE_SIZE];
	size_t was_len;
};

struct devices {
	struct pipa_source source;
	struct pipa_root *root;
	struct device_class classes[PIPA_DEVICE_KINDS];
	size_t n;
};

static bool devices_has(const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < PIPA_DEVICE_KINDS; i++)
		if (pipa_device_kinds[i].section->section == section)
			return true;
	return false;
}

/* Cast: the source is the first member. */
static struct devices *devices_of(struct pipa_source *source)
{
	return (struct devices *)(void *)source;
}

static void devices_free(struct devices *d)
{
	size_t i;

	for (i = 0; d && i < d->n; i++) {
		pipa_device_parts_done(&d->classes[i].parts);
		pipa_raw_done(&d->classes[i].raw);
		pipa_reread_close(&d->classes[i].online);
	}
	free(d);
}

PIPA_DEFINE_AUTO(devices_free, struct devices *)

static int find_parts(struct devices *d, struct device_class *class)
{
	pipa_device_parts_done(&class->parts);
	return class->kind->find(d->root, &class->parts);
}

static void open_online(struct devices *d, struct device_class *class)
{
	int fd = -1;

	if (class->kind->online)
		fd = pipa_root_file(d->root, PIPA_SYS, 0, "%s", class->kind->online);
	if (fd >= 0)
		pipa_reread_open(&class->online, fd, ONLINE_SIZE);
}

static int open_class(struct devices *d, const struct pipa_device_kind *kind)
{
	struct device_class *class = &d->classes[d->n++];

	*class = (struct device_class){ .kind = kind, .online.fd = -1 };
	pipa_raw_init(&class->raw, kind->fields);
	class->raw.cpus = kind->cpus;
	open_online(d, class);
	return find_parts(d, class);
}

static int devices_open(struct pipa_root *root, const struct pipa_section *const *sections,
			size_t n, struct pipa_source **ret, struct pipa_error *err)
{
	PIPA_AUTO(devices_free) struct devices *d = calloc(1, sizeof(*d));
	size_t i, k;
	int rc = d ? 0 : -ENOMEM;

	if (d) {
		d->source.kind = &pipa_devices_source;
		d->root = root;
		pipa_limit_raise_files(); /* one frequency file per CPU */
	}
	for (i = 0; !rc && i < n; i++)
		for (k = 0; !rc && k < PIPA_DEVICE_KINDS; k++)
			if (sections[i] == pipa_device_kinds[k].section->section)
				rc = open_class(d, &pipa_device_kinds[k]);
	if (rc < 0)
		return pipa_fail(err, rc, "open the machine's devices");
	*ret = &PIPA_TAKE(d)->source;
	return 0;
}

static void devices_close(struct pipa_source *source)
{
	devices_free(devices_of(source));
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* Did a CPU or node come or go since the last interval? */
static bool has_changed(struct device_class *class)
{
	ssize_t n = class->online.fd < 0 ? -ENOENT : pipa_reread_read(&class->online);
	size_t len = n < ONLINE_SIZE ? (size_t)n : ONLINE_SIZE;

	if (n < 0)
		return false;
	if (len == class->was_len && memcmp(class->was_online, class->online.data, len) == 0)
		return false;
	memcpy(class->was_online, class->online.data, len);
	class->was_len = len;
	return true;
}

/* Read a file into its row; files that rarely change are read now and then. */
static int read_part(struct device_class *class, struct pipa_device_part *part)
{
	struct pipa_raw *raw = &class->raw;
	uint64_t *fields;
	size_t row;
	ssize_t n;

	if (part->text) {
		n = pipa_reread_read(&part->kept);
		if (n >= 0)
			part->text(part->kept.data, (size_t)n, raw);
		return n == -ENOMEM ? -ENOMEM : 0;
	}
	fields = pipa_raw_put(raw, part->row, strlen(part->row));
	if (!fields)
		return -ENOMEM;
	row = raw->next - 1;
	if (part->rarely && raw->rows[row].known && raw->tick % ASK_EVERY) {
		fields[part->field] = pipa_raw_previous(raw, row)[part->field];
		return 0;
	}
	n = pipa_reread_read(&part->kept);
	if (n >= 0)
		part->parse(part->kept.data, (size_t)n, &fields[part->field]);
	return n == -ENOMEM ? -ENOMEM : 0;
}

/* Compute the mean of the CPUs for the row "all", the first, which has one gauge field. */
static void fill_mean(struct pipa_raw *raw)
{
	uint64_t sum = 0, n = 0;
	size_t row;

	for (row = 1; row < raw->n; row++)
		if (pipa_raw_is_here(raw, row) && raw->now[row] != PIPA_RAW_MISSING) {
			sum += raw->now[row];
			n++;
		}
	if (n)
		raw->now[0] = (sum + n / 2) / n;
}

static int read_class(struct devices *d, struct device_class *class)
{
	struct pipa_raw *raw = &class->raw;
	size_t i;
	int rc = 0;

	if (has_changed(class) && raw->tick)
		rc = find_parts(d, class);
	pipa_raw_begin(raw);
	if (!rc && class->parts.n && class->kind->cpus && !pipa_raw_put(raw, "all", 3))
		rc = -ENOMEM;
	for (i = 0; !rc && i < class->parts.n; i++)
		rc = read_part(class, &class->parts.items[i]);
	if (raw->n && class->kind->cpus)
		fill_mean(raw);
	pipa_raw_end(raw);
	return rc ? rc : raw->status;
}

static int devices_read(struct pipa_source *source, struct pipa_error *err)
{
	struct devices *d = devices_of(source);
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < d->n; i++)
		rc = read_class(d, &d->classes[i]);
	return rc < 0 ? pipa_fail(err, rc, "read the machine's devices") : 0;
}

static int devices_emit(struct pipa_source *source, const struct pipa_tick *tick, bool whole,
			struct pipa_series_sink *sink)
{
	struct devices *d = devices_of(source);
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < d->n; i++)
		rc = pipa_meter_emit(d->classes[i].kind->section, &d->classes[i].raw, tick, whole,
				     sink);
	return rc;
}

static bool devices_missing(struct pipa_source *source, size_t index, char *path, size_t size)
{
	struct devices *d = devices_of(source);
	size_t i;

	for (i = 0; i < d->n; i++)
		if (!d->classes[i].parts.n && index-- == 0) {
			snprintf(path, size, "/sys/%s", d->classes[i].kind->path);
			return true;
		}
	return false;
}

const struct pipa_source_kind pipa_devices_source = {
	.has = devices_has,
	.open = devices_open,
	.close = devices_close,
	.read = devices_read,
	.emit = devices_emit,
	.missing = devices_missing,
};
