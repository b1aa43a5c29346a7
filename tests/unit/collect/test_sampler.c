#include "collect/sample/sampler.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/error.h"
#include "lib/fake_perf.h"
#include "lib/test.h"
#include "perf/split.h"

enum { RING = 1 << 16 };

static struct pipa_event clock_event = {
	.name = (char *)"cpu-clock",
	.key = (char *)"cpu-clock",
	.attr = { .type = PERF_TYPE_SOFTWARE,
		  .size = sizeof(struct perf_event_attr),
		  .config = PERF_COUNT_SW_CPU_CLOCK,
		  .disabled = 1,
		  .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
		  .read_format = PERF_FORMAT_ID | PIPA_FORMAT_LOST },
	.cgroup = -1,
};

static int cpu_numbers[] = { 0, 1 };
static struct pipa_cpus cpus = { cpu_numbers, 2, 2 };
static struct pipa_task one_task = { .tid = 77 };
static struct pipa_tasks tasks = { &one_task, 1, 1 };

struct setup {
	struct fake_perf *fake;
	struct pipa_event event;
	struct pipa_events events;
	struct pipa_target target;
	struct pipa_sampler_options o;
	struct pipa_perf_events opened;
	struct pipa_sampler *sampler;
	struct pipa_error err;
};

static void set_up(struct setup *s, bool by_task)
{
	s->fake = fake_perf_new();
	fake_perf_add_software(s->fake);
	s->event = clock_event;
	s->events = (struct pipa_events){ &s->event, 1, 1 };
	s->target = (struct pipa_target){ .tasks = by_task ? &tasks : NULL, .cpus = &cpus };
	s->o = (struct pipa_sampler_options){
		.perf = &s->fake->perf,
		.events = &s->events,
		.target = &s->target,
		.side = { .type = PERF_TYPE_SOFTWARE,
			  .size = sizeof(struct perf_event_attr),
			  .config = PERF_COUNT_SW_DUMMY,
			  .disabled = 1,
			  .exclude_kernel = 1,
			  .exclude_hv = 1,
			  .mmap2 = 1,
			  .build_id = 1,
			  .cgroup = 1,
			  .namespaces = 1,
			  .ksymbol = 1,
			  .bpf_event = 1,
			  .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME },
		.ring_bytes = RING,
		.side_bytes = RING,
	};
}

static int open_it(struct setup *s)
{
	return pipa_sampler_open(&s->o, &s->opened, &s->sampler, &s->err);
}

static void tear_down(struct setup *s)
{
	pipa_sampler_close(s->sampler);
	pipa_perf_events_done(&s->opened);
	CHECK_EQ(fake_perf_still_open(s->fake), 0);
	CHECK_EQ(s->fake->bad_fds, 0);
}

TEST(each_cpu_has_a_ring_for_samples_and_one_for_processes)
{
	struct setup s = { 0 };
	size_t i;

	set_up(&s, false);
	CHECK_EQ(open_it(&s), 0);
	CHECK_EQ(fake_perf_opened(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK), 2);
	CHECK_EQ(fake_perf_opened(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY), 2);
	CHECK_EQ(pipa_sampler_fds(s.sampler), 4);
	for (i = 0; i < 4; i++)
		CHECK(pipa_sampler_fd(s.sampler, i) >= 0);
	for (i = 0; i < s.fake->n_opens; i++)
		CHECK(s.fake->opens[i].ring != NULL);
	CHECK_EQ(s.opened.n, 2);
	CHECK_EQ(s.opened.ids.n, 4);
	tear_down(&s);
}

TEST(side_band_events_are_enabled_before_sampling_events)
{
	struct setup s = { 0 };
	size_t i;

	set_up(&s, false);
	CHECK_EQ(open_it(&s), 0);
	CHECK_EQ(pipa_sampler_enable_sideband(s.sampler, &s.err), 0);
	for (i = 0; i < s.fake->n_opens; i++)
		CHECK_EQ(s.fake->opens[i].enabled,
			 s.fake->opens[i].attr.config == PERF_COUNT_SW_DUMMY);
	CHECK_EQ(pipa_sampler_enable(s.sampler, &s.err), 0);
	for (i = 0; i < s.fake->n_opens; i++)
		CHECK(s.fake->opens[i].enabled);
	pipa_sampler_disable(s.sampler);
	for (i = 0; i < s.fake->n_opens; i++)
		CHECK(!s.fake->opens[i].enabled);
	tear_down(&s);
}

