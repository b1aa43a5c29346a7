/*
 * Errors are values: a negative errno as the result and, if a user reads it, a sentence on what
 * failed and a hint.
 *
 * Every function that can fail returns 0 (or a count) or a negative errno. If a user may read
 * about the failure, the last parameter is `struct pipa_error *err`; NULL is allowed. Nothing
 * below the front ends prints.
 */
#ifndef PIPA_BASE_ERROR_H
#define PIPA_BASE_ERROR_H

#include <stddef.h>

#include "base/auto.h"

struct pipa_error {
	int code;	/* negative errno, 0 without a failure */
	char what[256]; /* "open event cycles:u on cpu 3: Permission denied" */
	char hint[256]; /* a hint on what to do, or "" */
};

/* Return the text of a negative errno, valid until the next call. */
const char *pipa_error_text(int code);

/*
 * Fill err with "cannot ", the formatted text, ": " and the errno's own text; return code. The text is a
 * verb with its object: "open %s". Clears the hint.
 */
int pipa_fail(struct pipa_error *err, int code, const char *fmt, ...) PIPA_PRINTF(3, 4);

/* The same for refusals whose reason is in the text and not in an errno: bad syntax, bad values. */
int pipa_refuse(struct pipa_error *err, int code, const char *fmt, ...) PIPA_PRINTF(3, 4);

/*
 * Add what the reader can do. Returns err->code, so that `return pipa_hint(err, "...")` ends a
 * failure; without an err the exact code is lost and it returns -EINVAL.
 */
int pipa_hint(struct pipa_error *err, const char *fmt, ...) PIPA_PRINTF(2, 3);

/*
 * Format a hint as a sentence: "use -o FILE" becomes "Use -o FILE.". The first word stays as it is if it
 * is an option, a file or a command; no period follows a question or, after ": ", a command or a list.
 * Returns text.
 */
const char *pipa_hint_sentence(const char *hint, char *text, size_t size);

enum { PIPA_ERROR_LINE_MAX = 520 };

/* Format an error on one line: what failed and, as a sentence of its own, the hint. Returns text. */
const char *pipa_error_line(const struct pipa_error *err, char text[static PIPA_ERROR_LINE_MAX]);

/* For the static analyzer, which cannot see into error.c: a failure is negative. */
#if defined(__clang_analyzer__) && !defined(PIPA_ERROR_C)
#define PIPA_NEGATIVE(call)                                                                        \
	({                                                                                         \
		int code_ = (call);                                                                \
		if (code_ >= 0)                                                                    \
			__builtin_unreachable();                                                   \
		code_;                                                                             \
	})
#define pipa_fail(...) PIPA_NEGATIVE(pipa_fail(__VA_ARGS__))
#define pipa_refuse(...) PIPA_NEGATIVE(pipa_refuse(__VA_ARGS__))
#define pipa_hint(...) PIPA_NEGATIVE(pipa_hint(__VA_ARGS__))
#endif

#endif
