/*
 * A program that allocates in many ways, for tests/cli/test_heap_library.sh:
 *
 *	allocates MODE [N]
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static unsigned int next(unsigned int *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* All functions, sizes of several classes, in a random order; everything is freed. */
static void churn(unsigned int seed, int rounds)
{
	enum { SLOTS = 64 };
	void *slots[SLOTS] = { 0 };
	int i;

	for (i = 0; i < rounds; i++) {
		unsigned int at = next(&seed) % SLOTS,
			     size = next(&seed) % (next(&seed) % 16 ? 300 : 20000);
		void *block;

		switch (next(&seed) % 7) {
		case 0:
			free(slots[at]);
			slots[at] = calloc(3, size);
			break;
		case 1:
			block = realloc(slots[at], size + 1);
			if (block)
				slots[at] = block;
			break;
		case 2:
			free(slots[at]);
			slots[at] = NULL;
			if (posix_memalign(&slots[at], 64, size))
				abort();
			break;
		case 3:
			free(slots[at]);
			slots[at] = aligned_alloc(32, (size + 31) & ~31U);
			break;
		case 4:
			block = reallocarray(slots[at], 2, size + 1);
			if (block)
				slots[at] = block;
			break;
		default:
			free(slots[at]);
			slots[at] = malloc(size);
			break;
		}
		if (slots[at] && size)
			memset(slots[at], 1, 1);
	}
	for (i = 0; i < SLOTS; i++)
		free(slots[i]);
}

static void *in_thread(void *arg)
{
	churn((unsigned int)(uintptr_t)arg, 500);
	return malloc(10); /* freed by another thread */
}

static int threads(int n)
{
	pthread_t *ids = calloc((size_t)n, sizeof(*ids));
	pthread_attr_t attr;
	void *block;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (i = 0; i < n; i++)
		if (pthread_create(&ids[i], &attr, in_thread, (void *)(uintptr_t)(i + 1)))
			return 1;
	for (i = 0; i < n; i++) {
		pthread_join(ids[i], &block);
		free(block);
	}
	pthread_attr_destroy(&attr);
	free(ids);
	return 0;
}

/* A library that stays loaded, opened and closed again. */
static int handles(int n)
{
	void *first = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), *handle;

	while (n-- > 0) {
		handle = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
		free(malloc(100));
		if (!handle || dlclose(handle))
			return 1;
	}
	return !first;
}

static volatile int stop;

static void *churn_until_stopped(void *arg)
{
	while (!stop)
		churn((unsigned int)(uintptr_t)arg, 200);
	return NULL;
}

/* Children that allocate, while other threads do. */
static int forks(int n)
{
	pthread_t other;
	int i, status, failed = 0;

	pthread_create(&other, NULL, churn_until_stopped, (void *)7);
	for (i = 0; i < n; i++) {
		void *of_parent = malloc(100);
		pid_t pid = fork();

		if (!pid) {
			free(of_parent);
			churn((unsigned int)i + 1, 100);
			_exit(0);
		}
		free(of_parent);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			failed++;
	}
	stop = 1;
	pthread_join(other, NULL);
	return failed != 0;
}

/* A library whose mapping comes and goes. */
static int dlopens(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), *other;

		other = dlopen("libutil.so.1", RTLD_NOW | RTLD_LOCAL);
		churn((unsigned int)i, 20);
		if (other)
			dlclose(other);
		if (library)
			dlclose(library);
	}
	return 0;
}

static volatile sig_atomic_t n_signals;

static void on_signal(int number)
{
	int kept = errno;

	(void)number;
	n_signals++;
	errno = kept;
}

static int signals(int n)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	churn(3, n);
	setitimer(ITIMER_REAL, &never, NULL);
	return n_signals ? 0 : 1;
}

static __attribute__((noinline)) void *from_handler(void)
{
	return malloc(77);
}

static void *volatile handled;

static void allocate_in_handler(int number)
{
	(void)number;
	handled = from_handler();
}

static void allocate_in_coroutine(void)
{
	handled = malloc(100);
}

/* Its caller has no call frame information; the frame pointer, which is any number there, is in memory above. */
static void run_coroutine(char *stack, size_t size)
{
	static ucontext_t caller, coroutine;
	char *above = stack + size + 8192;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = size;
	coroutine.uc_link = &caller;
	makecontext(&coroutine, allocate_in_coroutine, 0);
#if defined(__x86_64__)
	coroutine.uc_mcontext.gregs[REG_RBP] = (greg_t)above;
#elif defined(__aarch64__)
	coroutine.uc_mcontext.regs[29] = (uintptr_t)above;
#else
	(void)above;
#endif
	swapcontext(&caller, &coroutine);
}

