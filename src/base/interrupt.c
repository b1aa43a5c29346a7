#include "base/interrupt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { N_STOP = PIPA_COUNT(stop_signals) };

/* A service manager may send SIGTERM and SIGHUP at once, and means one thing. */
enum { TOGETHER_MS = 100 };

/* si_errno of a signal that was counted and queued again; the kernel and sigqueue(3) leave it 0 */
enum { COUNTED = 0x70697061 };

static bool enabled;

static struct {
	bool watching;
	pthread_t main_thread;
	sigset_t set;	  /* those that are handled */
	sigset_t exclude; /* those that are not to be */
	struct sigaction old[N_STOP], old_alarm;
	timer_t timer;
	volatile sig_atomic_t in_call; /* of the main thread */
	atomic_uint count;
	atomic_int first;
	_Atomic uint64_t first_ns;
	_Atomic uint64_t active_ns; /* the first signal, or the last progress after it */
	atomic_bool gave_up;
	atomic_int handled[N_STOP]; /* by the handler and not queued again yet */
	siginfo_t infos[N_STOP];
} state;

/* ---- in signal context ------------------------------------------------------------------------- */

static int index_of(int sig)
{
	int i;

	for (i = 0; i < N_STOP; i++)
		if (stop_signals[i] == sig)
			return i;
	return -1;
}

/* Interrupt blocking calls from now on. timer_settime(2) is async-signal-safe. */
static void start_ticks(void)
{
	const struct timespec tick = { .tv_nsec = PIPA_INTERRUPT_TICK_MS * 1000000L };
	const struct itimerspec when = { .it_value = tick, .it_interval = tick };

	timer_settime(state.timer, 0, &when, NULL);
}

static void count_signal(int sig)
{
	uint64_t now = pipa_clock_ns();

	if (!atomic_load(&state.count)) {
		atomic_store(&state.first_ns, now);
		atomic_store(&state.active_ns, now);
		atomic_store(&state.first, sig);
		start_ticks(); /* once: signals that keep coming would put the next tick off for ever */
	} else if (sig != atomic_load(&state.first) &&
		   now - atomic_load(&state.first_ns) < TOGETHER_MS * PIPA_NS_PER_MS) {
		return;
	}
	atomic_fetch_add(&state.count, 1);
}

static void on_stop(int sig, siginfo_t *info, void *context PIPA_UNUSED)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	int i = index_of(sig), keep = errno;

	bool is_new = info->si_errno != COUNTED;

	if (is_new)
		count_signal(sig);
	if (state.in_call) {
		state.infos[i] = *info;
		atomic_store(&state.handled[i], 1);
	} else if (is_new && atomic_load(&state.count) > 2) {
		sigaction(sig, &by_default, NULL); /* it is blocked here: delivered on return */
		raise(sig);
	}
	errno = keep;
}

static void on_tick(int sig PIPA_UNUSED)
{
}

/* ---- watching ------------------------------------------------------------------------------------ */

