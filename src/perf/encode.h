/*
 * Encode records as the kernel writes them, for synthesized records and those that only tools
 * write. The records are appended to a buffer in host byte order.
 */
#ifndef PIPA_PERF_ENCODE_H
#define PIPA_PERF_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "model/record.h"
#include "perf/attr.h"

struct pipa_buf;

/*
 * Append a record. The attr determines the layout of the sample_id at the end of the record; `id`
 * has its values. Unknown values are written as 0.
 */
void pipa_perf_put_map(struct pipa_buf *out, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_map *map);
void pipa_perf_put_comm(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_comm *comm);
void pipa_perf_put_fork(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_task *task);
void pipa_perf_put_lost(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_lost *lost);
void pipa_perf_put_ksymbol(struct pipa_buf *out, const struct perf_event_attr *attr,
			   const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol);
/* Append the PERF_RECORD_BPF_EVENT of a loaded program; its functions have KSYMBOL records. */
void pipa_perf_put_bpf(struct pipa_buf *out, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, uint32_t program, const uint8_t tag[8]);
void pipa_perf_put_cgroup(struct pipa_buf *out, const struct perf_event_attr *attr,
			  const struct pipa_rec_id *id, const struct pipa_rec_cgroup *cgroup);

/* Append PERF_RECORD_FINISHED_ROUND: records before it are older than those after the next one. */
void pipa_perf_put_round(struct pipa_buf *out);

/* Append the record that ends the synthesized records (PERF_RECORD_FINISHED_INIT). */
void pipa_perf_put_init_end(struct pipa_buf *out);

enum { PIPA_PERF_COMPRESSED_MAX = 65535 - 8 - 7 };

/* Append a PERF_RECORD_COMPRESSED with at most PIPA_PERF_COMPRESSED_MAX bytes of a stream. */
void pipa_perf_put_compressed(struct pipa_buf *out, const void *bytes, size_t len);

#endif
