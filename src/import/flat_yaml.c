#include "import/flat_yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strings.h"

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	const char *name;
	struct pipa_strings keys; /* that have occurred */
	struct pipa_error *err;
};

PIPA_PRINTF(3, 4)
static int fail_at(struct reader *r, yaml_mark_t mark, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pipa_refuse(r->err, -EINVAL, "%s:%zu: %s", r->name, mark.line + 1, text);
}

static int next_event(struct reader *r)
{
	yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (yaml_parser_parse(p, &r->event))
		return 0;
	memset(&r->event, 0, sizeof(r->event));
	if (p->error == YAML_MEMORY_ERROR)
		return pipa_fail(r->err, -ENOMEM, "read %s", r->name);
	return fail_at(r, p->problem_mark, "%s", p->problem ? p->problem : "not YAML");
}

/* Copy the scalar of the current event; NULL if it is something else, or has a NUL. */
static char *copy_scalar(struct reader *r)
{
	if (r->event.type != YAML_SCALAR_EVENT ||
	    strlen((const char *)r->event.data.scalar.value) != r->event.data.scalar.length)
		return NULL;
	return strdup((const char *)r->event.data.scalar.value);
}

static int read_entry(struct reader *r,
		      int (*each)(void *ctx, const char *key, const char *value,
				  struct pipa_error *err),
		      void *ctx)
{
	struct pipa_error err = { 0 };
	yaml_mark_t mark = r->event.start_mark;
	PIPA_AUTO(free) char *key = copy_scalar(r);
	PIPA_AUTO(free) char *value = NULL;
	size_t n = r->keys.n;
	int rc;

	if (!key)
		return fail_at(r, mark, "expected NAME: VALUE");
	if (pipa_strings_add(&r->keys, key, strlen(key)) == PIPA_NO_STRING)
		return pipa_fail(r->err, -ENOMEM, "read %s", r->name);
	if (r->keys.n == n)
		return fail_at(r, mark, "%s occurs twice", key);
	rc = next_event(r);
	if (rc < 0)
		return rc;
	value = copy_scalar(r);
	if (!value)
		return fail_at(r, mark, "%s: expected a plain value", key);
	rc = each(ctx, key, value, &err);
	if (rc < 0) {
		fail_at(r, mark, "%s", err.what);
		if (r->err)
			r->err->code = rc;
	}
	return rc;
}

static int read_map(struct reader *r,
		    int (*each)(void *ctx, const char *key, const char *value,
				struct pipa_error *err),
		    void *ctx)
{
	bool inside = false;
	int rc;

	pipa_strings_add(&r->keys, "", 0); /* number 0 */
	for (;;) {
		rc = next_event(r);
		if (rc < 0)
			return rc;
		switch (r->event.type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_START_EVENT:
		case YAML_DOCUMENT_END_EVENT: break;
		case YAML_STREAM_END_EVENT: return 0;
		case YAML_MAPPING_START_EVENT:
			if (inside)
				return fail_at(r, r->event.start_mark, "expected NAME: VALUE");
			inside = true;
			break;
		case YAML_MAPPING_END_EVENT: inside = false; break;
		default:
			if (!inside)
				return fail_at(r, r->event.start_mark, "expected NAME: VALUE");
			rc = read_entry(r, each, ctx);
			if (rc < 0)
				return rc;
			break;
		}
	}
}

int pipa_flat_yaml_decode(const char *text, size_t len, const char *name,
			  int (*each)(void *ctx, const char *key, const char *value,
				      struct pipa_error *err),
			  void *ctx, struct pipa_error *err)
{
	struct reader r = { .name = name, .err = err };
	int rc;

	if (!yaml_parser_initialize(&r.parser))
		return pipa_fail(err, -ENOMEM, "read %s", name);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	rc = read_map(&r, each, ctx);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	pipa_strings_done(&r.keys);
	return rc;
}
