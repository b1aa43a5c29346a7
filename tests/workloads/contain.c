/*
 * contain KIND FROM ROOT COMMAND [ARGS]: the command in mount and PID namespaces of its own, with ROOT as its
 * root directory, which is (KIND)
 *	bind	the directory FROM
 *	tmpfs	a file system in memory with a copy of FROM
 *	overlay	an overlay of FROM, its upper directory beside ROOT
 * The old root is unmounted. Ends with the command's status, 77 when a file system cannot be mounted.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "work.h"

static int wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		work_fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int copy(const char *from, const char *to)
{
	char all[4096];
	pid_t pid;

	snprintf(all, sizeof(all), "%s/.", from);
	pid = fork();
	if (pid == 0) {
		execlp("cp", "cp", "-a", all, to, NULL);
		_exit(127);
	}
	return wait_for(pid);
}

static void mount_root(const char *kind, const char *from, const char *root)
{
	char upper[4096], work[4096], options[3 * 4096];
	int rc = -1;

	if (strcmp(kind, "bind") == 0) {
		rc = mount(from, root, NULL, MS_BIND | MS_REC, NULL);
	} else if (strcmp(kind, "tmpfs") == 0) {
		rc = mount("none", root, "tmpfs", 0, NULL);
		if (rc == 0 && copy(from, root) != 0)
			work_fail(root);
	} else if (strcmp(kind, "overlay") == 0) {
		snprintf(upper, sizeof(upper), "%s.upper", root);
		snprintf(work, sizeof(work), "%s.work", root);
		mkdir(upper, 0755);
		mkdir(work, 0755);
		snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", from,
			 upper, work);
		rc = mount("overlay", root, "overlay", 0, options);
	}
	if (rc < 0) {
		perror(kind);
		exit(77);
	}
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc < 5)
		return 2;
	if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0) {
		perror("unshare");
		return 77;
	}
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		work_fail("/");
	pid = fork();
	if (pid > 0)
		return wait_for(pid);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mount_root(argv[1], argv[2], argv[3]);
	if (chdir(argv[3]) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		work_fail("pivot_root");
	execv(argv[4], argv + 4);
	work_fail(argv[4]);
}
