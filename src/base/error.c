#define PIPA_ERROR_C
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"

PIPA_PRINTF(4, 0)
static void fill(struct pipa_error *err, int code, const char *prefix, const char *fmt, va_list ap)
{
	size_t n = (size_t)snprintf(err->what, sizeof(err->what), "%s", prefix);

	err->code = code;
	err->hint[0] = '\0';
	vsnprintf(err->what + n, sizeof(err->what) - n, fmt, ap);
}

const char *pipa_error_text(int code)
{
	return code == -PIPA_EGIVEN_UP ? "blocked after a signal, gave up" : strerror(-code);
}

int pipa_fail(struct pipa_error *err, int code, const char *fmt, ...)
{
	const char *why;
	va_list ap;
	size_t n, most;

	if (!err)
		return code;

	va_start(ap, fmt);
	fill(err, code, "cannot ", fmt, ap);
	va_end(ap);

	why = pipa_error_text(code);
	n = strlen(err->what);
	most = sizeof(err->what) - strlen(why) - sizeof(": ");
	if (n > most) { /* rather cut a long name than lose the reason */
		n = most;
		memcpy(err->what + n - 3, "...", 3);
	}
	snprintf(err->what + n, sizeof(err->what) - n, ": %s", why);
	return code;
}

int pipa_refuse(struct pipa_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;

	va_start(ap, fmt);
	fill(err, code, "", fmt, ap);
	va_end(ap);
	return code;
}

int pipa_hint(struct pipa_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -EINVAL;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return err->code;
}
