#include "measure/sample/record_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "collect/sample/synth.h"
#include "kernel/machine/root.h"

void pipa_record_header_done(struct pipa_record_header *about)
{
	pipa_arena_done(&about->arena);
}

static const char *copy_string(struct pipa_record_header *a, const char *text)
{
	return pipa_arena_text(&a->arena, text, strlen(text));
}

static void *alloc_zeroed(struct pipa_record_header *a, size_t n, size_t size)
{
	void *p = pipa_arena_take(&a->arena, n * size + 1);

	if (p)
		memset(p, 0, n * size);
	return p;
}

/* ---- the processor --------------------------------------------------------------------------------- */

/* Find the value of a line of cpuinfo, "model name	: Some CPU"; false if there is none. */
static bool cpuinfo_value(const char *text, const char *name, char *ret, size_t size)
{
	size_t len = strlen(name);
	const char *line, *at;

	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, name, len) != 0)
			continue;
		at = line + len + strspn(line + len, " \t");
		if (*at != ':')
			continue;
		at += 1 + strspn(at + 1, " \t");
		snprintf(ret, size, "%.*s", (int)strcspn(at, "\n"), at);
		return true;
	}
	return false;
}

/* Format the CPU id that perf's event tables use. */
static bool cpu_id(struct pipa_root *root, const char *text, char *ret, size_t size)
{
	char a[64], b[64], c[64], d[64];

	if (cpuinfo_value(text, "vendor_id", a, sizeof(a)) &&
	    cpuinfo_value(text, "cpu family", b, sizeof(b)) &&
	    cpuinfo_value(text, "model", c, sizeof(c)) &&
	    cpuinfo_value(text, "stepping", d, sizeof(d))) {
		snprintf(ret, size, "%s,%s,%s,%s", a, b, c, d);
		return true;
	}
	if (cpuinfo_value(text, "mvendorid", a, sizeof(a)) &&
	    cpuinfo_value(text, "marchid", b, sizeof(b)) &&
	    cpuinfo_value(text, "mimpid", c, sizeof(c))) {
		snprintf(ret, size, "%s-%s-%s", a, b, c);
		return true;
	}
	return pipa_root_read(root, PIPA_SYS, ret, size,
			      "devices/system/cpu/cpu0/regs/identification/midr_el1") > 0;
}

static void load_processor(struct pipa_record_header *a, struct pipa_root *root)
{
	static const char *const names[] = { "model name", "Processor", "cpu model", "uarch" };
	char text[8192], value[256]; /* the lines of the first processor suffice */
	ssize_t n;
	size_t i;
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_PROC, 0, "cpuinfo");

	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return;
	text[n] = '\0';
	for (i = 0; i < PIPA_COUNT(names) && !a->about.cpu; i++)
		if (cpuinfo_value(text, names[i], value, sizeof(value)))
			a->about.cpu = copy_string(a, value);
	if (cpu_id(root, text, value, sizeof(value)))
		a->about.cpu_id = copy_string(a, value);
}

/* ---- which CPUs share what ------------------------------------------------------------------------- */

/* Sibling lists of one topology level, and the id of each CPU in it. */
struct level {
	const char *list, *id; /* files below topology/ */
	const char **texts;
	size_t n;
	uint32_t *ids;
};

static void add_once(struct pipa_record_header *a, struct level *level, const char *text)
{
	size_t i;

	for (i = 0; i < level->n; i++)
		if (strcmp(level->texts[i], text) == 0)
			return;
	level->texts[level->n] = copy_string(a, text);
	level->n += level->texts[level->n] != NULL;
}

static int load_level(struct pipa_record_header *a, struct pipa_root *root, size_t cpus,
		      struct level *level)
{
	static const char base[] = "devices/system/cpu/cpu";
	char text[1024];
	size_t cpu;
	int id;

	level->texts = alloc_zeroed(a, cpus, sizeof(*level->texts));
	level->ids = alloc_zeroed(a, cpus, sizeof(*level->ids));
	if (!level->texts || !level->ids)
		return -ENOMEM;
	for (cpu = 0; cpu < cpus; cpu++) {
		if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), "%s%zu/topology/%s", base,
				   cpu, level->list) > 0)
			add_once(a, level, text);
		level->ids[cpu] = UINT32_MAX;
		if (level->id && pipa_root_read_int(root, PIPA_SYS, &id, "%s%zu/topology/%s", base,
						    cpu, level->id) == 0)
			level->ids[cpu] = (uint32_t)id;
	}
	return 0;
}

