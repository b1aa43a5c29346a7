#include "cli/html_report_args.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "job/analyze/analyze.h"

bool pipa_cli_is_report_path(const char *text)
{
	const char *dot = strrchr(text, '.');

	return dot && dot > text && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

int pipa_cli_set_report(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_html_report_args *args = field;

	if (text && (!*text || strcmp(text, "-") == 0))
		return pipa_refuse(err, -EINVAL, "--report: invalid file name '%s'", text);
	*args = (struct pipa_html_report_args){ true, text };
	return 0;
}

char *pipa_cli_report_path(const struct pipa_html_report_args *args)
{
	return args->path ? strdup(args->path) : pipa_analyze_free_path();
}
