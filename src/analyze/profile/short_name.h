/*
 * Shorten a function's name so that it fits into a column or a box and can still be told from others. Only for
 * display: files that other programs read have the complete name.
 *
 * In this order, until it fits: "std::string" for the template that it stands for; the innermost template
 * arguments and parameters as "...", then those around them; no parameters at all; no leading scopes, nor the
 * directories of a Go package, nor the library of code without a symbol ("libfoo.so!fn@0x1a40"). The last part of
 * the name always stays; the caller cuts it if it is still too long.
 */
#ifndef PIPA_ANALYZE_PROFILE_SHORT_NAME_H
#define PIPA_ANALYZE_PROFILE_SHORT_NAME_H

#include <stddef.h>

struct pipa_buf;

enum pipa_short_form {
	PIPA_SHORT_COLUMN, /* of a table: dropped scopes are marked, "...Map<...>::insert" */
	PIPA_SHORT_BOX,	   /* of a flame graph, where each character counts: "insert" */
};

/* Append the name in at most `columns` bytes, if possible. Sets the status of the buffer to -ENOMEM on failure. */
void pipa_short_name(const char *symbol, size_t columns, enum pipa_short_form form,
		     struct pipa_buf *out);

/* Append "map<...>::insert(...)" for a name with all its arguments; as it is where brackets do not match. */
void pipa_short_name_fold(const char *symbol, struct pipa_buf *out);

/* Return the name of code without a symbol, "libfoo.so!fn@0x1a40", without the object if that is its name. */
const char *pipa_short_name_in(const char *symbol, const char *object);

#endif
