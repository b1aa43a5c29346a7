/* Fields of records that have no struct of their own in the model: AUX, NAMESPACES, BPF_EVENT, perf's own records. */
#ifndef PIPA_PERF_RECORD_FIELDS_H
#define PIPA_PERF_RECORD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"

struct pipa_perf_raw;

enum { PIPA_PERF_FIELDS_MAX = 24 };

/*
 * Decode the fields of a record, which borrow its bytes. `read_format` is that of its event. Returns their number, at
 * most PIPA_PERF_FIELDS_MAX, and 0 for an unknown type; fields after the end of the record are left out. *ret_complete:
 * they are its whole content, without sample_id.
 */
size_t pipa_perf_record_fields(const struct pipa_perf_raw *raw, uint64_t read_format,
			       struct pipa_rec_field ret[static PIPA_PERF_FIELDS_MAX],
			       bool *ret_complete);

#endif
