#include "perf/record_fields.h"

#include <string.h>

#include "base/auto.h"
#include "base/cursor.h"
#include "perf/decode.h"

/* A field: 1, 2, 4 or 8 bytes of a number, or with `is_bytes` so many bytes, 0: a string up to its NUL. */
struct field_layout {
	const char *name;
	uint8_t size;
	bool is_bytes;
};

enum { LAYOUT_FIELDS = 8 };

struct record_layout {
	uint32_t type;
	bool complete;
	struct field_layout fields[LAYOUT_FIELDS];
};

enum { RECORD_READ = 8, RECORD_NAMESPACES = 16 };

/* clang-format off */
static const struct record_layout layouts[] = {
	{ RECORD_READ, true, { { "pid", 4, false }, { "tid", 4, false } } },
	{ 11, true, { { "aux_offset", 8, false }, { "aux_size", 8, false }, { "flags", 8, false } } },
	{ 12, true, { { "pid", 4, false }, { "tid", 4, false } } },
	{ RECORD_NAMESPACES, true, { { "pid", 4, false }, { "tid", 4, false }, { "nr_namespaces", 8, false } } },
	{ 18, true, { { "type", 2, false }, { "flags", 2, false }, { "id", 4, false }, { "tag", 8, true } } },
	{ 20, false, { { "addr", 8, false }, { "old_len", 2, false }, { "new_len", 2, false } } },
	{ 21, true, { { "hw_id", 8, false } } },
	{ 22, false, { { "cookie", 8, false }, { "nr", 8, false } } },
	/* of perf and pipa */
	{ 64, false, { { "type", 4, false }, { "size", 4, false }, { "config", 8, false } } },
	{ 65, true, { { "event_id", 8, false }, { "name", 0, true } } },
	{ 66, true, { { "size", 4, false } } }, /* the data follow the record */
	{ 67, true, { { "pid", 4, false }, { "build_id", 24, true }, { "filename", 0, true } } },
	{ 68, true, { { NULL, 0, false } } },
	{ 69, false, { { "nr", 8, false } } },
	{ 70, false, { { "type", 4, false } } },
	{ 71, true, { { "size", 8, false }, { "offset", 8, false }, { "reference", 8, false }, { "idx", 4, false },
		      { "tid", 4, false }, { "cpu", 4, false } } },
	{ 72, false, { { "type", 4, false }, { "code", 4, false }, { "cpu", 4, false }, { "pid", 4, false },
		       { "tid", 4, false }, { "fmt", 4, false }, { "ip", 8, false }, { "time", 8, false } } },
	{ 73, false, { { "nr", 8, false } } },
	{ 74, false, { { "type", 2, false } } },
	{ 75, false, { { "nr", 8, false } } },
	{ 76, true, { { "id", 8, false }, { "cpu", 4, false }, { "thread", 4, false }, { "val", 8, false },
		      { "ena", 8, false }, { "run", 8, false } } },
	{ 77, true, { { "type", 8, false }, { "time", 8, false } } },
	{ 78, false, { { "type", 8, false }, { "id", 8, false } } },
	{ 79, false, { { "time_shift", 8, false }, { "time_mult", 8, false }, { "time_zero", 8, false } } },
	{ 80, false, { { "feat_id", 8, false } } },
	{ 81, true, { { NULL, 0, false } } }, /* the content is records */
	{ 82, true, { { NULL, 0, false } } },
	{ 83, true, { { "data_size", 8, false } } },
};
/* clang-format on */

static uint64_t get_number(struct pipa_cursor *c, uint8_t size)
{
	switch (size) {
	case 2: return pipa_get_u16(c);
	case 4: return pipa_get_u32(c);
	default: return pipa_get_u64(c);
	}
}

/* Append a number if it is within the record. */
static void add_number(struct pipa_rec_field *ret, size_t *n, const char *name,
		       struct pipa_cursor *c, uint8_t size)
{
	uint64_t value = get_number(c, size);

	if (!c->status && *n < PIPA_PERF_FIELDS_MAX)
		ret[(*n)++] = (struct pipa_rec_field){ .name = name, .value = value };
}

static void add_bytes(struct pipa_rec_field *ret, size_t *n, const char *name,
		      struct pipa_cursor *c, size_t size)
{
	const uint8_t *bytes;

	if (!size) {
		bytes = (const uint8_t *)pipa_get_str(c);
		size = bytes && !c->status ? strlen((const char *)bytes) : 0;
	} else {
		bytes = pipa_get_bytes(c, size);
	}
	if (!c->status && bytes && *n < PIPA_PERF_FIELDS_MAX)
		ret[(*n)++] = (struct pipa_rec_field){ .name = name, .bytes = bytes, .len = size };
}

/* The value of one event; groups are not read by PERF_RECORD_READ. */
static void add_read_values(struct pipa_rec_field *ret, size_t *n, struct pipa_cursor *c,
			    uint64_t read_format)
{
	enum { ENABLED = 1, RUNNING = 2, ID = 4, LOST = 16 };

	add_number(ret, n, "value", c, 8);
	if (read_format & ENABLED)
		add_number(ret, n, "time_enabled", c, 8);
	if (read_format & RUNNING)
		add_number(ret, n, "time_running", c, 8);
	if (read_format & ID)
		add_number(ret, n, "id", c, 8);
	if (read_format & LOST)
		add_number(ret, n, "lost", c, 8);
}

static void add_namespaces(struct pipa_rec_field *ret, size_t *n, struct pipa_cursor *c)
{
	static const char *const names[][2] = {
		{ "net_dev", "net_ino" },	{ "uts_dev", "uts_ino" },
		{ "ipc_dev", "ipc_ino" },	{ "pid_dev", "pid_ino" },
		{ "user_dev", "user_ino" },	{ "mnt_dev", "mnt_ino" },
		{ "cgroup_dev", "cgroup_ino" },
	};
	uint64_t i, nr = *n ? ret[*n - 1].value : 0;

	for (i = 0; i < nr && i < PIPA_COUNT(names) && !c->status; i++) {
		add_number(ret, n, names[i][0], c, 8);
		add_number(ret, n, names[i][1], c, 8);
	}
}

size_t pipa_perf_record_fields(const struct pipa_perf_raw *raw, uint64_t read_format,
			       struct pipa_rec_field ret[static PIPA_PERF_FIELDS_MAX],
			       bool *ret_complete)
{
	struct pipa_cursor c = { raw->body, raw->body + raw->len, raw->swapped, 0 };
	const struct record_layout *layout = NULL;
	size_t i, n = 0;

	for (i = 0; i < PIPA_COUNT(layouts); i++)
		if (layouts[i].type == raw->type)
			layout = &layouts[i];
	*ret_complete = layout && layout->complete;
	for (i = 0; layout && i < LAYOUT_FIELDS && layout->fields[i].name && !c.status; i++) {
		const struct field_layout *field = &layout->fields[i];

		if (field->is_bytes)
			add_bytes(ret, &n, field->name, &c, field->size);
		else
			add_number(ret, &n, field->name, &c, field->size);
	}
	if (layout && layout->type == RECORD_READ)
		add_read_values(ret, &n, &c, read_format);
	if (layout && layout->type == RECORD_NAMESPACES)
		add_namespaces(ret, &n, &c);
	*ret_complete = *ret_complete && !c.status;
	return n;
}
