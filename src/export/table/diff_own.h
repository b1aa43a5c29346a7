/* Formats of a comparison: shared by diff.c, diff_text.c and diff_doc.c only. */
#ifndef PIPA_EXPORT_TABLE_DIFF_OWN_H
#define PIPA_EXPORT_TABLE_DIFF_OWN_H

#include "export/table/diff.h"

void pipa_diff_write_text(const struct pipa_diff_report *report, struct pipa_buf *out);
void pipa_diff_write_json(const struct pipa_diff_report *reports, size_t n, struct pipa_buf *out);

static inline const struct pipa_diff_frame *pipa_diff_frame_of(const struct pipa_diff *d,
							       uint32_t row)
{
	return &d->frames.items[d->rows.items[row].frame];
}

static inline const struct pipa_diff_change *pipa_diff_change_at(const struct pipa_diff *d,
								 uint32_t row, size_t column)
{
	return &d->changes[row * d->n_columns + column];
}

#endif
