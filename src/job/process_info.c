#include "job/process_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "kernel/process/task.h"

enum {
	COMMAND_MAX = 1024, /* bytes of a command line that a screen can show */
	PARENT_AGE = 8,	    /* intervals after which the parent is read again */
};

struct entry {
	pid_t pid; /* 0: empty */
	pid_t ppid;
	int nice;
	bool is_known, is_fresh; /* read at all; read in this interval */
	uint64_t start;		 /* with the PID it identifies a process */
	double cpu_seconds;	 /* user and system time since its start */
	uint32_t comm;		 /* hash of its comm: exec(2) changes it */
	char *command;		 /* owned; NULL: not read */
};

/* Open addressing by PID; the size is a power of two. */
struct table {
	struct entry *items;
	size_t n, size;
};

struct user {
	uint32_t uid;
	char name[32];
};

struct pipa_process_infos {
	struct pipa_root *root;
	struct table now, before; /* used in this interval, and in the one before */
	uint64_t tick;
	struct user *users; /* by uid */
	size_t n_users;
	pid_t held;
	int held_fd;
};

/* ---- users ------------------------------------------------------------------------------------------- */

static int by_uid(const void *a, const void *b)
{
	const struct user *x = a, *y = b;

	return x->uid < y->uid ? -1 : x->uid > y->uid;
}

/* Parse /etc/passwd: libc's lookup would need plug-ins, which a static program cannot load. */
static void read_users(struct pipa_process_infos *infos)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 4 << 20 };
	const char *line, *end;
	size_t lines = 1;

	if (pipa_file_read("/etc/passwd", &text, NULL) < 0)
		return;
	for (line = pipa_buf_str(&text); (line = strchr(line, '\n')); line++)
		lines++;
	infos->users = calloc(lines, sizeof(*infos->users));
	for (line = pipa_buf_str(&text); infos->users && *line; line = *end ? end + 1 : end) {
		struct user *user = &infos->users[infos->n_users];
		char *digits;

		end = line + strcspn(line, "\n");
		if (sscanf(line, "%31[^:\n]:%*[^:\n]:", user->name) != 1)
			continue;
		digits = strchr(line, ':');
		digits = digits ? strchr(digits + 1, ':') : NULL;
		if (!digits || digits > end)
			continue;
		user->uid = (uint32_t)strtoul(digits + 1, NULL, 10);
		infos->n_users++;
	}
	if (infos->n_users)
		qsort(infos->users, infos->n_users, sizeof(*infos->users), by_uid);
}

const char *pipa_process_infos_user(const struct pipa_process_infos *infos, uint32_t uid)
{
	const struct user key = { .uid = uid }, *found;

	if (!infos->n_users)
		return NULL;
	found = bsearch(&key, infos->users, infos->n_users, sizeof(key), by_uid);
	return found ? found->name : NULL;
}

/* ---- table ------------------------------------------------------------------------------------------- */

static struct entry *slot_of(const struct table *t, pid_t pid)
{
	size_t at = (size_t)((uint32_t)pid * UINT64_C(2654435761)) & (t->size - 1);

	while (t->items[at].pid && t->items[at].pid != pid)
		at = (at + 1) & (t->size - 1);
	return &t->items[at];
}

static struct entry *find_entry(const struct table *t, pid_t pid)
{
	struct entry *e = t->size ? slot_of(t, pid) : NULL;

	return e && e->pid ? e : NULL;
}

static int grow_table(struct table *t)
{
	struct table larger = { .size = t->size ? t->size * 2 : 256, .n = t->n };
	size_t i;

	larger.items = calloc(larger.size, sizeof(*larger.items));
	if (!larger.items)
		return -ENOMEM;
	for (i = 0; i < t->size; i++)
		if (t->items[i].pid)
			*slot_of(&larger, t->items[i].pid) = t->items[i];
	free(t->items);
	*t = larger;
	return 0;
}

static void clear_table(struct table *t)
{
	size_t i;

	for (i = 0; i < t->size; i++)
		free(t->items[i].command);
	if (t->size)
		memset(t->items, 0, t->size * sizeof(*t->items));
	t->n = 0;
}

/* Return the entry of this interval, moved from the one before or new; NULL on allocation failure. */
static struct entry *take_entry(struct pipa_process_infos *infos, pid_t pid)
{
	struct entry *e = find_entry(&infos->now, pid), *old;

