#include "screen/monitor/preferences.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "base/str.h"
#include "screen/monitor/monitor_view.h"

static const char *const sorts[] = { [PIPA_PROCESS_SORT_CPU] = "cpu",
				     [PIPA_PROCESS_SORT_MEMORY] = "memory",
				     [PIPA_PROCESS_SORT_IO] = "io",
				     [PIPA_PROCESS_SORT_TIME] = "time",
				     [PIPA_PROCESS_SORT_PID] = "pid" };

static void set_preference(struct pipa_monitor_view *view, const char *name, const char *value)
{
	struct pipa_process_list *list = &view->processes;
	const struct {
		const char *name;
		bool *value;
	} flags[] = {
		{ "reverse", &list->reverse },	  { "tree", &list->tree },
		{ "args", &list->full },	  { "threads", &list->threads },
		{ "one-cpu-bar", &view->folded }, { "no-kernel-threads", &list->no_kernel },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(flags); i++)
		if (strcmp(name, flags[i].name) == 0)
			*flags[i].value = strcmp(value, "yes") == 0;
	for (i = 0; strcmp(name, "sort") == 0 && i < PIPA_COUNT(sorts); i++)
		if (strcmp(value, sorts[i]) == 0)
			list->sort = (enum pipa_process_sort)i;
}

void pipa_preferences_parse(struct pipa_monitor_view *view, const char *text)
{
	char name[32], value[32];

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (sscanf(text, "%31[a-z-] %31[a-z]", name, value) == 2)
			set_preference(view, name, value);
}

void pipa_preferences_write(const struct pipa_monitor_view *view, struct pipa_buf *out)
{
	const struct pipa_process_list *list = &view->processes;

	pipa_buf_printf(out,
			"sort %s\nreverse %s\ntree %s\nargs %s\nthreads %s\none-cpu-bar %s\n"
			"no-kernel-threads %s\n",
			sorts[list->sort], list->reverse ? "yes" : "no", list->tree ? "yes" : "no",
			list->full ? "yes" : "no", list->threads ? "yes" : "no",
			view->folded ? "yes" : "no", list->no_kernel ? "yes" : "no");
}

/* Find the user's file; with `make`, create its directories. False if there is no place for it. */
static bool find_path(char path[static PATH_MAX], bool make)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = xdg && xdg[0] == '/'   ? snprintf(path, PATH_MAX, "%s", xdg) :
		home && home[0] == '/' ? snprintf(path, PATH_MAX, "%s/.config", home) :
					 -1;

	if (n <= 0 || n + (int)sizeof("/pipa/monitor") > PATH_MAX)
		return false;
	if (make)
		mkdir(path, 0700);
	memcpy(path + n, "/pipa", sizeof("/pipa"));
	if (make)
		mkdir(path, 0700);
	memcpy(path + n, "/pipa/monitor", sizeof("/pipa/monitor"));
	return true;
}

void pipa_preferences_load(struct pipa_monitor_view *view)
{
	char path[PATH_MAX], text[4096];

	if (find_path(path, false) && pipa_file_read_into(path, text, sizeof(text)) >= 0)
		pipa_preferences_parse(view, text);
}

void pipa_preferences_save(const struct pipa_monitor_view *view)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf now = { 0 }, plain = { 0 };
	const struct pipa_monitor_view untouched = { 0 };
	char path[PATH_MAX], text[4096];

	pipa_preferences_write(view, &now);
	pipa_preferences_write(&untouched, &plain);
	if (now.status || plain.status || !find_path(path, false))
		return;
	if (pipa_file_read_into(path, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "%s",
			 pipa_buf_str(&plain)); /* the defaults need no file */
	if (strcmp(text, pipa_buf_str(&now)) != 0 && find_path(path, true))
		pipa_outfile_write(path, -1, now.data, now.len, NULL);
}
