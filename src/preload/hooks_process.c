/*
 * Hooks of the process's life: its start and end, fork, exec with a changed environment, dlclose, and prctl that
 * forbids what the library does.
 */
#include "preload/hooks.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "preload/clock.h"
#include "preload/maps.h"
#include "preload/process.h"
#include "preload/real.h"
#include "preload/sys.h"

PIPA_EXPORT pid_t fork(void);
PIPA_EXPORT int dlclose(void *handle);
PIPA_EXPORT int prctl(int option, ...);
PIPA_EXPORT __attribute__((noreturn)) void _exit(int status);
PIPA_EXPORT __attribute__((noreturn)) void _Exit(int status);
PIPA_EXPORT int execve(const char *path, char *const argv[], char *const envp[]);
PIPA_EXPORT int execvpe(const char *path, char *const argv[], char *const envp[]);
PIPA_EXPORT int execv(const char *path, char *const argv[]);
PIPA_EXPORT int execvp(const char *path, char *const argv[]);
PIPA_EXPORT int execl(const char *path, const char *arg, ...);
PIPA_EXPORT int execlp(const char *path, const char *arg, ...);
PIPA_EXPORT int execle(const char *path, const char *arg, ...);

static __attribute__((constructor(101))) void on_load(void)
{
	pipa_heap_real_load();
	pipa_heap_process_load();
}

static __attribute__((destructor(101))) void on_exit_of_process(void)
{
	pipa_heap_process_exit((uint64_t)__builtin_dwarf_cfa());
}

void _exit(int status)
{
	pipa_heap_process_exit((uint64_t)__builtin_dwarf_cfa());
	for (;;)
		PIPA_SYS1(exit_group, status);
}

void _Exit(int status)
{
	pipa_heap_process_exit((uint64_t)__builtin_dwarf_cfa());
	for (;;)
		PIPA_SYS1(exit_group, status);
}

pid_t fork(void)
{
	pid_t pid = pipa_heap_real.fork();

	if (!pid && pipa_heap_process.owner)
		__atomic_store_n(pipa_heap_process.owner, 0, __ATOMIC_RELAXED);
	return pid;
}

#define NOT_COUNTED UINT64_MAX

/* Copy the number of unloaded objects, which the loader gives with each object, to *ctx; end the iteration. */
static int copy_unloaded(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uint64_t *ret = ctx;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*ret = info->dlpi_subs;
	return 1;
}

/* Return how many objects the loader has unloaded so far, or NOT_COUNTED. */
static uint64_t count_unloaded(void)
{
	uint64_t n = NOT_COUNTED;

	pipa_heap_real.dl_iterate_phdr(copy_unloaded, &n);
	return n;
}

/* Most calls only decrement a reference count: no generation for each, whose stacks would all be distinct. */
int dlclose(void *handle)
{
	uint64_t before = count_unloaded();
	int status = pipa_heap_real.dlclose(handle);

	if (before == NOT_COUNTED || count_unloaded() != before)
		pipa_heap_maps_unmapped();
	return status;
}

/*
 * After PR_SET_TSC the processor's counter may not be read. In strict seccomp a thread may make hardly any system
 * call, nor read the counter: the process is not recorded any more.
 */
int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list rest;
	int status;

	va_start(rest, option); /* as libc: all that there can be */
	a = va_arg(rest, unsigned long);
	b = va_arg(rest, unsigned long);
	c = va_arg(rest, unsigned long);
	d = va_arg(rest, unsigned long);
	va_end(rest);
	if (option == PR_SET_TSC && a != PR_TSC_ENABLE)
		pipa_heap_clock_avoid_counter();
	status = pipa_heap_real.prctl(option, a, b, c, d);
	if (option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT && !status)
		pipa_heap_process_stop();
	return status;
}

/* ---- exec ------------------------------------------------------------------------------------------------ */

extern char **environ __attribute__((weak, visibility("default")));

static bool has_prefix(const char *text, const char *prefix)
{
	while (*prefix)
		if (*text++ != *prefix++)
			return false;
	return true;
}

static const char preload_name[] = "LD_PRELOAD=";
static const char config_name[] = PIPA_HEAP_ENV "=";

/* The environment of a program that is executed, to which missing variables of the library are added. */
struct environment {
	size_t n; /* pointers, with the NULL */
	bool complete;
};

static struct environment count_variables(char *const envp[])
{
	const struct pipa_heap_process *p = &pipa_heap_process;
	bool switched = pipa_heap_process_switch() != p->config.on;
	struct environment found = { 0 };
	bool preload = false, config = false;

	for (; envp && envp[found.n]; found.n++) {
		preload |= has_prefix(envp[found.n], preload_name);
		config |= has_prefix(envp[found.n], config_name) &&
			  !(switched && strcmp(envp[found.n], p->environment) == 0);
	}
	found.n++;
	found.complete = !p->config.follow || (preload && config) || !p->preload[0];
	return found;
}

static const char on_key[] = "on=";

enum { ON_SIZE = sizeof("on=1 ") };