	if (e)
		return e;
	if (infos->now.n * 2 >= infos->now.size && grow_table(&infos->now) < 0)
		return NULL;
	e = slot_of(&infos->now, pid);
	infos->now.n++;
	old = find_entry(&infos->before, pid);
	*e = old ? *old : (struct entry){ .pid = pid };
	e->is_fresh = false;
	if (old)
		old->command = NULL;
	return e;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (; len; len--, text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* Read fields of proc_pid_stat(5) from those after the command: state is the third. */
static bool parse_stat(const char *text, long *ret_ppid, long *ret_nice,
		       unsigned long long *ret_ticks, unsigned long long *ret_start)
{
	enum { STATE = 3, PPID = 4, UTIME = 14, STIME = 15, NICE = 19, STARTTIME = 22 };
	int field;

	for (field = STATE; field <= STARTTIME; field++) {
		text += strspn(text, " ");
		if (!*text)
			return false;
		if (field == PPID)
			*ret_ppid = strtol(text, NULL, 10);
		else if (field == UTIME || field == STIME)
			*ret_ticks += strtoull(text, NULL, 10);
		else if (field == NICE)
			*ret_nice = strtol(text, NULL, 10);
		else if (field == STARTTIME)
			*ret_start = strtoull(text, NULL, 10);
		text += strcspn(text, " ");
	}
	return true;
}

/* Read /proc/PID/stat: parent, nice value, CPU time, start time. The comm ends at the last parenthesis. */
static void read_stat(struct pipa_process_infos *infos, struct entry *e)
{
	char text[1024], *open, *close;
	unsigned long long start = 0, ticks = 0;
	uint32_t comm;
	long ppid = 0, nice = 0;

	e->is_fresh = true;
	if (pipa_root_read(infos->root, PIPA_PROC, text, sizeof(text), "%d/stat", e->pid) < 0)
		return;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || !parse_stat(close + 1, &ppid, &nice, &ticks, &start))
		return;
	comm = hash_text(open, (size_t)(close - open));
	if (e->is_known && (e->start != start || e->comm != comm)) {
		free(e->command);
		e->command = NULL;
	}
	e->is_known = true;
	e->ppid = (pid_t)ppid;
	e->nice = (int)nice;
	e->cpu_seconds = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	e->start = start;
	e->comm = comm;
}

/* Read the command line; "" if the process has none, such as a kernel thread. */
static void read_command(struct pipa_process_infos *infos, struct entry *e)
{
	char text[COMMAND_MAX];
	ssize_t len = pipa_root_read(infos->root, PIPA_PROC, text, sizeof(text), "%d/cmdline",
				     e->pid);
	ssize_t i;

	while (len > 0 && !text[len - 1])
		len--;
	for (i = 0; i < len; i++)
		if (!text[i])
			text[i] = ' ';
	e->command = strndup(text, len > 0 ? (size_t)len : 0);
}

struct pipa_process_info pipa_process_infos_find(struct pipa_process_infos *infos, pid_t pid,
						 enum pipa_process_want want)
{
	struct entry *e = pid > 0 ? take_entry(infos, pid) : NULL;

	if (!e)
		return (struct pipa_process_info){ 0 };
	if (!e->is_fresh && (!e->is_known || want != PIPA_PROCESS_PARENT ||
			     ((uint64_t)pid + infos->tick) % PARENT_AGE == 0))
		read_stat(infos, e);
	if (want == PIPA_PROCESS_COMMAND && !e->command)
		read_command(infos, e);
	return (struct pipa_process_info){ .ppid = e->ppid,
					   .nice = e->nice,
					   .cpu_seconds = e->cpu_seconds,
					   .is_known = e->is_known,
					   .command = e->command && e->command[0] ? e->command :
										    NULL };
}

/* ---- start and end ----------------------------------------------------------------------------------- */

struct pipa_process_infos *pipa_process_infos_new(const struct pipa_host *host)
{
	struct pipa_process_infos *infos = calloc(1, sizeof(*infos));

	if (!infos)
		return NULL;
	infos->root = host->root;
	infos->held_fd = -1;
	read_users(infos);
	return infos;
}

void pipa_process_infos_free(struct pipa_process_infos *infos)
{
	if (!infos)
		return;
	pipa_process_infos_hold(infos, 0);
	clear_table(&infos->now);
	clear_table(&infos->before);
	free(infos->now.items);
	free(infos->before.items);
	free(infos->users);
	free(infos);
}

void pipa_process_infos_tick(struct pipa_process_infos *infos)
{
	struct table unused = infos->before;

	clear_table(&unused);
	infos->before = infos->now;
	infos->now = unused;
	infos->tick++;
}

/* ---- signals ----------------------------------------------------------------------------------------- */

/*
 * Is the process of this PID the one whose facts were last returned? Compares start times, because the PID may be
 * reused between two intervals. True if the facts are unknown.
 */
static bool is_process_shown(struct pipa_process_infos *infos, pid_t pid)
{
	const struct entry *shown = find_entry(&infos->now, pid);
	struct entry now = { .pid = pid };

	if (!shown)
		shown = find_entry(&infos->before, pid);
	if (!shown || !shown->is_known)
		return true;
	read_stat(infos, &now);
	return now.is_known && now.start == shown->start;
}

int pipa_process_infos_hold(struct pipa_process_infos *infos, pid_t pid)
{
	int rc = 0;

	pipa_fd_close(infos->held_fd);
	infos->held_fd = -1;
	infos->held = pid;
	if (!pid)
		return 0;
	infos->held_fd = pipa_task_pidfd(pid);
	if (infos->held_fd < 0)
		rc = infos->held_fd;
	else if (
		!is_process_shown(
			infos,
			pid)) /* after the open, so that the pidfd and the facts are of one process */
		rc = -ESRCH;
	if (!rc)
		return 0;
	pipa_fd_close(infos->held_fd);
	infos->held_fd = -1;
	infos->held = 0;
	return rc;
}

int pipa_process_infos_signal(struct pipa_process_infos *infos, int sig)
{
	int rc = infos->held_fd < 0 ? -ESRCH : pipa_task_signal(infos->held_fd, sig);

	pipa_process_infos_hold(infos, 0);
	return rc;
}

int pipa_process_infos_renice(struct pipa_process_infos *infos, int nice)
{
	int rc = infos->held_fd < 0 || pipa_task_ended(infos->held_fd) ?
			 -ESRCH :
			 pipa_task_renice(infos->held, nice);

	pipa_process_infos_hold(infos, 0);
	return rc;
}
