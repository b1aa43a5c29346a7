#include "export/table/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/visible.h"
#include "codec/doc.h"
#include "export/text/plain.h"
#include "export/text/stack_ends.h"

/* ---- numbers, which is most of what is written ------------------------------------------------------ */

enum { DIGITS = 24 };

/* Append digits right-aligned in width, or wider if needed. */
static void put_digits(struct pipa_buf *out, const char *digits, size_t len, size_t width,
		       char fill)
{
	if (len < width)
		pipa_buf_fill(out, fill, width - len);
	pipa_buf_add(out, digits, len);
}

static void put_number(struct pipa_buf *out, uint64_t value, size_t width, char fill)
{
	char text[DIGITS];
	size_t at = DIGITS;

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_digits(out, text + at, DIGITS - at, width, fill);
}

static void put_hex(struct pipa_buf *out, uint64_t value, size_t width)
{
	char text[DIGITS];
	size_t at = DIGITS;

	do {
		text[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	put_digits(out, text + at, DIGITS - at, width, ' ');
}

/* Append an id as C's %*d does; an unknown id is -1. */
static void put_id(struct pipa_buf *out, uint32_t id, size_t width, char fill)
{
	if (id != PIPA_UNKNOWN32)
		put_number(out, id, width, fill);
	else
		pipa_buf_printf(out, "%*d", (int)width, -1);
}

/* Append a name without the control characters that would end the line. */
static void put_name(struct pipa_buf *out, const char *text)
{
	pipa_visible_add(out, text, strlen(text));
}

static void put_right(struct pipa_buf *out, const char *text, size_t width)
{
	size_t len = pipa_plain_width(text);

	if (len < width)
		pipa_buf_fill(out, ' ', width - len);
	put_name(out, text);
}

/* ---- what perf calls things -------------------------------------------------------------------------- */

static const char *object_name(const struct pipa_profile *p, const struct pipa_location *location,
			       char *buf, size_t size)
{
	const struct pipa_object *object;
	const char *path;

	if (location->object >= p->objects.n)
		return "[unknown]";
	object = &p->objects.items[location->object];
	path = pipa_profile_string(p, object->path);
	if (object->kind == PIPA_OBJECT_JIT &&
	    (strcmp(path, "//anon") == 0 || pipa_str_starts(path, "/dev/zero") ||
	     pipa_str_starts(path, "/anon_hugepage"))) {
		snprintf(buf, size, "/tmp/perf-%" PRIu32 ".map", object->pid);
		return buf;
	}
	return path;
}

static bool is_kernel_object(const struct pipa_profile *p, const struct pipa_location *location)
{
	enum pipa_object_kind kind = location->object < p->objects.n ?
					     p->objects.items[location->object].kind :
					     PIPA_OBJECT_UNKNOWN;

	return kind == PIPA_OBJECT_KERNEL || kind == PIPA_OBJECT_MODULE ||
	       kind == PIPA_OBJECT_KSYMBOL;
}

/*
 * Return the address to print: for programs the offset in the file, for the kernel the address
 * itself.
 */
static uint64_t shown_address(const struct pipa_profile *p, const struct pipa_script_frame *frame)
{
	const struct pipa_location *location = &p->locations.items[frame->location];

	if (is_kernel_object(p, location) || location->unresolved == PIPA_UNRESOLVED_NO_MAPPING)
		return frame->address;
	return location->offset + frame->caller;
}

static const char *line_name(const struct pipa_profile *p, uint32_t line)
{
	return pipa_profile_string(p, p->functions.items[p->lines.items[line].function].name);
}

/* ---- text -------------------------------------------------------------------------------------------- */

/* Write one function of a location; `inlined`: it is inlined into the next. */
static void put_function(const struct pipa_profile *p, const struct pipa_script_sample *s,
			 const struct pipa_script_frame *frame, const char *name, bool inlined,
			 struct pipa_buf *out)
{
	const struct pipa_location *location = &p->locations.items[frame->location];
	char buf[4096];

	if (s->fields & PIPA_SCRIPT_BIT(SYM)) {
		pipa_buf_putc(out, ' ');
		put_name(out, name ? name : "[unknown]");
		if (name && !inlined && s->fields & PIPA_SCRIPT_BIT(SYMOFF)) {
			pipa_buf_puts(out, "+0x");
			put_hex(out, location->symbol_offset + frame->caller, 0);
		}
	}
	if (inlined) {
		pipa_buf_puts(out, " (inlined)");
	} else if (s->fields & PIPA_SCRIPT_BIT(DSO)) {
		pipa_buf_puts(out, " (");
		put_name(out, object_name(p, location, buf, sizeof(buf)));
		pipa_buf_putc(out, ')');
	}
}

static void put_chain(const struct pipa_profile *p, const struct pipa_script_sample *s,
		      struct pipa_buf *out)
{
	size_t i;
	uint32_t k;

	pipa_buf_putc(out, '\n');
	for (i = 0; i < s->n_frames; i++) {
		const struct pipa_script_frame *frame = &s->frames[i];
		const struct pipa_location *location = &p->locations.items[frame->location];
		uint32_t n = location->n_lines ? location->n_lines : 1;

		for (k = 0; k < n; k++) {
			const char *name = location->n_lines ? line_name(p, location->lines + k) :
							       NULL;

			pipa_buf_putc(out, '\t');
			put_hex(out, shown_address(p, frame), 16);
			put_function(p, s, frame, name, k + 1 < n, out);
			pipa_buf_putc(out, '\n');
		}
	}
}

/* Write the location on the line of a sample without a chain: the function that was not inlined. */
static void put_ip(const struct pipa_profile *p, const struct pipa_script_sample *s,
		   struct pipa_buf *out)
{
	const struct pipa_location *location;

	pipa_buf_putc(out, ' ');
	if (!s->n_frames)
		return;
	location = &p->locations.items[s->frames[0].location];
	put_hex(out, s->frames[0].address, 16);
	put_function(p, s, &s->frames[0],
		     location->n_lines ? line_name(p, location->lines + location->n_lines - 1) :
					 NULL,
		     false, out);
}

/*
 * Append " 0xFROM/0xTO/P/-/-/0/CALL ": predicted or not, in a transaction, aborted, cycles, kind if
 * known.
 */
static void put_branches(const struct pipa_script_sample *s, struct pipa_buf *out)
{
	static const char *const kinds[16] = { "",	 "COND",      "UNCOND",	  "IND",
					       "CALL",	 "IND_CALL",  "RET",	  "SYSCALL",
					       "SYSRET", "COND_CALL", "COND_RET", "ERET",
					       "IRQ",	 "SERROR",    "NO_TX",	  "" };
	size_t i;

	for (i = 0; i < s->n_branches; i++) {
		uint64_t flags = s->branches[i].flags;

		pipa_buf_puts(out, " 0x");
		put_hex(out, s->branches[i].from, 0);
		pipa_buf_puts(out, "/0x");
		put_hex(out, s->branches[i].to, 0);
		pipa_buf_puts(out, flags & 1 ? "/M" : flags & 2 ? "/P" : "/-");
		pipa_buf_puts(out, flags & 4 ? "/X" : "/-");
		pipa_buf_puts(out, flags & 8 ? "/A/" : "/-/");
		put_number(out, flags >> 4 & 0xffff, 0, ' ');
		pipa_buf_putc(out, '/');
		pipa_buf_puts(out, kinds[flags >> 20 & 15]);
		pipa_buf_putc(out, ' ');
	}
}

static void put_task(const struct pipa_script_sample *s, struct pipa_buf *out)
{
	bool pid = s->fields & PIPA_SCRIPT_BIT(PID), tid = s->fields & PIPA_SCRIPT_BIT(TID);

	if (s->fields & PIPA_SCRIPT_BIT(COMM)) {
		put_right(out, s->comm, s->chain && s->fields & PIPA_SCRIPT_BIT(IP) ? 0 : 16);
		pipa_buf_putc(out, ' ');
	}
	if (pid && tid) {
		put_id(out, s->pid, 5, ' ');
		pipa_buf_printf(out, "/%-5d ", (int)s->tid);
	} else if (pid || tid) {
		put_id(out, pid ? s->pid : s->tid, 5, ' ');
		pipa_buf_putc(out, ' ');
	}
}

static void put_time(const struct pipa_script_sample *s, struct pipa_buf *out)
{
	uint64_t us = s->time_ns / 1000;

	if (s->fields & PIPA_SCRIPT_BIT(CPU)) {
		pipa_buf_putc(out, '[');
		put_id(out, s->cpu, 3, '0');
		pipa_buf_puts(out, "] ");
	}
	if (s->fields & PIPA_SCRIPT_BIT(TIME)) {
		put_number(out, us / 1000000, 5, ' ');
		pipa_buf_putc(out, '.');
		put_number(out, us % 1000000, 6, '0');
		pipa_buf_puts(out, ": ");
	}
}

void pipa_script_text(const struct pipa_profile *p, const struct pipa_script_sample *s,
		      struct pipa_buf *out)
{
	put_task(s, out);
	put_time(s, out);
	if (s->fields & PIPA_SCRIPT_BIT(PERIOD)) {
		put_number(out, s->period, 10, ' ');
		pipa_buf_putc(out, ' ');
	}
	if (s->fields & PIPA_SCRIPT_BIT(EVENT)) {
		put_right(out, s->event, (size_t)s->name_len);
		pipa_buf_puts(out, ": ");
	}
	if (s->fields & PIPA_SCRIPT_BIT(TRACE) && s->trace)
		put_name(out, s->trace);
	if (s->fields & PIPA_SCRIPT_BIT(ADDR))
		put_hex(out, s->addr, 16);
	if (s->fields & PIPA_SCRIPT_BIT(IP)) {
		if (s->chain)
			put_chain(p, s, out);
		else
			put_ip(p, s, out);
	}
	if (s->fields & PIPA_SCRIPT_BIT(BRSTACK))
		put_branches(s, out);
	pipa_buf_putc(out, '\n');
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void doc_hex(struct pipa_doc *doc, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	pipa_doc_str(doc, key, text);
}

static void doc_frame(struct pipa_doc *doc, const struct pipa_profile *p,
		      const struct pipa_script_sample *s, const struct pipa_script_frame *frame,
		      uint32_t line)
{
	const struct pipa_location *location = &p->locations.items[frame->location];
	bool inlined = line + 1 < location->n_lines;
	char buf[4096];

	pipa_doc_map(doc, NULL);
	doc_hex(doc, "ip", frame->address);
	if (s->fields & PIPA_SCRIPT_BIT(SYM))
		pipa_doc_str(doc, "sym",
			     location->n_lines ? line_name(p, location->lines + line) : NULL);
	if (s->fields & PIPA_SCRIPT_BIT(SYMOFF) && location->n_lines && !inlined)
		pipa_doc_u64(doc, "symoff", location->symbol_offset + frame->caller);
	if (s->fields & PIPA_SCRIPT_BIT(DSO) &&
	    location->unresolved != PIPA_UNRESOLVED_NO_MAPPING) {
		pipa_doc_str(doc, "dso", object_name(p, location, buf, sizeof(buf)));
		if (!is_kernel_object(p, location))
			doc_hex(doc, "dsooff", shown_address(p, frame));
	}
	if (inlined)
		pipa_doc_bool(doc, "inlined", true);
	if (frame->fp_fallback)
		pipa_doc_bool(doc, "fp_fallback", true);
	pipa_doc_end(doc);
}

static void doc_stack(struct pipa_doc *doc, const struct pipa_profile *p,
		      const struct pipa_script_sample *s)
{
	size_t i;
	uint32_t k;

	pipa_doc_list(doc, "stack");
	for (i = 0; i < s->n_frames; i++) {
		uint32_t n = p->locations.items[s->frames[i].location].n_lines;

		for (k = 0; k < (n ? n : 1); k++)
			doc_frame(doc, p, s, &s->frames[i], k);
	}
	pipa_doc_end(doc);
}

static void doc_branches(struct pipa_doc *doc, const struct pipa_script_sample *s)
{
	size_t i;

	pipa_doc_list(doc, "branches");
	for (i = 0; i < s->n_branches; i++) {
		uint64_t flags = s->branches[i].flags;

		pipa_doc_map(doc, NULL);
		doc_hex(doc, "from", s->branches[i].from);
		doc_hex(doc, "to", s->branches[i].to);
		if (flags & 3)
			pipa_doc_bool(doc, "predicted", !(flags & 1));
		pipa_doc_u64(doc, "cycles", flags >> 4 & 0xffff);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

void pipa_script_json(const struct pipa_profile *p, const struct pipa_script_sample *s,
		      struct pipa_buf *out)
{
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	pipa_doc_str(&doc, "schema", "pipa-script/1");
	if (s->fields & PIPA_SCRIPT_BIT(COMM))
		pipa_doc_str(&doc, "comm", s->comm);
	if (s->fields & PIPA_SCRIPT_BIT(PID))
		pipa_doc_u64(&doc, "pid", s->pid);
	if (s->fields & PIPA_SCRIPT_BIT(TID))
		pipa_doc_u64(&doc, "tid", s->tid);
	if (s->fields & PIPA_SCRIPT_BIT(CPU))
		pipa_doc_u64(&doc, "cpu", s->cpu);
	if (s->fields & PIPA_SCRIPT_BIT(TIME))
		pipa_doc_u64(&doc, "time_ns", s->time_ns);
	if (s->fields & PIPA_SCRIPT_BIT(PERIOD))
		pipa_doc_u64(&doc, "period", s->period);
	if (s->fields & PIPA_SCRIPT_BIT(EVENT))
		pipa_doc_str(&doc, "event", s->event);
	if (s->fields & PIPA_SCRIPT_BIT(TRACE) && s->trace)
		pipa_doc_str(&doc, "trace", s->trace);
	if (s->fields & PIPA_SCRIPT_BIT(ADDR))
		doc_hex(&doc, "addr", s->addr);
	if (s->fields & PIPA_SCRIPT_BIT(IP)) {
		doc_stack(&doc, p, s);
		if (s->end != PIPA_STACK_COMPLETE)
			pipa_doc_str(&doc, "truncated", pipa_stack_end_id(s->end));
		if (s->joined)
			pipa_doc_bool(&doc, "joined", true);
	}
	if (s->fields & PIPA_SCRIPT_BIT(BRSTACK))
		doc_branches(&doc, s);
	pipa_doc_finish(&doc);
}
