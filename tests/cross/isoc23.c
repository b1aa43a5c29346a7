/*
 * Functions of C libraries of 2023 and later: archives of Debian 13 call them, and the cross
 * compiler of Debian 12 links an older C library. Those with a prefix differ from the older ones
 * in binary constants only, which this project does not use.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long __isoc23_strtol(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *fmt, ...);
size_t strlcpy(char *to, const char *from, size_t room);

long __isoc23_strtol(const char *text, char **end, int base)
{
	return strtol(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
	return strtoul(text, end, base);
}

long long __isoc23_strtoll(const char *text, char **end, int base)
{
	return strtoll(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
	return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsscanf(text, fmt, ap);
	va_end(ap);
	return n;
}

size_t strlcpy(char *to, const char *from, size_t room)
{
	size_t len = strlen(from), n = len < room ? len : room - 1;

	if (room) {
		memcpy(to, from, n);
		to[n] = '\0';
	}
	return len;
}