TEST(only_the_side_events_are_opened_where_nothing_is_sampled)
{
	static int numbers[] = { 1 };
	static struct pipa_cpus one = { numbers, 1, 1 };
	struct setup s = { 0 };

	set_up(&s, false);
	s.target.cpus = &one;
	s.o.side_cpus = &cpus;
	CHECK_EQ(open_it(&s), 0);
	CHECK_EQ(fake_perf_opened(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK), 1);
	CHECK_EQ(fake_perf_opened(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY), 2);
	CHECK_EQ(pipa_sampler_fd(s.sampler, 0), -1);
	CHECK(pipa_sampler_fd(s.sampler, 2) >= 0);
	tear_down(&s);
}

static bool is_newer_than_4_12(void *ctx, const struct fake_open *open)
{
	(void)ctx;
	return open->attr.build_id || open->attr.cgroup || open->attr.ksymbol ||
	       open->attr.bpf_event || open->attr.read_format & PIPA_FORMAT_LOST;
}

TEST(an_old_kernel_gets_fewer_wishes)
{
	struct setup s = { 0 };

	set_up(&s, true);
	fake_perf_refuse(s.fake, -EINVAL, is_newer_than_4_12, NULL);
	CHECK_EQ(open_it(&s), 0);
	CHECK(!s.opened.items[1].attr.build_id);
	CHECK(!s.opened.items[1].attr.cgroup);
	CHECK(!s.opened.items[1].attr.bpf_event);
	CHECK(s.opened.items[1].attr.namespaces);
	CHECK(s.opened.items[1].attr.mmap2);
	CHECK_EQ(s.opened.items[0].attr.read_format, PERF_FORMAT_ID);
	tear_down(&s);
}

static bool wants_namespaces(void *ctx, const struct fake_open *open)
{
	(void)ctx;
	return open->attr.namespaces;
}

TEST(an_unprivileged_user_gets_user_space)
{
	struct setup s = { 0 };

	set_up(&s, true);
	s.fake->unprivileged = true;
	s.fake->paranoid = 2;
	fake_perf_refuse(s.fake, -EACCES, wants_namespaces, NULL);
	CHECK_EQ(open_it(&s), 0);
	CHECK(s.event.user_only);
	CHECK(s.opened.items[0].attr.exclude_kernel);
	CHECK(!s.opened.items[1].attr.namespaces);
	tear_down(&s);
}

TEST(whole_cpus_are_refused_to_an_unprivileged_user)
{
	struct setup s = { 0 };

	set_up(&s, false);
	s.fake->unprivileged = true;
	s.fake->paranoid = 2;
	CHECK_EQ(open_it(&s), -EACCES);
	CHECK(strstr(s.err.what, "cpu-clock"));
	CHECK(strstr(s.err.hint, "perf_event_paranoid"));
	tear_down(&s);
}

static bool is_precise(void *ctx, const struct fake_open *open)
{
	(void)ctx;
	return open->attr.precise_ip > 1;
}

TEST(precision_is_lowered_to_the_supported_level)
{
	struct setup s = { 0 };

	set_up(&s, true);
	s.event.attr.precise_ip = 3;
	fake_perf_refuse(s.fake, -EOPNOTSUPP, is_precise, NULL);
	CHECK_EQ(open_it(&s), 0);
	CHECK_EQ(s.opened.items[0].attr.precise_ip, 1);
	tear_down(&s);
}

TEST(rings_are_halved_until_their_memory_may_be_locked)
{
	struct setup s = { 0 };

	set_up(&s, true);
	s.o.ring_bytes = 8 * RING;
	s.fake->max_ring = 2 * RING;
	CHECK_EQ(open_it(&s), 0);
	CHECK_EQ(pipa_sampler_ring_bytes(s.sampler), 2 * RING);
	tear_down(&s);
}

TEST(no_ring_at_all_is_explained)
{
	struct setup s = { 0 };

	set_up(&s, true);
	s.fake->max_ring = 1;
	CHECK_EQ(open_it(&s), -EPERM);
	CHECK(strstr(s.err.hint, "perf_event_mlock_kb"));
	tear_down(&s);
}

TEST(too_few_descriptors_are_explained)
{
	struct setup s = { 0 };

	set_up(&s, true);
	s.fake->max_fds = 3;
	CHECK_EQ(open_it(&s), -EMFILE);
	CHECK(strstr(s.err.hint, "ulimit -n"));
	tear_down(&s);
}

