#include "export/exchange/fold_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/profile.h"

#define ANONYMOUS "(anonymous namespace)"

/* pkg.(*Type).Method: the parentheses are part of the name. */
static bool is_go_method(const char *name, size_t len)
{
	const char *open = memmem(name, len, ".(", 2);

	return open && memmem(open + 2, len - (size_t)(open + 2 - name), ").", 2);
}

/* Return the length of the name without its parameters. */
static size_t without_parameters(const char *name, size_t len)
{
	const size_t skip = strlen(ANONYMOUS);
	const char *open = name, *end = name + len;

	if (is_go_method(name, len))
		return len;
	while ((open = memchr(open, '(', (size_t)(end - open)))) {
		if ((size_t)(end - open) < skip || memcmp(open, ANONYMOUS, skip) != 0)
			return (size_t)(open - name);
		open += skip;
	}
	return len;
}

/*
 * Append text without the semicolons that would end the frame. pipa_folded_write() escapes control
 * characters.
 */
static void put_safe(struct pipa_buf *out, const char *text, size_t len, bool quotes)
{
	size_t i;

	for (i = 0; i < len; i++) {
		char c = text[i];

		if (c == ';')
			c = ':';
		if (quotes || (c != '"' && c != '\''))
			pipa_buf_putc(out, c);
	}
}

static void put_tidy(struct pipa_buf *out, const char *name, size_t len,
		     const struct pipa_fold_format *format)
{
	len = without_parameters(name, len);
	if (format->java && len && name[0] == 'L' && memchr(name, '/', len)) {
		name++;
		len--;
	}
	put_safe(out, name, len, false);
}

/*
 * Find the "->" after which the name of the next inlined function begins. C++ operators are
 * skipped.
 */
static const char *find_arrow(const char *name, const char *end)
{
	static const char operator[] = "operator";
	const size_t n = sizeof(operator) - 1;
	const char *arrow = name;

	while ((arrow = memmem(arrow, (size_t)(end - arrow), "->", 2))) {
		if ((size_t)(arrow - name) < n || memcmp(arrow - n, operator, n) != 0)
			return arrow;
		arrow += 2;
	}
	return NULL;
}

/* Is this a kernel object? perf shows those as [name] or as a vmlinux. */
static bool is_kernel(const struct pipa_profile *p, const struct pipa_object *object)
{
	const char *path = pipa_profile_string(p, object->path);
	size_t len = strlen(path);

	if (object->kind == PIPA_OBJECT_KERNEL || object->kind == PIPA_OBJECT_MODULE ||
	    object->kind == PIPA_OBJECT_KSYMBOL)
		return true;
	return (path[0] == '[' || (len >= 7 && strcmp(path + len - 7, "vmlinux") == 0)) &&
	       !strstr(path, "unknown");
}

static const char *frame_suffix(const struct pipa_profile *p, const struct pipa_location *location,
				const struct pipa_fold_format *format)
{
	const struct pipa_object *object;

	if (location->object >= p->objects.n)
		return "";
	object = &p->objects.items[location->object];
	if (format->kernel && is_kernel(p, object))
		return "_[k]";
	return format->jit && object->kind == PIPA_OBJECT_JIT ? "_[j]" : "";
}

static void put_unresolved(const struct pipa_profile *p, const struct pipa_location *location,
			   const struct pipa_fold_format *format, struct pipa_buf *out)
{
	bool keep = format->raw_names || format->as_reported;
	const char *path = "", *slash;
	size_t len;

	if (location->object < p->objects.n)
		path = pipa_profile_string(p, p->objects.items[location->object].path);
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	if (!path[0] || strcmp(path, "[unknown]") == 0)
		path = "unknown";
	len = strlen(path);
	if (format->as_reported && path[0] == '[' && path[len - 1] == ']') { /* [vdso] */
		path++;
		len -= 2;
	}
	pipa_buf_putc(out, '[');
	put_safe(out, path, len, keep);
	if (format->addrs)
		pipa_buf_printf(out, " <%" PRIx64 ">", location->address);
	pipa_buf_putc(out, ']');
	pipa_buf_puts(out, frame_suffix(p, location, format));
	pipa_buf_putc(out, ';');
}

static void put_name(const char *name, const char *mark, const struct pipa_fold_format *format,
		     struct pipa_buf *out)
{
	const char *end = name + strlen(name), *stop;

	if (format->raw_names || format->as_reported) {
		put_safe(out, name, (size_t)(end - name), true);
		pipa_buf_puts(out, mark);
		pipa_buf_putc(out, ';');
		return;
	}
	if (name[0] == '(' && !pipa_str_starts(name, ANONYMOUS))
		return;
	for (; name; name = stop ? stop + 2 : NULL) {
		stop = find_arrow(name, end);
		put_tidy(out, name, (size_t)((stop ? stop : end) - name), format);
		pipa_buf_puts(out, mark);
		pipa_buf_putc(out, ';');
		mark = "_[i]";
	}
}

void pipa_fold_name(const struct pipa_profile *p, const struct pipa_location *location,
		    const struct pipa_fold_format *format, struct pipa_buf *out)
{
	const char *mark = frame_suffix(p, location, format);
	bool keep = format->raw_names || format->as_reported;
	uint32_t i;

	if (!location->n_lines || (location->unresolved && !keep)) {
		put_unresolved(p, location, format, out);
		return;
	}
	/*
	 * the last line is the function itself; those before it were inlined and belong to no
	 * object
	 */
	for (i = location->n_lines; i > 0; i--) {
		const struct pipa_line *line = &p->lines.items[location->lines + i - 1];

		put_name(pipa_profile_string(p, p->functions.items[line->function].name),
			 i == location->n_lines ? mark : "", format, out);
	}
}
