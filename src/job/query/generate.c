#include "job/query/generate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "export/text/template.h"
#include "export/view/web.h"
#include "job/query/generate_settings.h"

enum { TEMPLATE_BYTES = 1 << 20, VALUES = 16 };

enum template { COLLECT, PARSE, RUN, CONFIG, UPLOAD, TEMPLATE_NR };

static const struct {
	const char *name;
	const struct pipa_web_text *text;
	enum pipa_template_language language;
} templates[TEMPLATE_NR] = {
	[COLLECT] = { "pipa-collect.sh", &pipa_template_collect, PIPA_TEMPLATE_SHELL },
	[PARSE] = { "pipa-parse.sh", &pipa_template_parse, PIPA_TEMPLATE_SHELL },
	[RUN] = { "pipa-run.sh", &pipa_template_run, PIPA_TEMPLATE_SHELL },
	[CONFIG] = { "config-pipa-shu.yaml", &pipa_template_config, PIPA_TEMPLATE_YAML },
	[UPLOAD] = { "config-upload.yaml", &pipa_template_upload, PIPA_TEMPLATE_YAML },
};

struct generation {
	struct pipa_generate_options o; /* the menu changes action and configuration */
	struct pipa_generate_settings settings;
	struct pipa_buf texts[TEMPLATE_NR]; /* expanded; empty: not to be written */
	struct pipa_error *err;
};

/* ---- expansion -------------------------------------------------------------------------------------- */

/* Return an absolute path, so that a script finds the data wherever it is started from. */
static char *absolute_path(const char *path)
{
	PIPA_AUTO(free) char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
	char *full = NULL;
	size_t len;

	while (here && path[0] == '.' && (path[1] == '/' || !path[1])) {
		path += path[1] ? 2 : 1;
		path += strspn(path, "/");
	}
	if (path[0] == '/')
		full = strdup(path);
	else if (!here || asprintf(&full, "%s%s%s", here, path[0] ? "/" : "", path) < 0)
		full = NULL;
	for (len = full ? strlen(full) : 0; len > 1 && full[len - 1] == '/';)
		full[--len] = '\0';
	return full;
}

/* Read the template of the user, if the directory has one; else the built-in one is used. */
static int read_template(const struct generation *g, enum template which, struct pipa_buf *text,
			 struct pipa_template *ret)
{
	PIPA_AUTO(free) char *path = NULL;
	int rc;

	*ret = (struct pipa_template){ .name = templates[which].name,
				       .language = templates[which].language,
				       .text = templates[which].text->bytes,
				       .len = templates[which].text->len };
	if (!g->o.template_dir)
		return 0;
	if (asprintf(&path, "%s/%s", g->o.template_dir, templates[which].name) < 0)
		return pipa_fail(g->err, -ENOMEM, "read %s", templates[which].name);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	text->max = TEMPLATE_BYTES;
	rc = pipa_file_read(path, text, g->err);
	if (rc == -EFBIG)
		return pipa_refuse(g->err, rc, "cannot read %s: it is too large for a template",
				   path);
	ret->text = pipa_buf_str(text);
	ret->len = text->len;
	return rc;
}

