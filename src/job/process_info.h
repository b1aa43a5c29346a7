/*
 * Facts of processes that statistics lack: parent, nice value, command line, user name; and signals and
 * nice values sent to them. Read on demand, at most once per interval, and dropped if not used during an
 * interval, so that a table of a screen reads only its visible rows.
 */
#ifndef PIPA_JOB_PROCESS_INFO_H
#define PIPA_JOB_PROCESS_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pipa_host;
struct pipa_process_infos;

struct pipa_process_info {
	pid_t ppid; /* 0: none, or unknown */
	int nice;
	double cpu_seconds; /* user and system time since its start */
	bool is_known;	    /* of the fields above */
	const char *
		command; /* arguments separated by spaces, any bytes; NULL: not requested, or none */
};

enum pipa_process_want {
	PIPA_PROCESS_PARENT,  /* may be a few intervals old */
	PIPA_PROCESS_NICE,    /* and the CPU time: of this interval */
	PIPA_PROCESS_COMMAND, /* with the command line */
};

/* NULL on allocation failure. The host is borrowed. */
struct pipa_process_infos *pipa_process_infos_new(const struct pipa_host *host);
void pipa_process_infos_free(struct pipa_process_infos *infos);

/* Begin an interval. */
void pipa_process_infos_tick(struct pipa_process_infos *infos);

/* Return the facts of a process, valid until the next call; unknown if it has ended or on allocation failure. */
struct pipa_process_info pipa_process_infos_find(struct pipa_process_infos *infos, pid_t pid,
						 enum pipa_process_want want);

/* Return the name of a user from /etc/passwd, NULL if it has none. */
const char *pipa_process_infos_user(const struct pipa_process_infos *infos, uint32_t uid);

/*
 * Select the process that a signal or nice value is for. It stays the same one if its PID is reused while
 * the user decides. -ESRCH if it has ended, also if its PID was reused since its facts were returned. 0 or a negative errno; releases the one before. 0 as PID selects none.
 */
int pipa_process_infos_hold(struct pipa_process_infos *infos, pid_t pid);

/* Signal or renice the held process, and release it. 0 or a negative errno; -ESRCH if it has ended. */
int pipa_process_infos_signal(struct pipa_process_infos *infos, int sig);
int pipa_process_infos_renice(struct pipa_process_infos *infos, int nice);

#endif
