#include "collect/count/permission.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/machine/root.h"

enum {
	USER_SPACE =
		2, /* highest kernel.perf_event_paranoid that permits counting own processes in user space */
	WHOLE_CPUS = 0,
	UNKNOWN = 100,
};

/* Return the owner of /proc/TID, which is root if the process may not be traced; -1 if unknown. */
static long owner_of(struct pipa_root *root, pid_t tid)
{
	struct stat st;
	char name[32];
	int proc = pipa_root_dir(root, PIPA_PROC);

	snprintf(name, sizeof(name), "%d", (int)tid);
	return proc >= 0 && fstatat(proc, name, &st, 0) == 0 ? (long)st.st_uid : -1;
}

static int hint_thread(struct pipa_root *root, pid_t tid, struct pipa_error *err)
{
	long owner = owner_of(root, tid);

	if (owner >= 0 && owner != (long)geteuid())
		return pipa_hint(err,
				 "the process belongs to another user (uid %ld) or is privileged: "
				 "CAP_PERFMON or CAP_SYS_PTRACE is required",
				 owner);
	return pipa_hint(
		err,
		"the process may not be traced, see ptrace(2): CAP_PERFMON or CAP_SYS_PTRACE is "
		"required");
}

int pipa_permission_hint(struct pipa_root *root, pid_t tid, struct pipa_error *err)
{
	int level = UNKNOWN;

	if (pipa_root_read_int(root, PIPA_PROC, &level, "sys/kernel/perf_event_paranoid") < 0)
		return pipa_hint(err, "see pipa doctor");
	if (tid > 0 && level <= USER_SPACE)
		return hint_thread(root, tid, err);
	if (level > (tid > 0 ? USER_SPACE : WHOLE_CPUS))
		return pipa_hint(
			err,
			"CAP_PERFMON or kernel.perf_event_paranoid=%d (now %d) is required; see "
			"pipa doctor",
			tid > 0 ? USER_SPACE : WHOLE_CPUS, level);
	return pipa_hint(
		err,
		"kernel.perf_event_paranoid (%d) permits it; a seccomp filter (containers) or a "
		"security module does not",
		level);
}
