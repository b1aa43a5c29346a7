/*
 * Macros for the rows of an option table: short option (0 if none), long option, name of the value,
 * field in the `struct args` of the program or command, help text.
 */
#ifndef PIPA_OPTION_OPT_ROWS_H
#define PIPA_OPTION_OPT_ROWS_H

#include <stddef.h>

#include "option/opt.h"

#define AT(field) .offset = offsetof(struct args, field)
#define TITLE(text)                                                                                \
	{                                                                                          \
		.kind = PIPA_OPT_TITLE, .help = text                                               \
	}
#define FLAG(c, text, to, about)                                                                   \
	{                                                                                          \
		.kind = PIPA_OPT_FLAG, .letter = c, .name = text, AT(to), .help = about            \
	}
#define TEXT(c, text, what, to, about)                                                             \
	{                                                                                          \
		.kind = PIPA_OPT_TEXT, .letter = c, .name = text, .arg = what, AT(to),             \
		.help = about                                                                      \
	}
/* 0 is refused, except for -D */
#define TIME(c, text, what, unit, to, about)                                                       \
	{                                                                                          \
		.kind = PIPA_OPT_DURATION, .letter = c, .name = text, .arg = what,                 \
		.bare_ns = unit, .above_zero = c != 'D', AT(to), .help = about                     \
	}
#define CALL(c, text, what, fn, about)                                                             \
	{                                                                                          \
		.kind = PIPA_OPT_CALL, .letter = c, .name = text, .arg = what, .set = fn,          \
		.help = about                                                                      \
	}

#endif