/* Coroutines on two stacks: the upper one, which the program or its allocator unmaps, then the lower one. */
static int coroutines(void)
{
	enum { SIZE = 32 << 10 };
	char *map = mmap(NULL, (size_t)2 * SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *low, *high, *block;

	if (map == MAP_FAILED)
		return 1;
	run_coroutine(map + SIZE, SIZE);
	munmap(map + SIZE, SIZE);
	run_coroutine(map, SIZE);
	munmap(map, SIZE);
	mallopt(M_MMAP_THRESHOLD, SIZE / 2);
	high = malloc(SIZE);
	low = malloc(SIZE);
	if (low > high) {
		block = low;
		low = high;
		high = block;
	}
	run_coroutine(high, SIZE);
	free(high);
	run_coroutine(low, SIZE);
	free(low);
	return 0;
}

/* The processor's counter is forbidden, if the kernel can do that. */
static int counter(void)
{
	free(malloc(100));
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	free(malloc(200));
	return 0;
}

/* All system calls but four are forbidden, as is exit_group(2). */
static void strict(void)
{
	void *block = malloc(100);

	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	free(malloc(200));
	free(block);
	syscall(SYS_exit, 0);
}

/* Lock all memory, which must be at least 1 MiB and less than n. */
static int lock_memory(int n)
{
	FILE *file = fopen("/proc/self/status", "r");
	struct rusage usage;
	char line[256];
	long locked = 0;

	if (!file || mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	while (fgets(line, sizeof(line), file))
		sscanf(line, "VmLck: %ld", &locked);
	fclose(file);
	getrusage(RUSAGE_SELF, &usage);
	handled = malloc(1 << 20);
	return !handled || locked < 1024 || usage.ru_maxrss > (long)n << 10;
}

/* errno is the caller's, whatever the library does. */
static int keeps_errno(void)
{
	int i;

	for (i = 0; i < 1000; i++) {
		errno = 12345;
		free(malloc(100));
		if (errno != 12345)
			return 1;
	}
	return 0;
}

static int refused(void)
{
	volatile size_t huge = SIZE_MAX - 100, half = SIZE_MAX / 2 + 2;
	char *block = malloc(10), *moved;
	void *aligned = NULL;

	strcpy(block, "kept");
	moved = realloc(block, huge);
	if (moved || strcmp(block, "kept") != 0 || malloc(huge) || calloc(half, 2) ||
	    reallocarray(NULL, half, 2) || !posix_memalign(&aligned, 3, 8))
		return 1;
	free(block);
	free(NULL);
	return 0;
}

static int recursion(int depth)
{
	char *block = malloc(33);
	int result = depth ? recursion(depth - 1) : 0;

	memset(block, result, 33);
	result += block[5];
	free(block);
	return result;
}

/* n mappings of a page at the same time. Each second one is not accessible, so that they stay separate. */
static int mappings(int n)
{
	char **maps = calloc((size_t)n, sizeof(*maps));
	int i;

	for (i = 0; i < n; i++) {
		maps[i] = mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (maps[i] == MAP_FAILED)
			return 1;
	}
	for (i = 0; i < n; i++)
		if (munmap(maps[i], 4096))
			return 1;
	free(maps);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 1;

	if (!strcmp(mode, "churn"))
		churn(1, n);
	else if (!strcmp(mode, "threads"))
		return threads(n);
	else if (!strcmp(mode, "forks"))
		return forks(n);
	else if (!strcmp(mode, "dlopens"))
		return dlopens(n);
	else if (!strcmp(mode, "handles"))
		return handles(n);
	else if (!strcmp(mode, "signals"))
		return signals(n);
	else if (!strcmp(mode, "errno"))
		return keeps_errno();
	else if (!strcmp(mode, "refused"))
		return refused();
	else if (!strcmp(mode, "coroutines"))
		return coroutines();
	else if (!strcmp(mode, "counter"))
		return counter();
	else if (!strcmp(mode, "locked"))
		return lock_memory(n);
	else if (!strcmp(mode, "strict"))
		strict();
	else if (!strcmp(mode, "recursion"))
		return recursion(n);
	else if (!strcmp(mode, "handler")) {
		signal(SIGUSR1, allocate_in_handler);
		raise(SIGUSR1);
		return !handled;
	} else if (!strcmp(mode, "killed")) {
		churn(1, n);
		for (int i = 0; i < 100; i++)
			handled = malloc(1000);
		kill(getpid(), SIGKILL);
	} else if (!strcmp(mode, "_exit")) {
		handled = malloc(10);
		_exit(7);
	} else if (!strcmp(mode, "large")) {
		handled = malloc((size_t)n << 20);
		return !handled;
	} else if (!strcmp(mode, "leaks")) {
		while (n--)
			handled = malloc(1000);
	} else if (!strcmp(mode, "mmap")) {
		char *map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);

		map = mremap(map, 1 << 20, 2 << 20, MREMAP_MAYMOVE);
		munmap(map + (1 << 20), 1 << 20);
		munmap(map, 1 << 20);
		handled = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
	} else if (!strcmp(mode, "cut")) {
		char *map = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		munmap(map, 1 << 20);
		munmap(map + (15 << 20), (1 << 20) - 100);
		munmap(map + (5 << 20), 3 << 20);
		munmap(map + (8 << 20), 7 << 20);
	} else if (!strcmp(mode, "mappings")) {
		return mappings(n);
	} else {
		return 2;
	}
	return 0;
}
