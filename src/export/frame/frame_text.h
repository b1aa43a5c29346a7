/* Data frames as text: CSV with a header line, or JSON lines with an object per row. */
#ifndef PIPA_EXPORT_FRAME_FRAME_TEXT_H
#define PIPA_EXPORT_FRAME_FRAME_TEXT_H

#include "codec/frame.h"

/*
 * Create a writer; the options are copied, what they point to is borrowed until it is freed. NULL on allocation
 * failure.
 *
 * CSV follows RFC 4180 with line feeds; null is an empty field, an empty text is "". JSON has null for null, numbers
 * with all their digits (also above 2^53) and no facts. Invalid UTF-8 is replaced by U+FFFD in both. Times are
 * integers.
 */
struct pipa_frame_writer *pipa_frame_csv_new(const struct pipa_frame_options *options);
struct pipa_frame_writer *pipa_frame_json_new(const struct pipa_frame_options *options);

#endif
