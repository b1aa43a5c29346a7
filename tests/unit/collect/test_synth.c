#include "collect/sample/synth.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/machine/root.h"
#include "lib/machines.h"
#include "lib/test.h"
#include "perf/decode.h"
#include "perf/split.h"

static const struct perf_event_attr attr = { .size = sizeof(attr),
					     .sample_id_all = 1,
					     .sample_type = PERF_SAMPLE_IDENTIFIER |
							    PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

static char told[4096];

struct hearing {
	struct pipa_record_sink sink;
	struct pipa_perf_events events;
	struct pipa_perf_decoder *decoder;
	struct pipa_perf_splitter *tally;
	struct pipa_root *root;
	struct pipa_synth *synth;
};

static void tell(const char *fmt, ...)
{
	size_t n = strlen(told);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(told + n, sizeof(told) - n, fmt, ap);
	va_end(ap);
}

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	(void)self;
	(void)id;
	tell("map %d %llx+%llx@%llx %s\n", (int)map->pid, (unsigned long long)map->start,
	     (unsigned long long)map->len, (unsigned long long)map->file_offset, map->path);
	return 0;
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	(void)self;
	CHECK(id->time > 0);
	tell("comm %u/%u %s\n", comm->pid, comm->tid, comm->name);
	return 0;
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	(void)self;
	(void)id;
	CHECK(task->synthesized);
	tell("fork %u/%u from %u\n", task->pid, task->tid, task->parent_pid);
	return 0;
}

static int on_record(void *ctx, const struct pipa_perf_raw *raw)
{
	struct hearing *h = ctx;
	struct pipa_rec_id id;

	CHECK_EQ(pipa_perf_decode_id(h->decoder, raw, &id), 0);
	return pipa_perf_decode(h->decoder, raw, &id, &h->sink);
}

static int hear(void *ctx, void *bytes, size_t len)
{
	struct hearing *h = ctx;

	return pipa_perf_splitter_add(h->tally, 0, bytes, len);
}

static void set_up(struct hearing *h, const char *machine)
{
	const struct pipa_synth_options options = { .attr = &attr, .id = 5, .put = hear, .ctx = h };
	struct pipa_synth_options o = options;

	h->sink = (struct pipa_record_sink){ .map = on_map, .comm = on_comm, .fork = on_fork };
	CHECK_EQ(pipa_perf_events_add(&h->events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&h->events, 5, 0), 0);
	CHECK_EQ(pipa_perf_decoder_new(&h->events, &h->decoder), 0);
	CHECK_EQ(pipa_perf_splitter_new(&h->events, 1, &h->tally), 0);
	h->tally->fn = on_record;
	h->tally->ctx = h;
	CHECK_EQ(pipa_root_open(machine, &h->root, NULL), 0);
	o.root = h->root;
	CHECK_EQ(pipa_synth_new(&o, &h->synth), 0);
}

static void tear_down(struct hearing *h)
{
	CHECK_EQ(h->tally->held, 0);
	pipa_synth_free(h->synth);
	pipa_root_close(h->root);
	pipa_perf_splitter_free(h->tally);
	pipa_perf_decoder_free(h->decoder);
	pipa_perf_events_done(&h->events);
}

static void add_process(const char *m)
{
	machine_file(m, "proc/70/status", "Name:\tserver\nTgid:\t70\nPid:\t70\nPPid:\t1\n");
	machine_file(m, "proc/70/task/70/comm", "server\n");
	machine_file(m, "proc/70/task/71/comm", "worker one\n");
	machine_file(m, "proc/71/status", "Name:\tworker one\nTgid:\t70\nPid:\t71\nPPid:\t1\n");
	machine_file(m, "proc/70/maps",
		     "1000-3000 r-xp 00000200 fe:00 12 /opt/server\n"
		     "3000-4000 rw-p 00002000 fe:00 12 /opt/server\n"
		     "5000-6000 r-xp 00000000 00:00 0 \n");
}

TEST(a_synthesized_process_has_its_threads_and_mappings)
{
	static struct pipa_task named[] = { { .tid = 71 }, { .tid = 70 } };
	const struct pipa_tasks tasks = { named, 2, 2 };
	const char *m = machine_plain();
	struct hearing h = { 0 };

	add_process(m);
	set_up(&h, m);
	CHECK_EQ(pipa_synth_tasks(h.synth, &tasks), 0);
	CHECK_STR(told, "fork 70/70 from 1\ncomm 70/70 server\n"
			"fork 70/71 from 70\ncomm 70/71 worker one\n"
			"map 70 1000+2000@200 /opt/server\n"
			"map 70 5000+1000@0 //anon\n");
	tear_down(&h);
}

TEST(a_thread_that_has_ended_is_left_out)
{
	static struct pipa_task named[] = { { .tid = 99 } };
	const struct pipa_tasks tasks = { named, 1, 1 };
	struct hearing h = { 0 };

	set_up(&h, machine_plain());
	CHECK_EQ(pipa_synth_tasks(h.synth, &tasks), 0);
	CHECK_STR(told, "");
	tear_down(&h);
}

TEST(kernel_mappings_are_synthesized_from_the_head_of_kallsyms)
{
	const char *m = machine_plain();
	struct hearing h = { 0 };

	machine_file(m, "proc/kallsyms",
		     "ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
		     "ffffffff81000100 T start\nffffffff81800000 T _etext\n");
	machine_file(m, "proc/iomem", "  01000000-010fffff : Kernel code\n");
	machine_file(m, "proc/modules",
		     "no_such_module 8192 0 - Live 0xffffffffc0000000\n"
		     "hidden 8192 0 - Live 0x0000000000000000\n");
	set_up(&h, m);
	CHECK_EQ(pipa_synth_kernel(h.synth), 0);
	CHECK_STR(told, "map -1 ffffffff81000000+100000@ffffffff81000000 [kernel.kallsyms]_text\n"
			"map -1 ffffffffc0000000+2000@0 [no_such_module]\n");
	tear_down(&h);
}

TEST(without_iomem_the_end_is_among_the_symbols)
{
	const char *m = machine_plain();
	struct hearing h = { 0 };

	machine_file(m, "proc/kallsyms", "ffffffff81000000 T _stext\nffffffff81800000 T _etext\n");
	set_up(&h, m);
	CHECK_EQ(pipa_synth_kernel(h.synth), 0);
	CHECK_STR(told,
		  "map -1 ffffffff81000000+800000@ffffffff81000000 [kernel.kallsyms]_stext\n");
	tear_down(&h);
}

TEST(a_kernel_with_hidden_addresses_is_not_synthesized)
{
	const char *m = machine_plain();
	struct hearing h = { 0 };

	machine_file(m, "proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _etext\n");
	set_up(&h, m);
	CHECK_EQ(pipa_synth_kernel(h.synth), -EACCES);
	CHECK_STR(told, "");
	tear_down(&h);
}
