/* Synthesize the kernel's image and modules. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "collect/sample/synth_own.h"
#include "kernel/bpf/bpf_programs.h"
#include "kernel/machine/build_id.h"
#include "kernel/machine/root.h"
#include "perf/encode.h"

enum { KALLSYMS_HEAD = 64 << 10 };

struct module {
	struct pipa_module_line line;
	char *path; /* NULL: path of the file unknown */
};

static void set_build_id(struct pipa_build_id *ret, const uint8_t *notes, size_t len)
{
	int n = pipa_build_id_of_notes(notes, len, ret->bytes);

	ret->len = n > 0 ? (uint8_t)n : 0;
}

void pipa_synth_kernel_id(struct pipa_root *root, struct pipa_build_id *ret)
{
	uint8_t notes[4096];
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_SYS, 0, "kernel/notes");
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	ret->len = 0;
	if (n > 0)
		set_build_id(ret, notes, (size_t)n);
}

static bool find_start(const char *text, uint64_t *ret, const char **ret_name)
{
	static const char *const names[] = { "_text", "_stext" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (pipa_kallsyms_find(text, names[i], ret)) {
			*ret_name = names[i];
			return true;
		}
	return false;
}

/*
 * Find start and end of the kernel's code. The start is among the first symbols; for the end, all
 * of kallsyms would be read (50 ms), while /proc/iomem has its length.
 */
static int find_kernel(struct pipa_synth *s, uint64_t *ret_start, uint64_t *ret_end,
		       const char **ret_name)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(s->o.root, PIPA_PROC, 0, "kallsyms");
	PIPA_AUTO(pipa_buf_done) struct pipa_buf symbols = { 0 };
	uint64_t size = 0;
	bool found;
	int rc = fd < 0 ? fd : pipa_synth_read(fd, &symbols, KALLSYMS_HEAD);

	if (rc < 0)
		return rc;
	found = find_start(pipa_buf_str(&symbols), ret_start, ret_name);
	if (pipa_synth_load(s, "iomem") == 0)
		size = pipa_iomem_code_size(pipa_buf_str(&s->text));
	if (!found || !size) {
		rc = pipa_synth_read(fd, &symbols, SIZE_MAX);
		if (rc < 0)
			return rc;
		found = find_start(pipa_buf_str(&symbols), ret_start, ret_name);
	}
	if (!found)
		return -EACCES;
	if (size)
		*ret_end = *ret_start + size;
	else if (!pipa_kallsyms_find(pipa_buf_str(&symbols), "_etext", ret_end))
		return -EACCES;
	return *ret_end > *ret_start ? 0 : -EACCES;
}

static void put_kernel_map(struct pipa_synth *s, const char *path, uint64_t start, uint64_t len,
			   uint64_t offset, const struct pipa_build_id *build_id)
{
	const struct pipa_rec_map map = {
		.pid = PIPA_KERNEL_PID,
		.tid = 0,
		.start = start,
		.len = len,
		.file_offset = offset,
		.prot = PROT_READ | PROT_EXEC,
		.executable = true,
		.mode = PIPA_MODE_KERNEL,
		.build_id = *build_id,
		.path = path,
	};

	pipa_perf_put_map(&s->out, s->o.attr, &s->id, &map);
}

static int compare_modules(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->line.name, ((const struct module *)b)->line.name);
}

/*
 * Parse a line of modules.dep, "kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz": the file of a
 * loaded module. File names can have a dash where the module has an underscore.
 */
static void note_path(struct module *modules, size_t n, const char *base, const char *line,
		      size_t len)
{
	const char *file = memrchr(line, '/', len), *end;
	struct module key = { 0 }, *module;
	size_t i, name;

	file = file ? file + 1 : line;
	end = memmem(file, (size_t)(line + len - file), ".ko", 3);
	if (!end || (name = (size_t)(end - file)) >= sizeof(key.line.name))
		return;
	for (i = 0; i < name; i++)
		key.line.name[i] = file[i] == '-' ? '_' : file[i];
	module = bsearch(&key, modules, n, sizeof(*modules), compare_modules);
	if (module && !module->path && asprintf(&module->path, "%s/%.*s", base, (int)len, line) < 0)
		module->path = NULL;
}