static int expand(struct generation *g, enum template which, const char *workspace,
		  const char *config)
{
	const struct pipa_generate_settings *s = &g->settings;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_template in;
	char numbers[4][24];
	const struct pipa_template_value values[] = {
		{ .name = "workspace", .text = workspace },
		{ .name = "freq_record", .text = numbers[0] },
		{ .name = "events_record", .text = s->events_record },
		{ .name = "count_delta_stat", .text = numbers[1] },
		{ .name = "events_stat",
		  .items = s->events_stat.items,
		  .n_items = s->events_stat.n },
		{ .name = "annotete", .text = s->annotate ? "true" : "" },
		{ .name = "run_by_perf", .text = s->run ? "true" : "" },
		{ .name = "duration_record", .text = numbers[2] },
		{ .name = "duration_stat", .text = numbers[3] },
		{ .name = "use_taskset", .text = s->use_taskset ? "true" : "" },
		{ .name = "core_range", .text = s->core_range },
		{ .name = "command", .text = s->command },
		{ .name = "export_config", .text = s->export_config ? "true" : "" },
		{ .name = "until_stopped",
		  .text = s->duration_record < 0 || s->duration_stat < 0 ? "true" : "" },
		{ .name = "config", .text = config },
		{ .name = "version", .text = g->o.version },
	};
	int rc = read_template(g, which, &text, &in);

	if (rc < 0)
		return rc;
	snprintf(numbers[0], sizeof(numbers[0]), "%llu", (unsigned long long)s->freq_record);
	snprintf(numbers[1], sizeof(numbers[1]), "%llu", (unsigned long long)s->count_delta_stat);
	snprintf(numbers[2], sizeof(numbers[2]), "%lld", (long long)s->duration_record);
	snprintf(numbers[3], sizeof(numbers[3]), "%lld", (long long)s->duration_stat);
	return pipa_template_expand(&in, values, PIPA_COUNT(values), &g->texts[which], g->err);
}

/* Expand the scripts, which contain the expanded configuration without its last newline. */
static int expand_scripts(struct generation *g)
{
	PIPA_AUTO(free) char *workspace = absolute_path(g->settings.workspace);
	PIPA_AUTO(free) char *config = NULL;
	size_t len;
	int rc = workspace ? expand(g, CONFIG, workspace, "") : -ENOMEM;

	if (rc < 0)
		return rc == -ENOMEM ? pipa_fail(g->err, rc, "generate scripts") : rc;
	config = pipa_buf_take(&g->texts[CONFIG]);
	for (len = config ? strlen(config) : 0; len && config[len - 1] == '\n';)
		config[--len] = '\0';
	if (!config)
		return pipa_fail(g->err, -ENOMEM, "generate scripts");
	if (g->settings.run)
		return expand(g, RUN, workspace, config);
	rc = expand(g, COLLECT, workspace, config);
	return rc ? rc : expand(g, PARSE, workspace, config);
}

/* Refuse a template directory without any template, for example a wrong path. */
static int check_template_dir(const struct generation *g)
{
	enum template i;

	for (i = 0; i < TEMPLATE_NR; i++) {
		PIPA_AUTO(free) char *path = NULL;

		if (asprintf(&path, "%s/%s", g->o.template_dir, templates[i].name) < 0)
			path = NULL;
		if (path && access(path, F_OK) == 0)
			return 0;
	}
	pipa_refuse(g->err, -ENOENT, "%s: no template found in this directory", g->o.template_dir);
	return pipa_hint(g->err, "write them with: pipa generate templates");
}

/* ---- files ------------------------------------------------------------------------------------------ */

static int make_directory(const char *path, struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(path);
	char *slash = copy;

	if (!copy)
		return pipa_fail(err, -ENOMEM, "make %s", path);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return pipa_fail(err, -errno, "make directory %s", copy);
		*slash = '/';
	}
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return pipa_fail(err, -errno, "make directory %s", path);
	return 0;
}

/* Rename an existing file to the first of PATH.1, PATH.2, ... that does not exist. */
static int keep_old(const char *path, struct pipa_error *err)
{
	unsigned int n;

	for (n = 1; n < UINT_MAX; n++) {
		PIPA_AUTO(free) char *other = NULL;
		struct stat st;

		if (asprintf(&other, "%s.%u", path, n) < 0) {
			other = NULL;
			return pipa_fail(err, -ENOMEM, "rename %s", path);
		}
		if (lstat(other, &st) == 0)
			continue;
		if (renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_NOREPLACE) == 0)
			return 0;
		if (errno == EEXIST)
			continue;
		if (errno == EINVAL && rename(path, other) == 0) /* the file system has no flag */
			return 0;
		return pipa_fail(err, -errno, "rename %s", path);
	}
	return -EEXIST;
}