static void handle(const sigset_t *set)
{
	struct sigaction action = { .sa_sigaction = on_stop, .sa_flags = SA_SIGINFO }, old;
	int i;

	sigfillset(&action.sa_mask);
	for (i = 0; i < N_STOP; i++) {
		int sig = stop_signals[i];

		if (sigismember(set, sig) != 1 || sigismember(&state.set, sig) == 1 ||
		    sigismember(&state.exclude, sig) == 1 || sigaction(sig, NULL, &old) < 0 ||
		    (!(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN))
			continue;
		if (sigaction(sig, &action, &state.old[i]) == 0)
			sigaddset(&state.set, sig);
	}
}

void pipa_interrupt_enable(void)
{
	enabled = true;
}

bool pipa_interrupt_enabled(void)
{
	return enabled;
}

void pipa_interrupt_watch(const sigset_t *set)
{
	struct sigaction tick = { .sa_handler = on_tick };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	sigset_t alarm;

	if (!enabled)
		return;
	if (!state.watching) {
		if (timer_create(CLOCK_MONOTONIC, &event, &state.timer) < 0)
			return; /* signals have their default action in blocking calls */
		sigaction(SIGALRM, &tick, &state.old_alarm);
		state.main_thread = pthread_self();
		state.watching = true;
	}
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	handle(set);
}

void pipa_interrupt_block(const sigset_t *set, sigset_t *old)
{
	pthread_sigmask(SIG_BLOCK, set, old);
	pipa_interrupt_watch(set);
	if (state.watching)
		sigaddset(old, SIGALRM);
}

void pipa_interrupt_exclude(int sig)
{
	sigaddset(&state.exclude, sig);
}

void pipa_interrupt_restore(void)
{
	int i;

	if (!state.watching)
		return;
	for (i = 0; i < N_STOP; i++)
		if (sigismember(&state.set, stop_signals[i]) == 1)
			sigaction(stop_signals[i], &state.old[i], NULL);
	sigaction(SIGALRM, &state.old_alarm, NULL);
}

void pipa_interrupt_reset(void)
{
	if (!state.watching)
		return;
	pipa_interrupt_restore();
	memset(&state, 0, sizeof(state)); /* timers are not inherited */
}

void pipa_interrupt_note(const struct signalfd_siginfo *info)
{
	if (info->ssi_errno != COUNTED && sigismember(&state.set, (int)info->ssi_signo) == 1)
		count_signal((int)info->ssi_signo);
}

int pipa_interrupt_signal(void)
{
	return atomic_load(&state.first);
}

unsigned int pipa_interrupt_count(void)
{
	return atomic_load(&state.count);
}

/* ---- blocking calls -------------------------------------------------------------------------------- */

static void unblock(sigset_t *old, bool ticks)
{
	sigset_t set;

	if (!state.watching)
		return;
	sigemptyset(&set);
	if (pthread_equal(pthread_self(), state.main_thread)) {
		set = state.set;
		state.in_call = 1;
	}
	if (ticks)
		sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, old);
}

void pipa_interrupt_enter(sigset_t *old)
{
	unblock(old, true);
}

void pipa_interrupt_enter_wait(sigset_t *old)
{
	unblock(old, false);
}

/* With its own si_code, so that a signal typed at the terminal stays one. */
static void queue_again(int i)
{
	siginfo_t info = state.infos[i];

	info.si_errno = COUNTED;
	syscall(SYS_rt_sigqueueinfo, getpid(), stop_signals[i], &info);
}

static void queue_handled(const sigset_t *mask)
{
	int i;

	for (i = 0; i < N_STOP; i++)
		if (sigismember(mask, stop_signals[i]) == 1 &&
		    atomic_exchange(&state.handled[i], 0))
			queue_again(i);
}

void pipa_interrupt_leave(const sigset_t *old)
{
	int keep = errno;

	if (!state.watching)
		return;
	pthread_sigmask(SIG_SETMASK, old, NULL);
	if (pthread_equal(pthread_self(), state.main_thread)) {
		state.in_call = 0;
		if (atomic_load(&state.count))
			queue_handled(old);
	}
	errno = keep;
}

bool pipa_interrupt_expired(void)
{
	unsigned int count = atomic_load(&state.count);

	/* of an output that was given up, no other one's progress makes it wait again */
	return count > 1 || (count && atomic_load(&state.gave_up)) ||
	       (count && pipa_clock_ns() - atomic_load(&state.active_ns) >= PIPA_NS_PER_SEC);
}

void pipa_interrupt_progress(void)
{
	if (atomic_load(&state.count))
		atomic_store(&state.active_ns, pipa_clock_ns());
}

void pipa_interrupt_give_up(void)
{
	atomic_store(&state.gave_up, true);
}

bool pipa_interrupt_gave_up(void)
{
	return atomic_load(&state.gave_up);
}