static void find_module_files(struct module *modules, size_t n)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf deps = { 0 };
	char base[128], path[160];
	struct utsname uts;
	const char *line, *end;

	uname(&uts);
	snprintf(base, sizeof(base), "/lib/modules/%s", uts.release);
	snprintf(path, sizeof(path), "%s/modules.dep", base);
	if (pipa_file_read(path, &deps, NULL) < 0)
		return;
	for (line = pipa_buf_str(&deps); *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		note_path(modules, n, base, line, strcspn(line, ":\n"));
	}
}

static void put_module(struct pipa_synth *s, const struct module *module)
{
	uint8_t notes[256];
	char name[80];
	struct pipa_build_id build_id = { 0 };
	PIPA_AUTO(pipa_fd_close)
	int fd = pipa_root_file(s->o.root, PIPA_SYS, 0, "module/%s/notes/.note.gnu.build-id",
				module->line.name);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	if (n > 0)
		set_build_id(&build_id, notes, (size_t)n);
	snprintf(name, sizeof(name), "[%s]", module->line.name);
	put_kernel_map(s, module->path ? module->path : name, module->line.start, module->line.size,
		       0, &build_id);
}

/* Synthesize the modules; a kernel without modules has no list, which is not a failure. */
static int put_modules(struct pipa_synth *s)
{
	struct {
		struct module *items;
		size_t n, cap;
	} modules = { 0 };
	struct module *module;
	struct pipa_module_line line;
	const char *text;
	size_t i;
	int rc = 0;

	if (pipa_synth_load(s, "modules") < 0)
		return 0;
	text = pipa_buf_str(&s->text);
	while (!rc && pipa_module_line_next(&text, &line)) {
		if (!line.start)
			continue;
		module = PIPA_VEC_ADD(&modules);
		if (module)
			module->line = line;
		else
			rc = -ENOMEM;
	}
	if (modules.n) {
		qsort(modules.items, modules.n, sizeof(*modules.items), compare_modules);
		find_module_files(modules.items, modules.n);
	}
	for (i = 0; i < modules.n; i++) {
		if (!rc)
			put_module(s, &modules.items[i]);
		free(modules.items[i].path);
	}
	free(modules.items);
	return rc;
}

int pipa_synth_kernel(struct pipa_synth *s)
{
	struct pipa_build_id build_id;
	const char *name = "";
	uint64_t start = 0, end = 0;
	char path[64];
	int rc = find_kernel(s, &start, &end, &name);

	if (rc < 0)
		return rc == -ENOMEM ? rc : -EACCES;
	pipa_synth_kernel_id(s->o.root, &build_id);
	snprintf(path, sizeof(path), "[kernel.kallsyms]%s", name);
	put_kernel_map(s, path, start, end - start, start, &build_id);
	rc = put_modules(s);
	return rc ? rc : pipa_synth_flush(s, 1);
}

static int put_program(void *ctx, const struct pipa_bpf_program *program)
{
	struct pipa_synth *s = ctx;
	size_t i;

	for (i = 0; i < program->n; i++) {
		const struct pipa_rec_ksymbol symbol = {
			.start = program->functions[i].start,
			.len = program->functions[i].len,
			.bpf = true,
			.name = program->functions[i].name,
		};

		pipa_perf_put_ksymbol(&s->out, s->o.attr, &s->id, &symbol);
	}
	pipa_perf_put_bpf(&s->out, s->o.attr, &s->id, program->id, program->tag);
	return s->out.status;
}

int pipa_synth_bpf(struct pipa_synth *s)
{
	int rc = pipa_bpf_programs(put_program, s), flushed = pipa_synth_flush(s, 1);

	return flushed ? flushed : rc;
}
