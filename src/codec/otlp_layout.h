/*
 * Detect the layout of an encoded OTLP profiles message.
 *
 * Layouts 1.9 and 1.10 number the fields of Sample differently and name no version. Field 3 is a list of attributes
 * in 1.9 and one number in 1.10, field 4 the reverse: their wire types differ. A sample with neither of them is one
 * of 1.9 if field 2, read as attributes, leaves it without an observation, or if its numbers exceed the attribute
 * table.
 */
#ifndef PIPA_CODEC_OTLP_LAYOUT_H
#define PIPA_CODEC_OTLP_LAYOUT_H

#include "base/span.h"
#include "codec/otlp_schema.h"

/* Return the layout; PIPA_OTLP_1_10 if the bytes fit both layouts or are malformed. */
enum pipa_otlp_layout pipa_otlp_layout_find(struct pipa_span payload);

/* Return "1.10" or "1.9". */
const char *pipa_otlp_layout_name(enum pipa_otlp_layout layout);

#endif
