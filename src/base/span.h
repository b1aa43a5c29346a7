/* Borrowed bytes: pointer and size. */
#ifndef PIPA_BASE_SPAN_H
#define PIPA_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"

struct pipa_span {
	const uint8_t *data;
	size_t size;
};

/* Return the bytes of a string without its NUL; NULL is the empty span. */
static inline struct pipa_span pipa_span_of(const char *text)
{
	return (struct pipa_span){ (const uint8_t *)text, text ? strlen(text) : 0 };
}

/* Return the part at [offset, offset + size), or an empty span if it is not within. */
static inline bool pipa_span_cut(struct pipa_span whole, uint64_t offset, uint64_t size,
				 struct pipa_span *ret)
{
	if (offset > whole.size || size > whole.size - offset)
		return false;
	*ret = (struct pipa_span){ whole.data ? whole.data + offset : NULL, (size_t)size };
	return true;
}

/* Return a cursor over the span. */
static inline struct pipa_cursor pipa_span_cursor(struct pipa_span span, bool swapped)
{
	static const uint8_t nowhere;

	if (!span.data)
		return (struct pipa_cursor){ &nowhere, &nowhere, swapped, 0 };
	return (struct pipa_cursor){ span.data, span.data + span.size, swapped, 0 };
}

#endif
