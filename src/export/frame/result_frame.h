/* Results as a data frame: the 58 columns of a table of results (docs/format/results.md), a row per result. */
#ifndef PIPA_EXPORT_FRAME_RESULT_FRAME_H
#define PIPA_EXPORT_FRAME_RESULT_FRAME_H

#include <stdint.h>

#include "base/span.h"
#include "export/frame/profile_frame.h"
#include "model/result.h"

struct pipa_buf;

/* Return the columns, in the order of the table; they live forever. */
struct pipa_frame_columns pipa_result_frame_columns(void);

/* Write a row; `text` is scratch memory. Returns the writer's status. */
int pipa_result_frame_put(struct pipa_frame_writer *w, struct pipa_span hash,
			  uint64_t upload_time_us, struct pipa_span record,
			  const struct pipa_result *result, struct pipa_buf *text);

#endif
