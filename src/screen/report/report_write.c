#include "screen/report/report_write.h"

#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "screen/report/report_view.h"
#include "store/output_check.h"

static bool is_csv(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && strcmp(path + len - 4, ".csv") == 0;
}

static int put(const char *path, const struct pipa_buf *text, struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	int rc = pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, &out, err);

	if (!rc)
		rc = pipa_outfile_put(out, text->data, text->len, err);
	return rc ? rc : pipa_outfile_commit(out, err);
}

void pipa_report_write_file(struct pipa_report_view *view, bool over)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	struct pipa_error err = { 0 };

	if (PIPA_OUTPUT_CHECK(view->path, -1, &err, view->name) < 0) {
		pipa_report_view_message(view, "%s", err.what);
		return;
	}
	if (!over && access(view->path, F_OK) == 0) {
		view->prompt = PIPA_PROMPT_OVERWRITE;
		return;
	}
	pipa_report_view_export(view, is_csv(view->path), &text);
	if (text.status < 0)
		pipa_report_view_message(view, "out of memory: nothing was written");
	else if (put(view->path, &text, &err) < 0)
		pipa_report_view_message(view, "%s", err.what);
	else
		pipa_report_view_message(view, "written to %s", view->path);
}
