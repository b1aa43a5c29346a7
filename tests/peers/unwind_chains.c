/*
 * unwind_chains PERF.DATA < SCRIPT: our chains of a `perf record --call-graph dwarf` recording
 * beside perf's own, which are in SCRIPT as `perf script --no-inline --ns -F tid,time,ip` prints
 * them.
 *
 * Of samples in user code only. Prints how many are equal and how the others differ, and with -v
 * the first few of each kind and of each reason to end early. Objects are those of this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "elf/elf.h"
#include "ingest/spaces.h"
#include "perf/file_read.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

enum { MOST = 1024, SHOWN = 3 };

enum kind { SAME, LONGER, SHORTER, OTHER, KINDS };

static const char *const kinds[KINDS] = { "same", "ours longer", "ours shorter", "other" };

struct object {
	char *path;
	struct pipa_elf elf;
	struct pipa_unwind_table *table; /* NULL: not to be read */
};

struct chains {
	struct pipa_record_sink sink;
	struct pipa_spaces *spaces;
	struct pipa_unwinder *unwinder;
	const struct pipa_unwind_arch *arch;
	const struct pipa_space *space; /* of the current sample */
	struct {
		struct object *items;
		size_t n, cap;
	} objects;
	bool verbose;
	char *line; /* of the script, not used yet */
	size_t line_cap;
	size_t counts[KINDS], ends[PIPA_STACK_END_NR], fp_fallback, frames;
	size_t same_incomplete; /* chains that end early, where perf's do */
};

static void die(const char *what)
{
	fprintf(stderr, "unwind_chains: %s\n", what);
	exit(1);
}

static struct pipa_span map_object(const char *path)
{
	struct stat st;
	void *map;
	int fd;

	if (strcmp(path, "[vdso]") == 0) /* ours is the same */
		return (struct pipa_span){ (const uint8_t *)getauxval(AT_SYSINFO_EHDR), 0x2000 };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		return (struct pipa_span){ NULL, 0 };
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return (struct pipa_span){ map == MAP_FAILED ? NULL : map, (size_t)st.st_size };
}

static uint32_t object_of(struct chains *c, const char *path)
{
	struct pipa_unwind_files files;
	struct object *object;
	uint32_t i;

	for (i = 0; i < c->objects.n; i++)
		if (strcmp(c->objects.items[i].path, path) == 0)
			return i;
	object = PIPA_VEC_ADD(&c->objects);
	files = (struct pipa_unwind_files){ .main = map_object(path) };
	if (!object || !(object->path = strdup(path)))
		die("no memory");
	if (files.main.data && pipa_elf_init(&object->elf, files.main, NULL) == 0)
		pipa_unwind_table_new(&files, &object->table, NULL);
	return i;
}

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	struct chains *c = (struct chains *)self;
	struct pipa_range range = { map->start, map->start + map->len, map->file_offset, 0 };

	if (!map->executable || map->pid == PIPA_KERNEL_PID)
		return 0;
	range.object = object_of(c, map->path);
	return pipa_spaces_map(c->spaces, map->pid, id->order, &range);
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	(void)id;
	return comm->exec ? pipa_spaces_exec(((struct chains *)self)->spaces, comm->pid) : 0;
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	if (task->synthesized || task->pid == task->parent_pid)
		return 0;
	return pipa_spaces_fork(((struct chains *)self)->spaces, task->parent_pid, task->pid,
				id->order);
}

static bool find(void *ctx, uint64_t addr, struct pipa_unwind_code *ret)
{
	struct chains *c = ctx;
	const struct pipa_range *range = c->space ? pipa_space_at(c->space, addr) : NULL;
	const struct object *object;
	uint64_t linked;

	if (!range)
		return false;
	object = &c->objects.items[range->object];
	*ret = (struct pipa_unwind_code){ .object = range->object };
	if (object->table &&
	    pipa_elf_offset_to_addr(&object->elf, addr - range->start + range->file_offset,
				    &linked)) {
		ret->table = object->table;
		ret->bias = addr - linked;
	}
	return true;
}

static const struct pipa_unwind_ops ops = { .find = find };

/* The next sample of the script: its chain. -1 at the end. */
static ssize_t next_chain(struct chains *c, uint64_t *chain, uint32_t *tid, uint64_t *time)
{
	unsigned long long seconds, ns;
	size_t n = 0;

	while (!c->line || sscanf(c->line, " %u %llu.%llu:", tid, &seconds, &ns) != 3)
		if (getline(&c->line, &c->line_cap, stdin) < 0)
			return -1;
	*time = seconds * 1000000000 + ns;
	while (getline(&c->line, &c->line_cap, stdin) > 0 && c->line[0] != '\n')
		if (n < MOST)
			chain[n++] = strtoull(c->line, NULL, 16);
	c->line[0] = '\0';
	while (n && chain[n - 1] == UINT64_MAX) /* its mark of a missing return address */
		n--;
	return (ssize_t)n;
}

/* Places in a mapped file are printed as offsets into it. */
static uint64_t as_perf_prints(const struct chains *c, uint64_t addr)
{
	const struct pipa_range *range = c->space ? pipa_space_at(c->space, addr) : NULL;

	return range ? addr - range->start + range->file_offset : addr;
}

static enum kind kind_of(const uint64_t *ours, size_t n, const uint64_t *theirs, size_t m)
{
	size_t i;