/* Copy the configuration with the present state of the switch; `to` has space for ON_SIZE more bytes. */
static void copy_config(char *to)
{
	const char *from = pipa_heap_process.environment + strlen(config_name);
	bool keep;

	memcpy(to, config_name, strlen(config_name));
	to += strlen(config_name);
	while (*from && !has_prefix(from, "dir=")) {
		keep = !has_prefix(from, on_key);
		for (; *from && *from != ' '; from++)
			if (keep)
				*to++ = *from;
		for (; *from == ' '; from++)
			if (keep)
				*to++ = ' ';
	}
	memcpy(to, on_key, strlen(on_key));
	to += strlen(on_key);
	*to++ = pipa_heap_process_switch() ? '1' : '0';
	*to++ = ' ';
	memcpy(to, from, strlen(from) + 1);
}

/* Copy an environment with both variables. The library precedes what LD_PRELOAD had. */
static char **complete_environment(char **to, char *const envp[], char *preload, char *config)
{
	const struct pipa_heap_process *p = &pipa_heap_process;
	size_t at = strlen(preload_name), n = 0, i;
	const char *more = NULL;

	for (i = 0; envp && envp[i]; i++) {
		if (has_prefix(envp[i], config_name))
			continue;
		if (has_prefix(envp[i], preload_name))
			more = envp[i] + at;
		else
			to[n++] = envp[i];
	}
	memcpy(preload, preload_name, at);
	memcpy(preload + at, p->preload, strlen(p->preload));
	at += strlen(p->preload);
	if (more && *more) {
		preload[at++] = ':';
		memcpy(preload + at, more, strlen(more));
		at += strlen(more);
	}
	preload[at] = 0;
	copy_config(config);
	to[n++] = preload;
	to[n++] = config;
	to[n] = NULL;
	return to;
}

static size_t preload_size(char *const envp[])
{
	size_t size = sizeof(preload_name) + strlen(pipa_heap_process.preload) + 1, i;

	for (i = 0; envp && envp[i]; i++)
		if (has_prefix(envp[i], preload_name))
			size += strlen(envp[i]);
	return size;
}

/* On the stack of the caller, which may be a child of vfork(). */
#define COMPLETED(envp, found)                                                                     \
	complete_environment(__builtin_alloca(((found).n + 2) * sizeof(char *)), envp,             \
			     __builtin_alloca(preload_size(envp)),                                 \
			     __builtin_alloca(strlen(pipa_heap_process.environment) + ON_SIZE))

enum { ENVIRONMENT_MAX = 4096 }; /* variables; with more the environment is passed on as it is */

static bool is_complete(const struct environment *found)
{
	return found->complete || found->n > ENVIRONMENT_MAX;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	struct environment found = count_variables(envp);

	return pipa_heap_real.execve(path, argv,
				     is_complete(&found) ? envp : COMPLETED(envp, found));
}

int execvpe(const char *path, char *const argv[], char *const envp[])
{
	struct environment found = count_variables(envp);

	return pipa_heap_real.execvpe(path, argv,
				      is_complete(&found) ? envp : COMPLETED(envp, found));
}

static char *const *own_environment(void)
{
	return &environ ? environ : NULL;
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, own_environment());
}

int execvp(const char *path, char *const argv[])
{
	return execvpe(path, argv, own_environment());
}

/* Copy the arguments up to and with the NULL; `to` may be NULL. Returns how many there are. */
static size_t copy_arguments(char **to, const char *first, va_list *rest)
{
	const char *arg = first;
	size_t n = 0;

	for (;; arg = va_arg(*rest, const char *)) {
		if (to)
			to[n] = (char *)arg;
		n++;
		if (!arg)
			return n;
	}
}

/* The arguments of a function as a vector on its stack. */
#define ARGUMENTS(argv, first, rest)                                                               \
	do {                                                                                       \
		size_t n_;                                                                         \
		va_start(rest, first);                                                             \
		n_ = copy_arguments(NULL, first, &(rest));                                         \
		va_end(rest);                                                                      \
		(argv) = __builtin_alloca(n_ * sizeof(char *));                                    \
		va_start(rest, first);                                                             \
		copy_arguments(argv, first, &(rest));                                              \
	} while (0)

int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list rest;

	ARGUMENTS(argv, arg, rest);
	va_end(rest);
	return execv(path, argv);
}

int execlp(const char *path, const char *arg, ...)
{
	char **argv;
	va_list rest;

	ARGUMENTS(argv, arg, rest);
	va_end(rest);
	return execvp(path, argv);
}

int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	char **argv;
	va_list rest;

	ARGUMENTS(argv, arg, rest);
	envp = va_arg(rest, char *const *);
	va_end(rest);
	return execve(path, argv, envp);
}

PIPA_EXPORT int posix_spawn(pid_t *pid, const char *path,
			    const posix_spawn_file_actions_t *file_actions,
			    const posix_spawnattr_t *attrp, char *const argv[], char *const envp[])
{
	struct environment found = count_variables(envp);

	return pipa_heap_real.posix_spawn(pid, path, file_actions, attrp, argv,
					  is_complete(&found) ? envp : COMPLETED(envp, found));
}

PIPA_EXPORT int posix_spawnp(pid_t *pid, const char *path,
			     const posix_spawn_file_actions_t *file_actions,
			     const posix_spawnattr_t *attrp, char *const argv[], char *const envp[])
{
	struct environment found = count_variables(envp);

	return pipa_heap_real.posix_spawnp(pid, path, file_actions, attrp, argv,
					   is_complete(&found) ? envp : COMPLETED(envp, found));
}
