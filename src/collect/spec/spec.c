#include "collect/spec/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "collect/spec/spec_own.h"

enum { LARGEST_FILE = 16 << 20 };

/* ---- ways to read --------------------------------------------------------------------------------------- */

void pipa_spec_text(struct spec *spec, struct pipa_fact *in, const char *key, const char *text)
{
	pipa_facts_text(spec->facts, in, key, text && text[0] ? text : "N/A");
}

void pipa_spec_status(struct spec *spec, struct pipa_fact *section, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pipa_facts_text(spec->facts, section, "status", text);
}

int pipa_spec_read(struct spec *spec, enum pipa_tree tree, const char *path, struct pipa_buf *ret)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(spec->root, tree, 0, "%s", path);
	int rc;

	if (fd < 0)
		return fd;
	if (!ret->max)
		ret->max = LARGEST_FILE;
	rc = pipa_file_read_fd(fd, ret);
	if (rc == -ENOMEM)
		spec->facts->status = -ENOMEM;
	return rc;
}

char *pipa_spec_narrow(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		bool blank = *from == ' ' || *from == '\t' || *from == '\n';

		if (!blank)
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
		from++;
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	return text;
}

const char *pipa_spec_line(struct spec *spec, enum pipa_tree tree, char *ret, size_t size,
			   const char *fmt, ...)
{
	char path[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(path) || pipa_root_read(spec->root, tree, ret, size, "%s", path) < 0)
		ret[0] = '\0';
	return pipa_spec_narrow(ret);
}

char *pipa_spec_next_line(char **text)
{
	char *line;

	if (!*text || !**text)
		return NULL;
	line = strsep(text, "\n");
	return line;
}

/* ---- directories ------------------------------------------------------------------------------------------------ */

void pipa_spec_names_done(struct spec_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void pipa_spec_list(struct spec *spec, enum pipa_tree tree, const char *path, const char *prefix,
		    struct spec_names *ret)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(spec->root, tree, "%s", path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char **name;

		if (entry->d_name[0] == '.' || !pipa_str_starts(entry->d_name, prefix))
			continue;
		name = PIPA_VEC_ADD(ret);
		if (name)
			*name = strdup(entry->d_name);
		if (!name || !*name) {
			ret->n -= name != NULL;
			spec->facts->status = -ENOMEM;
			return;
		}
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
}

/* ---- the small sections ---------------------------------------------------------------------------------------- */

/* Unquote a value as a shell does: remove quotes, and backslashes within double quotes. */
static void unquote(char *text)
{
	char quote = text[0] == '"' || text[0] == '\'' ? text[0] : '\0', *from = text, *to = text;

	if (quote)
		from++;
	for (; *from && *from != quote; from++) {
		if (*from == '\\' && quote != '\'' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

static void os_info(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 1 << 20 };
	char *text, *line;
	int rc = pipa_spec_read(spec, PIPA_ETC, "os-release", &buf);

	if (rc < 0)
		rc = pipa_spec_read(spec, PIPA_USR, "lib/os-release", &buf);
	if (rc < 0) {
		pipa_spec_status(spec, section, "/etc/os-release: %s", strerror(-rc));
		return;
	}
	text = buf.data;
	while ((line = pipa_spec_next_line(&text))) {
		char *value = strchr(line, '=');

		if (line[0] == '#' || !value || value == line)
			continue;
		*value++ = '\0';
		unquote(value);
		pipa_facts_text(spec->facts, section, line, value);
	}
}

static void kernel_version(struct spec *spec, struct pipa_fact *section)
{
	char text[256];

	pipa_spec_text(spec, section, "version",
		       pipa_spec_line(spec, PIPA_PROC, text, sizeof(text), "sys/kernel/osrelease"));
}

static void memory_info(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { .max = 1 << 20 };
	int rc = pipa_spec_read(spec, PIPA_PROC, "meminfo", &buf);
	char *text = buf.data, *line;

	if (rc < 0) {
		pipa_spec_status(spec, section, "/proc/meminfo: %s", strerror(-rc));
		return;
	}
	while ((line = pipa_spec_next_line(&text))) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = '\0';
		pipa_facts_text(spec->facts, section, line, pipa_spec_narrow(value));
	}
}

static void kernel_parameters(struct spec *spec, struct pipa_fact *section)
{
	static const char *const names[] = {
		"vm.swappiness",
		"kernel.pid_max",
		"net.core.somaxconn",
		"vm.dirty_ratio",
		"vm.dirty_background_ratio",
		"vm.dirty_bytes",
		"vm.dirty_background_bytes",
		"vm.overcommit_memory",
		"fs.file-max",
	};
	char path[64], text[256], *p;
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++) {
		snprintf(path, sizeof(path), "sys/%s", names[i]);
		for (p = path; (p = strchr(p, '.'));)
			*p = '/';
		pipa_spec_text(spec, section, names[i],
			       pipa_spec_line(spec, PIPA_PROC, text, sizeof(text), "%s", path));
	}
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*fill)(struct spec *spec, struct pipa_fact *section);
} sections[] = {
	{ "os_info", os_info },
	{ "kernel_version", kernel_version },
	{ "cpu_info", pipa_spec_cpu },
	{ "numa_info", pipa_spec_numa },
	{ "cpu_governor", pipa_spec_governor },
	{ "memory_info", memory_info },
	{ "disk_info", pipa_spec_disks },
	{ "io_scheduler", pipa_spec_schedulers },
	{ "net_info", pipa_spec_net },
	{ "kernel_parameters", kernel_parameters },
	{ "interrupt_info", pipa_spec_interrupts },
	{ "ulimit_info", pipa_spec_ulimits },
	{ "module_info", pipa_spec_modules },
	{ "pci_info", pipa_spec_pci },
	{ "bios_hardware_info", pipa_spec_firmware },
};

int pipa_spec_collect(struct pipa_root *root, const struct pipa_spec_host *host,
		      struct pipa_facts *ret, struct pipa_error *err)
{
	struct spec spec = { root, host, ret };
	size_t i;

	for (i = 0; i < PIPA_COUNT(sections); i++)
		sections[i].fill(&spec, pipa_facts_map(ret, NULL, sections[i].name));
	return ret->status ? pipa_fail(err, ret->status, "describe the machine") : 0;
}
