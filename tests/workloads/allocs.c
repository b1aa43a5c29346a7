/*
 * allocs WHAT: allocations with known sums, for cli/test_heap.sh.
 *
 *	lost       7 blocks of 100 bytes without a pointer to them
 *	list       a list of 5 blocks of 48 bytes, lost with its head
 *	cycle      3 blocks of 48 bytes in a cycle, lost
 *	kept       10 blocks of 1000 bytes that a global has pointers to
 *	inside     a block of 500 bytes, pointers only into it
 *	none       frees all that it allocates
 *	break      a block of 10 bytes, and one of 5,000 with a pointer only in memory of sbrk(2)
 *	churn      1,000 blocks of 64 bytes, each freed at once
 *	turns      20,000 blocks of 64 bytes, each second one by another function, each freed at once
 *	peak       100 blocks of 10,000 bytes, freed in the middle of the run, then 10 again
 *	resize     a block of 1 MiB, made 2 MiB and 3 MiB large
 *	grow MS    a block of 4,096 bytes each millisecond, kept
 *	mapped     a mapping of 1 MiB
 *	fork       a child that keeps 5 blocks of 2,000 bytes, and waits for it
 *	vfork      a child of vfork() that executes nothing and ends, then as lost
 *	exec       a program of its own: allocs kept
 *	kill       keeps 10 blocks of 1000 bytes and dies by SIGKILL
 *	late       a block without a pointer in it until a signal, then a pointer to a second one
 *	descend    waits for SIGUSR1, then allocs fork and allocs exec
 *	wait       keeps 10 blocks of 1000 bytes and waits for a signal, which it prints
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 100000 };

struct node {
	struct node *next;
	char data[40];
};

void *kept[MANY];
char *inside;

/* Overwrite the stack below the caller, where a pointer could be left. */
static __attribute__((noinline)) void wipe(void)
{
	char stack[16384];

	memset(stack, 0, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
}

static __attribute__((noinline)) void lose_blocks(void)
{
	int i;

	for (i = 0; i < 7; i++) {
		void *block = malloc(100);

		__asm__ volatile("" : : "r"(block) : "memory");
	}
}

static __attribute__((noinline)) struct node *make_list(int n)
{
	struct node *head = NULL;

	while (n--) {
		struct node *node = calloc(1, sizeof(*node));

		node->next = head;
		head = node;
	}
	return head;
}

static __attribute__((noinline)) void lose_list(void)
{
	struct node *list = make_list(5);

	__asm__ volatile("" : : "r"(list) : "memory");
}

static __attribute__((noinline)) void lose_cycle(void)
{
	struct node *list = make_list(3);

	list->next->next->next = list;
	__asm__ volatile("" : : "r"(list) : "memory");
}

static __attribute__((noinline)) void keep_blocks(int n, size_t size)
{
	static int used;

	while (n--)
		kept[used++] = malloc(size);
}

static __attribute__((noinline)) void churn_blocks(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		void *block = malloc(64);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
}

static __attribute__((noinline)) void *first_of_turn(void)
{
	void *block = malloc(64);

	__asm__ volatile("" : "+r"(block) : : "memory");
	return block;
}

static __attribute__((noinline)) void *second_of_turn(void)
{
	void *block = malloc(64);

	__asm__ volatile("" : "+r"(block) : : "memory");
	return block;
}

static __attribute__((noinline)) void take_turns(void)
{
	int i;

	for (i = 0; i < 10000; i++) {
		void *first = first_of_turn(), *second = second_of_turn();

		free(first);
		free(second);
	}
}

static __attribute__((noinline)) void make_peak(void)
{
	int i;

	for (i = 0; i < 100; i++)
		kept[i] = malloc(10000);
	for (i = 0; i < 100; i++)
		free(kept[i]);
	for (i = 0; i < 10; i++)
		kept[i] = malloc(10000);
}

static __attribute__((noinline)) void resize_block(void)
{
	size_t size;

	for (size = 1; size <= 3; size++)
		kept[0] = realloc(kept[0], size << 20);
}

static __attribute__((noinline)) void grow(long ms)
{
	const struct timespec step = { .tv_nsec = 1000000 };

	while (ms-- > 0) {
		keep_blocks(1, 4096);
		nanosleep(&step, NULL);
	}
}

static void on_signal(int sig)
{
	static const char text[] = "signalled\n";

	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(sig);
}

static __attribute__((noinline)) void keep_in_break(void)
{
	kept[0] = malloc(10);
	kept[1] = sbrk(4096);
	*(void **)kept[1] = malloc(5000);
}

/* Print that the program is ready, and wait for SIGUSR1. */
static void wait_for_signal(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (write(1, "ready\n", 6) != 6 || sigwait(&set, &sig))
		_exit(1);
}

/* Put the only pointer to a block into one that was allocated before SIGUSR1. */
static __attribute__((noinline)) void keep_late(void)
{
	struct node *first = calloc(1, sizeof(*first));
	int i;

	kept[0] = first;
	wait_for_signal();
	for (i = 0; i < 100; i++) {
		void *block = malloc(4000);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
	first->next = calloc(1, sizeof(*first));
}

static void run_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		keep_blocks(5, 2000);
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void run_child_of_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execl("/nonexistent", "nonexistent", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "none";

	if (strcmp(what, "lost") == 0)
		lose_blocks();
	else if (strcmp(what, "list") == 0)
		lose_list();
	else if (strcmp(what, "cycle") == 0)
		lose_cycle();
	else if (strcmp(what, "kept") == 0)
		keep_blocks(10, 1000);
	else if (strcmp(what, "inside") == 0)
		inside = (char *)malloc(500) + 100;
	else if (strcmp(what, "churn") == 0)
		churn_blocks();
	else if (strcmp(what, "turns") == 0)
		take_turns();
	else if (strcmp(what, "peak") == 0)
		make_peak();
	else if (strcmp(what, "resize") == 0)
		resize_block();
	else if (strcmp(what, "grow") == 0)
		grow(argc > 2 ? atol(argv[2]) : 100);
	else if (strcmp(what, "mapped") == 0)
		kept[0] = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
	else if (strcmp(what, "break") == 0)
		keep_in_break();
	else if (strcmp(what, "late") == 0)
		keep_late();
	else if (strcmp(what, "fork") == 0)
		run_child();
	else if (strcmp(what, "vfork") == 0) {
		run_child_of_vfork();
		lose_blocks();
	} else if (strcmp(what, "exec") == 0)
		execl(argv[0], argv[0], "kept", (char *)NULL);
	else if (strcmp(what, "descend") == 0) {
		wait_for_signal();
		run_child();
		execl(argv[0], argv[0], "kept", (char *)NULL);
	} else if (strcmp(what, "kill") == 0 || strcmp(what, "wait") == 0)
		keep_blocks(10, 1000);
	else
		free(malloc(100));
	if (strcmp(what, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(what, "wait") == 0) {
		signal(SIGUSR1, on_signal);
		signal(SIGTERM, on_signal);
		if (write(1, "ready\n", 6) == 6)
			for (;;)
				pause();
	}
	wipe();
	return 0;
}
