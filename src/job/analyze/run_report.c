#include "job/analyze/run_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/tmp.h"
#include "job/analyze/analyze.h"
#include "job/run/run.h"

/* Append the command as it was given. */
static void put_command(const struct pipa_run_options *o, struct pipa_buf *title)
{
	char **word;

	if (o->n_commands)
		pipa_buf_puts(title, o->commands[0]);
	for (word = o->command; word && *word; word++)
		pipa_buf_printf(title, "%s%s", title->len ? " " : "", *word);
}

/* Analyze the files in `dir`; `source` names them in the report, NULL: their path. */
static int write_report(const struct pipa_run_options *o, const char *dir, const char *source,
			const char *path, struct pipa_error *err)
{
	PIPA_AUTO(free) const char **paths = calloc(o->n_from_more + 2, sizeof(*paths));
	struct pipa_analyze_options analyze = {
		.title = source, .analysis.source = source, .version = o->version, .output = path
	};
	size_t i, n = 0;

	if (!paths)
		return pipa_fail(err, -ENOMEM, "write %s", path);
	if (o->from_stat || o->from_sar) {
		if (o->from_stat)
			paths[n++] = o->from_stat;
		if (o->from_sar)
			paths[n++] = o->from_sar;
	} else {
		paths[n++] = dir;
		for (i = 0; i < o->n_from_more; i++)
			paths[n++] = o->from_more[i];
	}
	analyze.analysis.paths = paths;
	analyze.analysis.n_paths = n;
	analyze.analysis.metrics = o;
	analyze.analysis.load.symbols.lines = PIPA_LINES_STACKS;
	return pipa_analyze_run(&analyze, err);
}

int pipa_run_report(const struct pipa_host *host, const struct pipa_run_options *o,
		    const char *path, struct pipa_run_outcome *ret, struct pipa_error *err)
{
	struct pipa_run_options own = *o;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf title = { 0 };
	PIPA_AUTO(free) char *made = NULL;
	const char *dir = o->from ? o->from : o->keep;
	int rc;

	if (!o->from)
		put_command(o, &title);
	if (title.status)
		return pipa_fail(err, title.status, "run");
	if (!dir) {
		made = pipa_tmp_make_dir();
		if (!made) {
			pipa_fail(err, -errno, "create a directory in %s", pipa_tmp_dir());
			return pipa_hint(err, "--keep DIR chooses another directory");
		}
		own.keep = dir = made;
	}
	rc = pipa_run_run(host, &own, ret, err);
	if (!rc && !ret->interrupted)
		rc = write_report(&own, dir, o->from ? NULL : pipa_buf_str(&title), path, err);
	if (made)
		pipa_tmp_remove_dir(AT_FDCWD, made);
	return rc;
}
