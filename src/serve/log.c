#include "serve/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/visible.h"
#include "codec/doc.h"

static bool as_json;
static _Atomic int lowest = PIPA_SERVE_INFO;

static const char *const names[] = {
	[PIPA_SERVE_DEBUG] = "debug",
	[PIPA_SERVE_INFO] = "info",
	[PIPA_SERVE_WARN] = "warning",
	[PIPA_SERVE_ERROR] = "error",
};

void pipa_serve_log_setup(bool json)
{
	as_json = json;
}

void pipa_serve_log_set_level(enum pipa_serve_level level)
{
	atomic_store(&lowest, (int)level);
}

int pipa_serve_log_level_find(const char *name, enum pipa_serve_level *ret)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (strcmp(names[i], name) == 0) {
			*ret = (enum pipa_serve_level)i;
			return 0;
		}
	return -EINVAL;
}

static void put_time(char *text, size_t size)
{
	uint64_t ns = pipa_clock_wall_ns();
	time_t seconds = (time_t)(ns / PIPA_NS_PER_SEC);
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, size - n, ".%03uZ", (unsigned int)(ns / PIPA_NS_PER_MS % 1000));
}

static void put_json(struct pipa_buf *out, enum pipa_serve_level level, const char *event,
		     const struct pipa_serve_field *field)
{
	struct pipa_doc doc;
	char when[40];

	put_time(when, sizeof(when));
	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	pipa_doc_str(&doc, "time", when);
	pipa_doc_str(&doc, "level", names[level]);
	pipa_doc_str(&doc, "event", event);
	for (; field && field->name; field++) {
		if (field->text)
			pipa_doc_str(&doc, field->name, field->text);
		else
			pipa_doc_u64(&doc, field->name, field->number);
	}
	pipa_doc_finish(&doc);
	if (out->len && out->data[out->len - 1] != '\n')
		pipa_buf_putc(out, '\n');
}

static void put_text(struct pipa_buf *out, enum pipa_serve_level level, const char *event,
		     const struct pipa_serve_field *field)
{
	pipa_buf_puts(out, "pipad: ");
	if (level != PIPA_SERVE_INFO)
		pipa_buf_printf(out, "%s: ", names[level]);
	pipa_visible_put(out, event);
	for (; field && field->name; field++) {
		pipa_buf_printf(out, " %s=", field->name);
		if (field->text)
			pipa_visible_put(out, field->text);
		else
			pipa_buf_put_u64(out, field->number);
	}
	pipa_buf_putc(out, '\n');
}

void pipa_serve_log(enum pipa_serve_level level, const char *event,
		    const struct pipa_serve_field *fields)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { .max = 16 << 10 };
	ssize_t n;

	if ((int)level < atomic_load(&lowest))
		return;
	if (as_json)
		put_json(&line, level, event, fields);
	else
		put_text(&line, level, event, fields);
	if (!line.status) { /* one write per line: it may block */
		n = write(STDERR_FILENO, line.data, line.len);
		(void)n;
	}
}

void pipa_serve_note(enum pipa_serve_level level, const char *fmt, ...)
{
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pipa_serve_log(level, text, NULL);
}
