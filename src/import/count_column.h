/* Recognize value columns of pprof and OTLP files that count the samples of another column. */
#ifndef PIPA_IMPORT_COUNT_COLUMN_H
#define PIPA_IMPORT_COUNT_COLUMN_H

#include <stdbool.h>

/* Does a column of that name count samples: "samples" in "count", "cycles_samples"? */
bool pipa_is_count_column(const char *name, const char *unit);

#endif
