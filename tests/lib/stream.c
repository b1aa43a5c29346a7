#include "lib/stream.h"

#include <inttypes.h>
#include <string.h>

#include "lib/stream_bytes.h"
#include "perf/encode.h"
#include "perf/file_write.h"

/* ---- as text ------------------------------------------------------------------------------------------ */

static void tell_id(struct pipa_buf *out, const char *what, const struct pipa_rec_id *id)
{
	pipa_buf_printf(out, "%s %d/%d time %" PRIu64 " id %" PRId64 " stream %" PRId64, what,
			(int)id->pid, (int)id->tid, id->time, (int64_t)id->id,
			(int64_t)id->stream_id);
	pipa_buf_printf(out, " cpu %d event %d", (int)id->cpu, (int)id->event);
}

static void tell_bytes(struct pipa_buf *out, const char *what, const void *bytes, size_t n)
{
	const uint8_t *byte = bytes;
	size_t i;

	pipa_buf_printf(out, " %s %zu:", what, n);
	for (i = 0; i < n; i++) {
		pipa_buf_putc(out, "0123456789abcdef"[byte[i] >> 4]);
		pipa_buf_putc(out, "0123456789abcdef"[byte[i] & 15]);
	}
}

static void tell_map(struct pipa_buf *out, const struct pipa_rec_map *m)
{
	pipa_buf_printf(out, ": %d/%d %" PRIx64 "+%" PRIx64 "@%" PRIx64 " dev %u:%u inode %" PRIu64,
			(int)m->pid, (int)m->tid, m->start, m->len, m->file_offset, m->major,
			m->minor, m->inode);
	pipa_buf_printf(out, ".%" PRIu64 " prot %u flags %u exec %d mode %d", m->inode_generation,
			m->prot, m->flags, m->executable, (int)m->mode);
	tell_bytes(out, "build id", m->build_id.bytes, m->build_id.len);
	pipa_buf_printf(out, " %s\n", m->path);
}

static void tell_values(struct pipa_buf *out, const struct pipa_rec_sample *s)
{
	size_t i;

	pipa_buf_printf(out, " values %zu of %" PRIu64 "/%" PRIu64 ":", s->n_values, s->running_ns,
			s->enabled_ns);
	for (i = 0; i < s->n_values; i++)
		pipa_buf_printf(out, " %" PRIu64 ",%" PRIu64 ",%" PRIu64, s->values[i].value,
				s->values[i].id, s->values[i].lost);
}

static void tell_lists(struct pipa_buf *out, const struct pipa_rec_sample *s)
{
	const struct pipa_rec_regs *const regs[] = { &s->user_regs, &s->interrupt_regs };
	size_t i, k;

	pipa_buf_printf(out, " chain %zu:", s->chain_len);
	for (i = 0; i < s->chain_len; i++)
		pipa_buf_printf(out, " %" PRIx64, s->chain[i]);
	pipa_buf_printf(out, " branches %zu:", s->n_branches);
	for (i = 0; i < s->n_branches; i++)
		pipa_buf_printf(out, " %" PRIx64 ">%" PRIx64 "/%" PRIx64, s->branches[i].from,
				s->branches[i].to, s->branches[i].flags);
	for (i = 0; i < PIPA_COUNT(regs); i++) {
		pipa_buf_printf(out, " regs %" PRIu64 " %" PRIx64 ":", regs[i]->abi, regs[i]->mask);
		for (k = 0; k < (size_t)__builtin_popcountll(regs[i]->mask); k++)
			pipa_buf_printf(out, " %" PRIx64, regs[i]->values[k]);
	}
	tell_bytes(out, "raw", s->raw, s->raw_len);
	tell_bytes(out, "stack", s->stack, s->stack_len);
}

static void tell_sample(struct pipa_buf *out, const struct pipa_rec_sample *s)
{
	pipa_buf_printf(out, ": ip %" PRIx64 " addr %" PRIx64 " period %" PRIu64 " mode %d", s->ip,
			s->addr, s->period, (int)s->mode);
	tell_values(out, s);
	tell_lists(out, s);
	pipa_buf_printf(out, " of %zu weight %" PRIu64 " source %" PRIx64 " transaction %" PRIx64,
			s->stack_requested, s->weight, s->data_source, s->transaction);
	pipa_buf_printf(out, " phys %" PRIx64 " cgroup %" PRIu64 " pages %" PRIu64 " %" PRIu64,
			s->phys_addr, s->cgroup, s->data_page_size, s->code_page_size);
	pipa_buf_printf(out, " aux %" PRIu64 "\n", s->aux_size);
}

void stream_tell_events(const struct pipa_perf_events *events, struct pipa_buf *out)
{
	char name[64];
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct pipa_perf_event *event = &events->items[i];

		pipa_buf_printf(out, "event %s of %u, %u", pipa_perf_event_name(event, name),
				event->leader, event->n_members);
		tell_bytes(out, "attr", &event->attr, sizeof(event->attr));
		pipa_buf_putc(out, '\n');
	}
	/* each event's in their order; between events the order is undefined */
	for (i = 0; i < events->n * events->ids.n; i++)
		if (events->ids.items[i % events->ids.n].event == i / events->ids.n)
			pipa_buf_printf(out, "id %" PRIu64 " of %zu\n",
					events->ids.items[i % events->ids.n].id, i / events->ids.n);
}

/* ---- both, of each kind ------------------------------------------------------------------------------- */

static struct stream *of(struct pipa_record_sink *sink)
{
	return (struct stream *)(void *)sink;
}

