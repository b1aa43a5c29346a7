/* Write the files of a collection around its phases. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/outfile.h"
#include "base/file/tmp.h"
#include "job/collect/collect_own.h"
#include "store/collection.h"

#define WORK "collecting-"

enum { RESERVE_BYTES = 16 << 10 };

/* Remove the files of a killed collection, which no longer holds the lock. */
static void remove_leftovers(const char *run_dir)
{
	DIR *dir = opendir(run_dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, WORK, strlen(WORK)) == 0)
			pipa_tmp_remove_dir(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
}

/*
 * Reserve disk space with an unnamed temporary file of the size written at the end: it is freed
 * then, if the disk is full.
 */
static int reserve_space(struct pipa_collect_job *c)
{
	PIPA_AUTO(free) char *path = pipa_collect_path(c->work, "room");
	int rc;

	if (!path)
		return pipa_fail(c->err, -ENOMEM, "collect");
	c->reserve_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (c->reserve_fd < 0)
		return pipa_fail(c->err, -errno, "open %s", path);
	unlink(path);
	rc = -posix_fallocate(c->reserve_fd, 0, RESERVE_BYTES);
	return rc < 0 ? pipa_fail(c->err, rc, "write %s", path) : 0;
}

int pipa_collect_make_work(struct pipa_collect_job *c)
{
	PIPA_AUTO(free) char *log = NULL;
	int rc = pipa_collect_make_dir(c->o->data_dir, c->err);

	if (rc < 0)
		return rc;
	remove_leftovers(c->o->run_dir);
	c->work = pipa_collect_path(c->o->run_dir, WORK "XXXXXX");
	if (!c->work || !mkdtemp(c->work)) {
		rc = c->work ? -errno : -ENOMEM;
		free(c->work);
		c->work = NULL;
		return pipa_fail(c->err, rc, "create a directory in %s", c->o->run_dir);
	}
	c->session = pipa_collect_path(c->work, PIPA_SESSION_DIR);
	rc = c->session ? pipa_collect_make_dir(c->session, c->err) :
			  pipa_fail(c->err, -ENOMEM, "collect");
	if (!rc)
		log = pipa_collect_path(c->session, "pipa-tree.log");
	if (!rc && log)
		rc = pipa_outfile_open(log, PIPA_OUTFILE_STREAM, &c->log, c->err);
	return rc ? rc : reserve_space(c);
}

void pipa_collect_release_reserve(struct pipa_collect_job *c)
{
	pipa_fd_close(c->reserve_fd);
	c->reserve_fd = -1;
}

void pipa_collect_remove_work(struct pipa_collect_job *c)
{
	pipa_collect_release_reserve(c);
	pipa_outfile_free(c->log);
	if (c->work)
		pipa_tmp_remove_dir(AT_FDCWD, c->work);
	free(c->work);
	free(c->session);
}
