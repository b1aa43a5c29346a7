/* --report of commands that measure: write the report of `pipa analyze` at the end. */
#ifndef PIPA_CLI_HTML_REPORT_ARGS_H
#define PIPA_CLI_HTML_REPORT_ARGS_H

#include <stdbool.h>

#include "option/opt.h"

struct pipa_error;

struct pipa_html_report_args {
	bool on;
	const char *path; /* NULL: the first free name */
};

/* Is this argument the file of --report, and not the command? It ends in .html or .htm. */
bool pipa_cli_is_report_path(const char *text);
int pipa_cli_set_report(void *field, const char *text, struct pipa_error *err);

/* Return the path of the report. The caller frees it. NULL on allocation failure. */
char *pipa_cli_report_path(const struct pipa_html_report_args *args);

/* Row of the option table; `to` is a struct pipa_html_report_args. */
#define HTML_REPORT_ROW(to)                                                                         \
	{                                                                                           \
		.kind = PIPA_OPT_FIELD, .name = "report", .arg = "FILE.html", .optional = true,     \
		.takes = pipa_cli_is_report_path, AT(to), .set = pipa_cli_set_report,               \
		.help = "also analyze the result, write the report as HTML (default: report.html, " \
			"or report_1.html...)"                                                      \
	}

#endif
