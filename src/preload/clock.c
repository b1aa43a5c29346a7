#include "preload/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "preload/symbols.h"
#include "preload/sys.h"

enum {
	SHIFT = 32,
	CALIBRATED_NS = 5000000, /* the least time to derive the counter's rate from */
	ANCHOR_NS = 1000000000,
};

typedef int (*gettime)(int clock, struct timespec *ret);

/* A value of the counter and its time, guarded by a sequence lock: `sequence` is odd while it is written. */
static struct {
	uint32_t sequence;
	uint64_t ticks, ns;
	uint64_t ns_per_tick; /* SHIFT bits after the point; 0: not known yet */
} anchor;

static uint64_t first_ticks, first_ns;
static bool has_counter;
static gettime vdso;

#if defined(__x86_64__)
static uint64_t read_counter(void)
{
	return __builtin_ia32_rdtsc();
}

/* Does the counter run at a constant rate in all states of the processor? */
static bool counter_is_constant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}
#elif defined(__aarch64__)
static uint64_t read_counter(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static bool counter_is_constant(void)
{
	return true;
}
#else
static uint64_t read_counter(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

static bool counter_is_constant(void)
{
	return true;
}
#endif

static uint64_t kernel_ns(void)
{
	gettime read_clock = __atomic_load_n(&vdso, __ATOMIC_RELAXED);
	struct timespec ts = { 0 };

	if (!read_clock || read_clock(CLOCK_MONOTONIC, &ts) != 0)
		return pipa_sys_clock(CLOCK_MONOTONIC);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* prctl(PR_SET_TSC) is inherited by fork and exec. */
static bool counter_is_allowed(void)
{
	int mode = PR_TSC_ENABLE;

	return PIPA_SYS2(prctl, PR_GET_TSC, &mode) < 0 || mode == PR_TSC_ENABLE;
}

void pipa_heap_clock_avoid_counter(void)
{
	__atomic_store_n(&vdso, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&has_counter, false, __ATOMIC_RELEASE);
}

void pipa_heap_clock_start(void)
{
	if (!counter_is_allowed())
		return;
	vdso = (gettime)pipa_heap_symbol_vdso("__vdso_clock_gettime");
	if (!vdso)
		vdso = (gettime)pipa_heap_symbol_vdso("__kernel_clock_gettime");
	if (!counter_is_constant())
		return;
	first_ns = kernel_ns();
	first_ticks = read_counter();
	__atomic_store_n(&has_counter, true, __ATOMIC_RELEASE);
}

/* Write the anchor, unless another thread is writing it. */
static void set_anchor(uint64_t ticks, uint64_t ns)
{
	uint32_t sequence = __atomic_load_n(&anchor.sequence, __ATOMIC_RELAXED);
	uint64_t rate;

	if (sequence & 1 || ticks - first_ticks < 2 || ns <= first_ns)
		return;
	rate = (uint64_t)(((unsigned __int128)(ns - first_ns) << SHIFT) / (ticks - first_ticks));
	if (!__atomic_compare_exchange_n(&anchor.sequence, &sequence, sequence + 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&anchor.ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&anchor.ns, ns, __ATOMIC_RELAXED);
	__atomic_store_n(&anchor.ns_per_tick, rate, __ATOMIC_RELAXED);
	__atomic_store_n(&anchor.sequence, sequence + 2, __ATOMIC_RELEASE);
}

/* Compute the time from the counter. False if there is no anchor, it is old, or it is being written. */
static bool counter_ns(uint64_t ticks, uint64_t *ret)
{
	uint32_t sequence = __atomic_load_n(&anchor.sequence, __ATOMIC_ACQUIRE);
	uint64_t at = __atomic_load_n(&anchor.ticks, __ATOMIC_RELAXED);
	uint64_t ns = __atomic_load_n(&anchor.ns, __ATOMIC_RELAXED);
	uint64_t rate = __atomic_load_n(&anchor.ns_per_tick, __ATOMIC_RELAXED);
	uint64_t past;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (sequence & 1 || __atomic_load_n(&anchor.sequence, __ATOMIC_RELAXED) != sequence ||
	    !rate || ticks < at)
		return false;
	past = (uint64_t)((unsigned __int128)(ticks - at) * rate >> SHIFT);
	*ret = ns + past;
	return past < ANCHOR_NS;
}

uint64_t pipa_heap_clock_ns(void)
{
	uint64_t ticks, ns;

	if (!__atomic_load_n(&has_counter, __ATOMIC_ACQUIRE))
		return kernel_ns();
	ticks = read_counter();
	if (counter_ns(ticks, &ns))
		return ns;
	ns = kernel_ns();
	if (ns - first_ns >= CALIBRATED_NS)
		set_anchor(ticks, ns);
	return ns;
}
