#define PIPA_ERROR_C
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Is the first word one of prose, and not the name of a command, a file or an option? */
static bool starts_with_prose(const char *hint)
{
	static const char *const commands[] = { "pipa", "perf", "sudo", "id", "mount" };
	size_t i, len = strspn(hint, "abcdefghijklmnopqrstuvwxyz");

	if (!len || !strchr(" :,", hint[len]))
		return false;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strlen(commands[i]) == len && memcmp(hint, commands[i], len) == 0)
			return false;
	return true;
}

const char *pipa_hint_sentence(const char *hint, char *text, size_t size)
{
	size_t n = strlen(hint);
	bool ends = !n || strchr(".?!", hint[n - 1]) || strstr(hint, ": ");

	snprintf(text, size, "%s%s", hint, ends ? "" : ".");
	if (starts_with_prose(hint))
		text[0] = (char)(text[0] - 'a' + 'A');
	return text;
}

const char *pipa_error_line(const struct pipa_error *err, char text[static PIPA_ERROR_LINE_MAX])
{
	char hint[sizeof(err->hint) + 1];

	pipa_hint_sentence(err->hint, hint, sizeof(hint));
	snprintf(text, PIPA_ERROR_LINE_MAX, "%s%s%s", err->what, hint[0] ? ". " : "", hint);
	return text;
}