/* ---- draining ------------------------------------------------------------------------------------ */

struct record {
	struct perf_event_header header;
	uint64_t id, time, rest[20];
};

static void write_sample(const struct fake_open *open, uint64_t time)
{
	struct record record = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) },
				 .id = (uint64_t)open->fd,
				 .time = time };

	fake_perf_write(open, &record, sizeof(record));
}

static int count_piece(void *ctx, int cpu, const uint8_t *bytes, size_t len)
{
	return pipa_perf_splitter_add(ctx, cpu, bytes, len);
}

TEST(records_round_the_end_of_a_ring_come_out_whole)
{
	struct setup s = { 0 };
	struct pipa_perf_splitter *tally;
	const struct fake_open *ring;
	size_t i, n = 0;

	set_up(&s, false);
	CHECK_EQ(open_it(&s), 0);
	CHECK_EQ(pipa_perf_splitter_new(&s.opened, 2, &tally), 0);
	ring = fake_perf_find(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1);
	for (i = 0; i < 1000; i++) {
		write_sample(ring, 1000 + i);
		n++;
		if (i % 37 == 0)
			CHECK_EQ(pipa_sampler_drain(s.sampler, count_piece, tally), 0);
	}
	CHECK_EQ(pipa_sampler_drain(s.sampler, count_piece, tally), 0);
	CHECK_EQ(tally->all.samples, n);
	CHECK_EQ(tally->held, 0);
	CHECK_EQ(tally->first_ns, 1000);
	CHECK_EQ(tally->last_ns, 1999);
	CHECK_EQ(pipa_perf_splitter_of(tally, 0, 1).samples, n);
	CHECK_EQ(pipa_perf_splitter_of(tally, 0, 0).samples, 0);
	pipa_perf_splitter_free(tally);
	tear_down(&s);
}

struct order {
	int n;
	bool side_first;
	const struct fake_open *side;
};

static int note_order(void *ctx, int cpu, const uint8_t *bytes, size_t len)
{
	struct order *order = ctx;
	struct record record;

	(void)cpu;
	CHECK(len >= sizeof(record));
	memcpy(&record, bytes, sizeof(record));
	if (order->n++ == 0)
		order->side_first = record.id == (uint64_t)order->side->fd;
	return 0;
}

TEST(side_band_records_are_drained_before_samples)
{
	struct setup s = { 0 };
	struct order order = { 0 };

	set_up(&s, false);
	CHECK_EQ(open_it(&s), 0);
	order.side = fake_perf_find(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1);
	write_sample(fake_perf_find(s.fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0), 1);
	write_sample(order.side, 2);
	CHECK_EQ(pipa_sampler_drain(s.sampler, note_order, &order), 0);
	CHECK_EQ(order.n, 2);
	CHECK(order.side_first);
	tear_down(&s);
}

/* ---- processes that run already ---------------------------------------------------------------- */

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t ns;
};

/* The n-th event of a kind and thread that is still open; NULL: there is none. */
static const struct fake_open *find_open(const struct setup *s, uint64_t config, pid_t tid,
					 size_t n)
{
	size_t i;

	for (i = 0; i < s->fake->n_opens; i++) {
		const struct fake_open *open = &s->fake->opens[i];

		if (open->fd >= 0 && !open->closed && open->attr.config == config &&
		    open->pid == tid && n-- == 0)
			return open;
	}
	return NULL;
}

static void tell_fork(const struct setup *s, pid_t tid, pid_t parent, uint64_t ns)
{
	struct fork_record r = {
		.header = { .type = PERF_RECORD_FORK, .size = sizeof(r) },
		.pid = (uint32_t)parent,
		.parent_pid = (uint32_t)parent,
		.tid = (uint32_t)tid,
		.parent_tid = (uint32_t)parent,
		.ns = ns,
	};

	fake_perf_write(find_open(s, PERF_COUNT_SW_DUMMY, 0, 0), &r, sizeof(r));
}

static size_t catch_up(struct setup *s, pid_t newcomer)
{
	struct pipa_task items[] = { one_task, { .tid = newcomer } };
	struct pipa_tasks now = { items, 2, 2 };
	size_t n = 99;

	CHECK_EQ(pipa_sampler_catch_up(s->sampler, &now, &n, &s->err), 0);
	return n;
}

