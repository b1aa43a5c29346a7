/*
 * A workload whose user instructions can be counted by hand.
 *
 *	work N            loop N times: 2 x N instructions
 *	work threads T N  the same in each of T threads (at most 64)
 *	work fork N       the same in a child process, while the parent waits
 *	work sleep MS     do nothing for so long
 *
 * Neither libc nor loader runs: from _start to exit every instruction is in this file, so two runs
 * differ only by the loop, if their arguments have as many digits. Built for aarch64 with
 * -static -nostdlib -ffreestanding.
 */

#include <asm/unistd.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/time_types.h>
#include <stddef.h>

#ifndef __aarch64__
#error "written for aarch64"
#endif

#define SIGCHLD 17
#define MAX_THREADS 64

struct thread {
	char stack[1024] __attribute__((aligned(16)));
	int tid; /* zeroed, and woken as a futex, by the kernel when the thread ends */
};

static struct thread threads[MAX_THREADS];

static long call(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

static void spin(unsigned long rounds)
{
	__asm__ volatile("1: subs %0, %0, 1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

/* A task that spins and ends. It wakes up on its own stack, so all it does is done in registers. */
static long spawn(unsigned long flags, void *stack, int *tid, unsigned long rounds)
{
	register long x8 __asm__("x8") = __NR_clone;
	register long x0 __asm__("x0") = (long)flags;
	register void *x1 __asm__("x1") = stack;
	register int *x2 __asm__("x2") = tid;
	register long x3 __asm__("x3") = 0;
	register int *x4 __asm__("x4") = tid;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 2f\n"
			 "1: subs %[rounds], %[rounds], 1\n\t"
			 "b.ne 1b\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc 0\n"
			 "2:"
			 : "+r"(x0), "+r"(x8), [rounds] "+r"(rounds)
			 : "r"(x1), "r"(x2), "r"(x3), "r"(x4), [exit] "i"(__NR_exit)
			 : "memory", "cc");
	return x0;
}

static int run_threads(unsigned long count, unsigned long rounds)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				    CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID |
				    CLONE_CHILD_CLEARTID;

	if (count > MAX_THREADS)
		return 1;
	for (struct thread *t = threads; t < threads + count; t++)
		if (spawn(flags, t->stack + sizeof(t->stack), &t->tid, rounds) < 0)
			return 1;

	for (struct thread *t = threads; t < threads + count; t++) {
		int tid;

		while ((tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE)))
			call(__NR_futex, (long)&t->tid, FUTEX_WAIT, tid, 0);
	}
	return 0;
}

static int run_fork(unsigned long rounds)
{
	long pid = spawn(SIGCHLD, NULL, NULL, rounds);

	return pid < 0 || call(__NR_wait4, pid, 0, 0, 0) != pid;
}

static int run_sleep(unsigned long ms)
{
	struct __kernel_timespec t = { (long long)(ms / 1000), (long long)(ms % 1000) * 1000000 };

	return call(__NR_nanosleep, (long)&t, 0, 0, 0) != 0;
}

/* zero, which no mode has a use for, if it is not a number */
static unsigned long number(const char *s)
{
	unsigned long n = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (unsigned long)(*s - '0');
	return *s ? 0 : n;
}

static int run(int argc, char **argv)
{
	unsigned long n = argc > 1 ? number(argv[argc - 1]) : 0;
	unsigned long count = argc == 4 ? number(argv[2]) : 0;

	if (!n)
		return 2;
	if (argc == 2) {
		spin(n);
		return 0;
	}
	switch (argv[1][0]) {
	case 't': return run_threads(count, n);
	case 'f': return run_fork(n);
	case 's': return run_sleep(n);
	}
	return 2;
}

__attribute__((used)) static void enter(long *stack)
{
	call(__NR_exit_group, run((int)stack[0], (char **)(stack + 1)), 0, 0, 0);
}

__asm__(".global _start\n_start: mov x0, sp\n\tb enter\n");
