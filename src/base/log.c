#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void log_vput(const struct pipa_log *log, enum pipa_log_level level, const char *fmt,
		     va_list ap) PIPA_PRINTF(3, 0);

static void log_vput(const struct pipa_log *log, enum pipa_log_level level, const char *fmt,
		     va_list ap)
{
	char text[512];
	PIPA_AUTO(free) char *longer = NULL;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n >= (int)sizeof(text) && vasprintf(&longer, fmt, again) < 0)
		longer = NULL;
	va_end(again);
	if (n >= 0)
		log->write(log->ctx, level, longer ? longer : text);
}

void pipa_log_put(const struct pipa_log *log, enum pipa_log_level level, const char *fmt, ...)
{
	va_list ap;

	if (!pipa_log_on(log))
		return;
	va_start(ap, fmt);
	log_vput(log, level, fmt, ap);
	va_end(ap);
}

void pipa_log_note(const struct pipa_log *log, const char *fmt, ...)
{
	va_list ap;

	if (!pipa_log_on(log))
		return;
	va_start(ap, fmt);
	log_vput(log, PIPA_LOG_INFO, fmt, ap);
	va_end(ap);
}
