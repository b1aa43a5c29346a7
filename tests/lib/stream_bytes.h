/* The part of lib/stream that writes records. */
#ifndef PIPA_TESTS_STREAM_BYTES_H
#define PIPA_TESTS_STREAM_BYTES_H

#include "lib/stream.h"

void stream_put_map(struct stream *s, const struct perf_event_attr *attr,
		    const struct pipa_rec_id *id, const struct pipa_rec_map *map);
void stream_put_comm(struct stream *s, const struct perf_event_attr *attr,
		     const struct pipa_rec_id *id, const struct pipa_rec_comm *comm);
void stream_put_task(struct stream *s, const struct perf_event_attr *attr,
		     const struct pipa_rec_id *id, const struct pipa_rec_task *task, uint32_t type);
void stream_put_lost(struct stream *s, const struct perf_event_attr *attr,
		     const struct pipa_rec_id *id, const struct pipa_rec_lost *lost);
void stream_put_throttle(struct stream *s, const struct perf_event_attr *attr,
			 const struct pipa_rec_id *id, const struct pipa_rec_throttle *throttle);
void stream_put_switch(struct stream *s, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_switch *change);
void stream_put_ksymbol(struct stream *s, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol);
void stream_put_cgroup(struct stream *s, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_cgroup *cgroup);
void stream_put_sample(struct stream *s, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_sample *sample);
void stream_put_round(struct stream *s);

/* Header, ids and attrs of the other byte order. */
void stream_put_swapped_head(const struct stream *of, struct pipa_buf *out);

/* An id by which the event is found; PIPA_UNKNOWN where the first is meant and has none. */
uint64_t stream_id_of(const struct stream *s, uint32_t event);

#endif