static size_t cpus_of(struct pipa_root *root, const char *which, int *ret_last)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	char text[4096];

	if (pipa_root_read(root, PIPA_SYS, text, sizeof(text), "devices/system/cpu/%s", which) <
		    0 ||
	    pipa_cpus_parse(text, &cpus, NULL) < 0 || !cpus.n)
		return 0;
	*ret_last = cpus.items[cpus.n - 1];
	return cpus.n;
}

static int load_topology(struct pipa_record_header *a, struct pipa_root *root)
{
	struct level sockets = { .list = "core_siblings_list", .id = "physical_package_id" };
	struct level cores = { .list = "thread_siblings_list", .id = "core_id" };
	struct level dies = { .list = "die_cpus_list", .id = "die_id" };
	int last = -1, unused;
	size_t n;

	a->about.cpus_online = (uint32_t)cpus_of(root, "online", &unused);
	cpus_of(root, "present", &last);
	n = (size_t)last + 1; /* 0 if none is known */
	a->about.cpus_available = (uint32_t)n;
	if (load_level(a, root, n, &sockets) < 0 || load_level(a, root, n, &cores) < 0 ||
	    load_level(a, root, n, &dies) < 0)
		return -ENOMEM;
	a->about.topology = (struct pipa_perf_topology){
		.cores = sockets.texts,
		.n_cores = sockets.n,
		.threads = cores.texts,
		.n_threads = cores.n,
		.dies = dies.texts,
		.n_dies = dies.n,
		.core_ids = cores.ids,
		.socket_ids = sockets.ids,
		.die_ids = dies.ids,
		.n_cpus = n,
	};
	return 0;
}

/* ---- the rest -------------------------------------------------------------------------------------- */

static void load_pmus(struct pipa_record_header *a, struct pipa_root *root,
		      const struct pipa_pmus *pmus)
{
	struct pipa_perf_pmu *list = alloc_zeroed(a, pmus->n, sizeof(*list));
	uint64_t type;
	size_t i;

	for (i = 0; list && i < pmus->n; i++) {
		if (pipa_root_read_u64(root, PIPA_SYS, &type, "bus/event_source/devices/%s/type",
				       pmus->items[i].name) < 0)
			continue;
		list[a->about.n_pmus].type = (uint32_t)type;
		list[a->about.n_pmus++].name = pmus->items[i].name;
	}
	a->about.pmus = list;
}

static void load_memory(struct pipa_record_header *a, struct pipa_root *root)
{
	char text[256];
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_PROC, 0, "meminfo");
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (n <= 0)
		return;
	text[n] = '\0';
	at = strstr(text, "MemTotal:");
	if (at)
		a->about.memory_kb = strtoull(at + 9 + strspn(at + 9, " "), NULL, 10);
}

int pipa_record_header_load(struct pipa_record_header *ret, struct pipa_root *root,
			    const struct pipa_pmus *pmus, clockid_t clock)
{
	struct utsname uts;
	struct timespec resolution;

	uname(&uts);
	ret->about.hostname = copy_string(ret, uts.nodename);
	ret->about.os_release = copy_string(ret, uts.release);
	ret->about.arch = copy_string(ret, uts.machine);
	if (load_topology(ret, root) < 0)
		return -ENOMEM;
	load_processor(ret, root);
	load_memory(ret, root);
	load_pmus(ret, root, pmus);
	ret->about.clock_id = (uint32_t)clock;
	clock_getres(clock, &resolution);
	ret->about.clock_res_ns = (uint64_t)resolution.tv_nsec;
	ret->about.clock_ns = pipa_clock_read(clock);
	ret->about.clock_wall_ns = pipa_clock_wall_ns();
	pipa_synth_kernel_id(root, &ret->kernel_id);
	ret->about.kernel_build_id = &ret->kernel_id;
	return ret->about.hostname && ret->about.os_release && ret->about.arch ? 0 : -ENOMEM;
}
