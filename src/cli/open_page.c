#include "cli/open_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/tmp.h"
#include "cli/cmd.h"
#include "kernel/process/browser.h"

int pipa_cli_page_file(const char *suffix, const char **output, char **ret_page,
		       struct pipa_error *err)
{
	char *path = NULL;
	int fd, code;

	if (*output)
		return 0;
	if (asprintf(&path, "%s/pipa-XXXXXX%s", pipa_tmp_dir(), suffix) < 0)
		return pipa_fail(err, -ENOMEM, "create a temporary file");
	fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
	if (fd < 0) {
		code = -errno;
		free(path);
		return pipa_fail(err, code, "create a file in '%s'", pipa_tmp_dir());
	}
	close(fd);
	*output = *ret_page = path;
	return 0;
}

void pipa_cli_open_page(const struct pipa_cmd *cmd, int rc, const char *path, const char *page)
{
	struct pipa_error err = { 0 };
	PIPA_AUTO(free) char *text = NULL;
	int opened;

	if (rc < 0) {
		if (page)
			unlink(page);
		return;
	}
	opened = pipa_browser_open(path, &pipa_cli_signals, &err);
	if (opened < 0)
		rc = asprintf(&text, "%s; the page is '%s'",
			      err.code ? err.what : "no browser found", path);
	else
		rc = asprintf(&text, "opened '%s'", path);
	if (rc >= 0)
		pipa_cli_note(cmd->name, text);
}
