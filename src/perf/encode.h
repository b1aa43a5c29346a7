/*
 * Encode records as the kernel writes them, for synthesized records and those that only tools
 * write. Appended to a buffer in host byte order.
 */
#ifndef PIPA_PERF_ENCODE_H
#define PIPA_PERF_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "model/record.h"
#include "perf/attr.h"

struct pipa_buf;

/*
 * The attr decides the sample id at the end of every record; id has its values, unknown ones are
 * written as 0.
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
/* A BPF program is there; its functions are symbols of their own. */
void pipa_perf_put_bpf(struct pipa_buf *out, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, uint32_t program, const uint8_t tag[8]);
void pipa_perf_put_cgroup(struct pipa_buf *out, const struct perf_event_attr *attr,
			  const struct pipa_rec_id *id, const struct pipa_rec_cgroup *cgroup);

/* All records so far are older than any that follows the next such mark. */
void pipa_perf_put_round(struct pipa_buf *out);

/* End of the synthesized records. */
void pipa_perf_put_init_end(struct pipa_buf *out);

/* Compressed records: len bytes of a stream, at most PIPA_PERF_COMPRESSED_MAX. */
enum { PIPA_PERF_COMPRESSED_MAX = 65535 - 8 - 7 };
void pipa_perf_put_compressed(struct pipa_buf *out, const void *bytes, size_t len);

#endif