/* The events of a pipe become known while it is read: samples before the first are unassigned. */
static const struct perf_event_attr *trailer(const struct stream *s)
{
	static const struct perf_event_attr none;

	return s->events->n ? &s->events->items[0].attr : &none;
}

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	struct stream *s = of(self);

	tell_id(&s->others, "map", id);
	tell_map(&s->others, map);
	if (s->library)
		pipa_perf_put_map(&s->records, trailer(s), id, map);
	else
		stream_put_map(s, trailer(s), id, map);
	return 0;
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	struct stream *s = of(self);

	tell_id(&s->others, "comm", id);
	pipa_buf_printf(&s->others, ": %d/%d exec %d %s\n", (int)comm->pid, (int)comm->tid,
			comm->exec, comm->name);
	if (s->library)
		pipa_perf_put_comm(&s->records, trailer(s), id, comm);
	else
		stream_put_comm(s, trailer(s), id, comm);
	return 0;
}

static void tell_task(struct stream *s, const char *what, const struct pipa_rec_id *id,
		      const struct pipa_rec_task *task)
{
	tell_id(&s->others, what, id);
	pipa_buf_printf(&s->others, ": %d/%d of %d/%d at %" PRIu64 " made up %d\n", (int)task->pid,
			(int)task->tid, (int)task->parent_pid, (int)task->parent_tid, task->time,
			task->synthesized);
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	struct stream *s = of(self);

	tell_task(s, "fork", id, task);
	if (s->library)
		pipa_perf_put_fork(&s->records, trailer(s), id, task);
	else
		stream_put_task(s, trailer(s), id, task, PERF_RECORD_FORK);
	return 0;
}

static int on_exit_of(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_task *task)
{
	tell_task(of(self), "exit", id, task);
	stream_put_task(of(self), trailer(of(self)), id, task, PERF_RECORD_EXIT);
	return 0;
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct stream *s = of(self);
	struct pipa_rec_id whose = *id;

	tell_id(&s->others, "lost", id);
	pipa_buf_printf(&s->others, ": %" PRIu64 " samples %d\n", lost->lost, lost->samples);
	/* the id in front identifies the event, fields after it may be another's id */
	whose.id = id->id == PIPA_UNKNOWN ? stream_id_of(s, id->event) : id->id;
	if (s->library && pipa_perf_events_find(s->events, whose.id) == id->event)
		pipa_perf_put_lost(&s->records, trailer(s), &whose, lost);
	else
		stream_put_lost(s, trailer(s), id, lost);
	return 0;
}

static int on_throttle(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_throttle *throttle)
{
	tell_id(&of(self)->others, "throttle", id);
	pipa_buf_printf(&of(self)->others, ": on %d\n", throttle->on);
	stream_put_throttle(of(self), trailer(of(self)), id, throttle);
	return 0;
}

static int on_switched(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_switch *change)
{
	tell_id(&of(self)->others, "switch", id);
	pipa_buf_printf(&of(self)->others, ": out %d preempted %d other %d/%d\n", change->out,
			change->preempted, (int)change->other_pid, (int)change->other_tid);
	stream_put_switch(of(self), trailer(of(self)), id, change);
	return 0;
}

static int on_ksymbol(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_ksymbol *symbol)
{
	tell_id(&of(self)->others, "ksymbol", id);
	pipa_buf_printf(&of(self)->others, ": %" PRIx64 "+%u bpf %d removed %d %s\n", symbol->start,
			symbol->len, symbol->bpf, symbol->removed, symbol->name);
	stream_put_ksymbol(of(self), trailer(of(self)), id, symbol);
	return 0;
}

static int on_cgroup(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_cgroup *cgroup)
{
	struct stream *s = of(self);

	tell_id(&s->others, "cgroup", id);
	pipa_buf_printf(&s->others, ": %" PRIu64 " %s\n", cgroup->id, cgroup->path);
	if (s->library)
		pipa_perf_put_cgroup(&s->records, trailer(s), id, cgroup);
	else
		stream_put_cgroup(s, trailer(s), id, cgroup);
	return 0;
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample)
{
	struct stream *s = of(self);

	tell_id(&s->samples, "sample", id);
	tell_sample(&s->samples, sample);
	stream_put_sample(s, &s->events->items[id->event].attr, id, sample);
	return 0;
}

static int on_round(struct pipa_record_sink *self)
{
	pipa_buf_puts(&of(self)->others, "round\n");
	stream_put_round(of(self));
	return 0;
}

void stream_init(struct stream *s, const struct pipa_perf_events *events)
{
	const size_t most = (size_t)1 << 30;

	*s = (struct stream){
		.sink = { .map = on_map,
			  .comm = on_comm,
			  .fork = on_fork,
			  .exit = on_exit_of,
			  .sample = on_sample,
			  .lost = on_lost,
			  .throttle = on_throttle,
			  .switched = on_switched,
			  .ksymbol = on_ksymbol,
			  .cgroup = on_cgroup,
			  .round = on_round },
		.events = events,
		.others.max = most,
		.samples.max = most,
		.records.max = most,
	};
}

void stream_done(struct stream *s)
{
	pipa_buf_done(&s->others);
	pipa_buf_done(&s->samples);
	pipa_buf_done(&s->records);
}

void stream_file(const struct stream *s, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf features = { 0 };
	const struct pipa_perf_about about = { .hostname = "box", .arch = s->arch };
	uint64_t bits[4] = { 0 };
	size_t head;

	if (s->swapped) {
		stream_put_swapped_head(s, out);
		pipa_buf_add(out, pipa_buf_str(&s->records), s->records.len);
		return;
	}
	head = pipa_perf_put_head(out, s->events, 0, bits);
	pipa_perf_put_features(&features, s->events, &about, head + s->records.len, bits);
	pipa_buf_reset(out);
	pipa_perf_put_head(out, s->events, s->records.len, bits);
	pipa_buf_add(out, pipa_buf_str(&s->records), s->records.len);
	pipa_buf_add(out, features.data, features.len);
}