static int write_file(const char *dir, const char *name, const char *text, size_t len,
		      bool executable, struct pipa_buf *written, struct pipa_error *err)
{
	PIPA_AUTO(free) char *path = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf old = { .max = TEMPLATE_BYTES };
	size_t dir_len = strlen(dir);
	struct stat st;
	int rc = 0;

	while (dir_len && dir[dir_len - 1] == '/')
		dir_len--;
	if (asprintf(&path, "%.*s/%s", (int)dir_len, dir, name) < 0) {
		path = NULL;
		return pipa_fail(err, -ENOMEM, "write %s", name);
	}
	if (lstat(path, &st) == 0) {
		bool same = S_ISREG(st.st_mode) && pipa_file_read(path, &old, NULL) == 0 &&
			    old.len == len && (!len || memcmp(old.data, text, len) == 0);

		if (!same)
			rc = keep_old(path, err);
	}
	if (!rc)
		rc = pipa_outfile_write(path, -1, text, len, err);
	if (!rc && executable && chmod(path, 0755) < 0)
		rc = pipa_fail(err, -errno, "make %s executable", path);
	if (!rc)
		pipa_buf_printf(written, "%s\n", path);
	return rc;
}

static int write_files(const struct generation *g, const char *dir, struct pipa_buf *written)
{
	enum template i;
	int rc = make_directory(dir, g->err);

	for (i = 0; !rc && i < TEMPLATE_NR; i++)
		if (g->texts[i].len)
			rc = write_file(dir, templates[i].name, g->texts[i].data, g->texts[i].len,
					templates[i].language == PIPA_TEMPLATE_SHELL, written,
					g->err);
	return rc;
}

/* Write the templates unchanged, for use with --template. */
static int write_templates(const struct generation *g, struct pipa_buf *written)
{
	const char *dir = g->o.output_dir ? g->o.output_dir : "./templates";
	enum template i;
	int rc = make_directory(dir, g->err);

	for (i = 0; !rc && i < TEMPLATE_NR; i++)
		rc = write_file(dir, templates[i].name, templates[i].text->bytes,
				templates[i].text->len, false, written, g->err);
	return rc;
}

static int generate(struct generation *g, struct pipa_buf *written)
{
	struct pipa_generate_options *o = &g->o;
	struct pipa_generate_settings *s = &g->settings;
	const char *dir;
	int rc = pipa_generate_settings_init(s, o, g->err);

	if (!rc && o->template_dir)
		rc = check_template_dir(g);
	if (!rc && o->ask && !o->config && o->action == PIPA_GENERATE_SCRIPTS)
		rc = pipa_generate_settings_ask(s, o, g->err);
	if (!rc && o->config)
		rc = pipa_generate_settings_load(s, o, g->err);
	if (!rc && o->action == PIPA_GENERATE_SCRIPTS)
		rc = expand_scripts(g);
	else if (!rc)
		rc = expand(g, o->action == PIPA_GENERATE_CONFIG ? CONFIG : UPLOAD, s->workspace,
			    "");
	if (rc)
		return rc;
	dir = o->action == PIPA_GENERATE_SCRIPTS ? s->workspace : ".";
	return write_files(g, o->output_dir ? o->output_dir : dir, written);
}

int pipa_generate_run(const struct pipa_generate_options *options, struct pipa_buf *written,
		      struct pipa_error *err)
{
	struct generation g = { .o = *options, .err = err };
	size_t i;
	int rc = options->action == PIPA_GENERATE_TEMPLATES ? write_templates(&g, written) :
							      generate(&g, written);

	for (i = 0; i < TEMPLATE_NR; i++)
		pipa_buf_done(&g.texts[i]);
	pipa_generate_settings_done(&g.settings);
	return rc;
}