static void open_running(struct setup *s)
{
	set_up(s, true);
	s->o.running = true;
	s->event.attr.inherit = 1;
	CHECK_EQ(open_it(s), 0);
}

TEST(side_events_of_running_threads_run_before_others_are_opened)
{
	struct setup s = { 0 };
	size_t i, sides = 0;

	open_running(&s);
	for (i = 0; i < s.fake->n_opens; i++) {
		const struct fake_open *open = &s.fake->opens[i];

		CHECK_EQ(open->ring != NULL, open->pid == 0);
		if (open->pid == 77 && open->attr.config == PERF_COUNT_SW_DUMMY) {
			CHECK(!open->attr.disabled);
			sides++;
		} else if (open->pid == 77) {
			CHECK_EQ(sides, 2);
		}
	}
	tear_down(&s);
}

TEST(a_thread_made_meanwhile_is_opened_too)
{
	struct setup s = { 0 };

	open_running(&s);
	CHECK_EQ(catch_up(&s, 78), 1);
	CHECK(find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 78, 1));
	CHECK(find_open(&s, PERF_COUNT_SW_DUMMY, 78, 1));
	CHECK_EQ(catch_up(&s, 78), 0);
	tear_down(&s);
}

TEST(a_thread_that_inherits_is_not_opened_again)
{
	struct setup s = { 0 };

	open_running(&s);
	tell_fork(&s, 90, 77, UINT64_MAX / 2);
	tell_fork(&s, 78, 77, UINT64_MAX / 2 + 1);
	CHECK_EQ(catch_up(&s, 78), 0);
	CHECK(!find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 78, 0));
	tear_down(&s);
}

TEST(events_are_not_inherited_unless_requested)
{
	struct setup s = { 0 };

	open_running(&s);
	s.event.attr.inherit = 0;
	tell_fork(&s, 90, 77, UINT64_MAX / 2);
	tell_fork(&s, 78, 77, UINT64_MAX / 2 + 1);
	CHECK_EQ(catch_up(&s, 78), 1);
	CHECK(find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 78, 0));
	tear_down(&s);
}

TEST(a_parent_that_forked_a_thread_meanwhile_is_reopened)
{
	struct setup s = { 0 };
	const struct fake_open *before;
	uint64_t between;

	open_running(&s);
	before = find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 77, 0);
	between = pipa_clock_ns();
	tell_fork(&s, 78, 77, between);
	CHECK_EQ(catch_up(&s, 78), 1);
	CHECK(before->closed);
	CHECK(find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 77, 1));
	CHECK(!find_open(&s, PERF_COUNT_SW_DUMMY, 77, 2)); /* those stay */
	CHECK_EQ(catch_up(&s, 78), 1);
	CHECK(find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 78, 1));
	CHECK_EQ(catch_up(&s, 78), 0);
	tear_down(&s);
}

TEST(lost_side_band_records_reopen_all_events_during_catch_up)
{
	struct setup s = { 0 };
	struct perf_event_header lost[3] = { { .type = PERF_RECORD_LOST, .size = sizeof(lost) } };

	open_running(&s);
	fake_perf_write(find_open(&s, PERF_COUNT_SW_DUMMY, 0, 0), lost, sizeof(lost));
	CHECK_EQ(catch_up(&s, 78), 2);
	CHECK(find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 77, 1));
	CHECK(!find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 77, 2));
	CHECK(find_open(&s, PERF_COUNT_SW_CPU_CLOCK, 78, 1));
	CHECK_EQ(catch_up(&s, 78), 0);
	tear_down(&s);
}

static int sum_pieces(void *ctx, int cpu, const uint8_t *bytes, size_t len)
{
	(void)cpu;
	(void)bytes;
	*(size_t *)ctx += len;
	return 0;
}

TEST(side_band_records_of_the_catch_up_are_drained_once)
{
	struct setup s = { 0 };
	size_t len = 0;

	open_running(&s);
	tell_fork(&s, 78, 77, 5);
	catch_up(&s, 78);
	tell_fork(&s, 79, 77, 6);
	CHECK_EQ(pipa_sampler_drain(s.sampler, sum_pieces, &len), 0);
	CHECK_EQ(len, 2 * sizeof(struct fork_record));
	len = 0;
	CHECK_EQ(pipa_sampler_drain(s.sampler, sum_pieces, &len), 0);
	CHECK_EQ(len, 0);
	tear_down(&s);
}
