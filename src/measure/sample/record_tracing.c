#include "measure/sample/record_tracing.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "kernel/machine/root.h"
#include "model/event.h"

/* Name of a tracepoint: "sched:sched_switch:u". */
struct name {
	int system_len, name_len;
	const char *system, *name;
};

static bool parse_name(const struct pipa_event *event, struct name *ret)
{
	const char *colon = strchr(event->name, ':');

	if (event->kind != PIPA_EVENT_TRACEPOINT || !colon)
		return false;
	ret->system = event->name;
	ret->system_len = (int)(colon - event->name);
	ret->name = colon + 1;
	ret->name_len = (int)strcspn(colon + 1, ":");
	return true;
}

static bool same_system(const struct name *a, const struct name *b)
{
	return a->system_len == b->system_len &&
	       memcmp(a->system, b->system, (size_t)a->system_len) == 0;
}

static bool same_name(const struct name *a, const struct name *b)
{
	return same_system(a, b) && a->name_len == b->name_len &&
	       memcmp(a->name, b->name, (size_t)a->name_len) == 0;
}

/* Is it the first event of that name? An event given twice is described once. */
static bool is_first(const struct pipa_events *events, size_t i, const struct name *name,
		     bool (*same)(const struct name *a, const struct name *b))
{
	struct name other;
	size_t k;

	for (k = 0; k < i; k++)
		if (parse_name(&events->items[k], &other) && same(&other, name))
			return false;
	return true;
}

/* Append the size of a file in `bytes` bytes, then its text. */
static int put_file(struct pipa_root *root, struct pipa_buf *out, size_t bytes, const char *path)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_TRACE, 0, "%s", path);
	char chunk[8192];
	uint64_t size = 0;
	size_t at = out->len;
	ssize_t n;

	if (fd < 0)
		return fd;
	pipa_buf_add(out, &size, bytes);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		pipa_buf_add(out, chunk, (size_t)n);
	if (n < 0)
		return -errno;
	size = out->len - at - bytes;
	if (!out->status) /* the low half comes first, or all of it is written */
		memcpy(out->data + at,
		       (const char *)&size +
			       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - bytes : 0),
		       bytes);
	return out->status;
}

static int put_format(struct pipa_root *root, struct pipa_buf *out, const struct name *name)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%.*s/%.*s/format", name->system_len, name->system,
		 name->name_len, name->name);
	return put_file(root, out, 8, path);
}

static int put_system(struct pipa_root *root, const struct pipa_events *events,
		      const struct name *system, struct pipa_buf *out)
{
	struct name name;
	uint32_t n = 0;
	size_t at, i;
	int rc = 0;

	pipa_buf_add(out, system->system, (size_t)system->system_len);
	pipa_buf_putc(out, '\0');
	at = out->len;
	pipa_buf_add(out, &n, sizeof(n));
	for (i = 0; !rc && i < events->n; i++)
		if (parse_name(&events->items[i], &name) && same_system(&name, system) &&
		    is_first(events, i, &name, same_name)) {
			rc = put_format(root, out, &name);
			n++;
		}
	if (!out->status)
		memcpy(out->data + at, &n, sizeof(n));
	return rc;
}

/*
 *	23 8 68 "tracing" | "0.6" | byte order | size of long | u32 page size
 *	"header_page" u64 size, text | "header_event" u64 size, text
 *	u32 formats of the tracer's own, none | u32 systems: name, u32 formats: u64 size, text
 *	u32 kallsyms' size, none | u32 size, printk formats | u64 size of command names, none
 */
static void put_start(struct pipa_buf *out)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	pipa_buf_add(out, "\027\010\104tracing", 10);
	pipa_buf_add(out, "0.6", 4);
	pipa_buf_putc(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	pipa_buf_putc(out, sizeof(long));
	pipa_buf_add(out, &page, sizeof(page));
}

static int put_systems(struct pipa_root *root, const struct pipa_events *events,
		       struct pipa_buf *out)
{
	struct name name;
	uint32_t n = 0;
	size_t at = out->len, i;
	int rc = 0;

	pipa_buf_add(out, &n, sizeof(n));
	for (i = 0; !rc && i < events->n; i++)
		if (parse_name(&events->items[i], &name) &&
		    is_first(events, i, &name, same_system)) {
			rc = put_system(root, events, &name, out);
			n++;
		}
	if (!out->status)
		memcpy(out->data + at, &n, sizeof(n));
	return rc;
}

int pipa_record_trace(struct pipa_root *root, const struct pipa_events *events,
		      struct pipa_buf *out, struct pipa_error *err)
{
	static const uint8_t zeros[8];
	struct name name;
	size_t i;
	int rc;

	for (i = 0; i < events->n && !parse_name(&events->items[i], &name); i++)
		;
	if (i == events->n)
		return 0;
	put_start(out);
	pipa_buf_add(out, "header_page", 12);
	rc = put_file(root, out, 8, "events/header_page");
	pipa_buf_add(out, "header_event", 13);
	if (!rc)
		rc = put_file(root, out, 8, "events/header_event");
	pipa_buf_add(out, zeros, 4);
	if (!rc)
		rc = put_systems(root, events, out);
	pipa_buf_add(out, zeros, 4);
	if (!rc && put_file(root, out, 4, "printk_formats") < 0)
		pipa_buf_add(out, zeros, 4);
	pipa_buf_add(out, zeros, 8);
	if (!rc)
		rc = out->status;
	return rc < 0 ? pipa_fail(err, rc, "read tracepoint formats") : 0;
}