	for (i = 0; i < n && i < m; i++)
		if (ours[i] != theirs[i])
			return OTHER;
	return n == m ? SAME : n > m ? LONGER : SHORTER;
}

static void print_difference(const struct chains *c, enum kind kind,
			     const struct pipa_unwind_result *result, const uint64_t *ours,
			     const uint8_t *flags, const uint64_t *theirs, size_t m)
{
	size_t i;

	printf("%s: %s, in %s\n", kinds[kind], pipa_stack_end_text(result->end),
	       result->object < c->objects.n ? c->objects.items[result->object].path : "nothing");
	for (i = 0; i < result->n || i < m; i++)
		printf("  %16" PRIx64 " %16" PRIx64 "%s\n", i < result->n ? ours[i] : 0,
		       i < m ? theirs[i] : 0,
		       i < result->n && flags[i] & PIPA_FRAME_FP_FALLBACK ? " guessed" : "");
}

/*
 * Is this address the one that perf looks up? In a chain through a signal handler it takes one frame for a caller that
 * is none, and looks one byte before it: on x86_64 the stub that the handler returns to, on aarch64 the interrupted one.
 */
static bool is_exact_for_perf(const uint8_t *flags, size_t i, size_t n)
{
	bool stub = i && i + 1 < n && flags[i] & PIPA_FRAME_EXACT &&
		    flags[i + 1] & PIPA_FRAME_EXACT;

#if defined(__aarch64__)
	return !i || stub;
#else
	return flags[i] & PIPA_FRAME_EXACT && !stub;
#endif
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample)
{
	struct chains *c = (struct chains *)self;
	struct pipa_unwind_input in = {
		.stack = sample->stack, .stack_len = sample->stack_len, .ops = &ops, .ctx = c
	};
	uint64_t ours[MOST], theirs[MOST], time;
	uint8_t flags[MOST];
	struct pipa_unwind_frames frames = { .addrs = ours, .flags = flags, .max = MOST };
	struct pipa_unwind_result result;
	enum kind kind;
	uint32_t tid;
	ssize_t m;
	size_t i;

	if (sample->mode != PIPA_MODE_USER ||
	    !pipa_unwind_regs_of(c->arch, &sample->user_regs, &in.regs))
		return 0;
	c->space = pipa_spaces_find(c->spaces, id->pid, id->order);
	in.space = pipa_space_key(c->space);
	in.stack_addr = in.regs.r[c->arch->sp];
	pipa_unwind(c->unwinder, &in, &frames, &result);
	c->ends[result.end]++;
	c->fp_fallback += result.fp_fallback;
	c->frames += result.n;
	m = next_chain(c, theirs, &tid, &time);
	if (m < 0 || tid != id->tid || time != id->time)
		die("the script is of another recording");
	for (i = 0; i < result.n; i++)
		ours[i] = as_perf_prints(c, ours[i] - !is_exact_for_perf(flags, i, result.n));
	kind = kind_of(ours, result.n, theirs, (size_t)m);
	c->same_incomplete += kind == SAME && result.end != PIPA_STACK_COMPLETE &&
			      result.end != PIPA_STACK_TRUNCATED;
	if (((c->counts[kind]++ < SHOWN && kind != SAME) ||
	     (c->ends[result.end] <= SHOWN && result.end != PIPA_STACK_COMPLETE)) &&
	    c->verbose)
		print_difference(c, kind, &result, ours, flags, theirs, (size_t)m);
	return 0;
}

static void print_counts(const struct chains *c)
{
	size_t i, all = 0;

	for (i = 0; i < KINDS; i++)
		all += c->counts[i];
	printf("samples %zu frames %zu guessed %zu\n", all, c->frames, c->fp_fallback);
	for (i = 0; i < KINDS; i++)
		if (c->counts[i])
			printf("%s %zu\n", kinds[i], c->counts[i]);
	if (c->same_incomplete)
		printf("incomplete like perf's %zu\n", c->same_incomplete);
	for (i = 0; i < PIPA_STACK_END_NR; i++)
		if (c->ends[i])
			printf("end: %s %zu\n", pipa_stack_end_text((enum pipa_stack_end)i),
			       c->ends[i]);
}

int main(int argc, char **argv)
{
	static struct chains c = {
		.sink = { .map = on_map, .comm = on_comm, .fork = on_fork, .sample = on_sample }
	};
	struct pipa_perf_reader_options options = { .ordered = true };
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *reader = NULL;
	struct pipa_error err = { 0 };
	struct pipa_bytes bytes;
	int fd;

	c.verbose = argc == 3 && strcmp(argv[2], "-v") == 0;
	if (argc < 2)
		die("which recording?");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("cannot open the recording");
	pipa_file_bytes(&fd, &bytes);
#if defined(__aarch64__)
	c.arch = &pipa_unwind_aarch64;
#elif defined(__riscv)
	c.arch = &pipa_unwind_riscv64;
#else
	c.arch = &pipa_unwind_x86_64;
#endif
	c.spaces = pipa_spaces_new();
	c.unwinder = pipa_unwinder_new(c.arch);
	if (!c.spaces || !c.unwinder ||
	    pipa_perf_reader_open(&bytes, &options, &reader, &err) < 0 ||
	    pipa_perf_reader_run(reader, &c.sink, &err) < 0)
		die(err.what[0] ? err.what : "no memory");
	print_counts(&c);
	return 0;
}
