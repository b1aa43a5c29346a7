#include "symbolize/unwind_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "kernel/process/process_memory.h"
#include "symbol/table/jitdump.h"
#include "symbolize/code_files.h"
#include "symbolize/jitdumps.h"
#include "symbolize/unwind_functions.h"
#include "unwind/arch.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

struct row {
	bool asked, used;
	const struct pipa_unwind_table *table;	 /* NULL: none */
	struct pipa_unwind_functions *functions; /* NULL until requested */
};

struct pipa_unwind_tables {
	struct pipa_code_files *files;
	const struct pipa_jitdumps *jitdumps; /* NULL: none */
	int status;			      /* -ENOMEM: a table could not be allocated */
	struct row *items;		      /* by index of the object */
	size_t n, cap;
};

struct pipa_unwind_tables *pipa_unwind_tables_new(struct pipa_code_files *files)
{
	struct pipa_unwind_tables *t = calloc(1, sizeof(*t));

	if (t)
		t->files = files;
	return t;
}

void pipa_unwind_tables_use_jitdumps(struct pipa_unwind_tables *t,
				     const struct pipa_jitdumps *jitdumps)
{
	t->jitdumps = jitdumps;
}

void pipa_unwind_tables_free(struct pipa_unwind_tables *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++)
		pipa_unwind_functions_free(t->items[i].functions);
	free(t->items);
	free(t);
}

/* Get the table of a program, library or vdso; the kernel and JIT code have none. */
static void open_row(struct pipa_unwind_tables *t, uint32_t object, struct row *row)
{
	enum pipa_object_kind kind = pipa_code_files_profile(t->files)->objects.items[object].kind;
	struct pipa_code_file *file;
	int rc;

	if (kind != PIPA_OBJECT_FILE && kind != PIPA_OBJECT_VDSO)
		return;
	row->asked = true;
	file = pipa_code_files_get(t->files, object);
	rc = file ? pipa_code_file_unwind_table(file, &row->table) : -ENOMEM;
	if (rc == 0)
		pipa_code_files_keep(t->files, object, false);
	else if (rc == -ENOMEM)
		t->status = rc;
}

const struct pipa_unwind_table *pipa_unwind_tables_get(struct pipa_unwind_tables *t,
						       uint32_t object)
{
	size_t objects = pipa_code_files_profile(t->files)->objects.n;
	struct row *row;

	while (t->n <= object && object < objects) {
		row = PIPA_VEC_ADD(t);
		if (!row) {
			t->status = -ENOMEM;
			return NULL;
		}
	}
	if (object >= t->n)
		return NULL;
	row = &t->items[object];
	if (!row->asked)
		open_row(t, object, row);
	return row->table;
}

bool pipa_unwind_tables_used(const struct pipa_unwind_tables *t, uint32_t object)
{
	return object < t->n && t->items[object].used;
}

static const struct pipa_unwind_table *get_table(void *ctx, uint32_t object, uint64_t offset,
						 uint64_t *ret_linked)
{
	struct pipa_unwind_tables *t = ctx;
	const struct pipa_unwind_table *table = pipa_unwind_tables_get(t, object);

	if (object < t->n)
		t->items[object].used = true;
	return table && pipa_unwind_table_addr(table, offset, ret_linked) ? table : NULL;
}

int pipa_unwind_tables_status(const struct pipa_unwind_tables *t)
{
	return t->status;
}

static int get_status(void *ctx)
{
	return pipa_unwind_tables_status(ctx);
}

static const struct pipa_unwind_arch *get_arch(void *ctx)
{
	const struct pipa_unwind_tables *t = ctx;
	const struct pipa_recording *recording = pipa_code_files_recording(t->files);
	struct utsname host;

	if (recording && recording->arch)
		return pipa_unwind_arch_named(recording->arch);
	return uname(&host) == 0 ? pipa_unwind_arch_named(host.machine) : NULL;
}

/* Open the functions of a file that has a table, or of a process with JIT code. */
static struct pipa_unwind_functions *open_functions(struct pipa_unwind_tables *t, uint32_t number)
{
	const struct pipa_object *object =
		&pipa_code_files_profile(t->files)->objects.items[number];
	struct pipa_code_file *file;
	const struct pipa_image *image = NULL;
	int rc;

	if (object->kind == PIPA_OBJECT_JIT)
		return pipa_unwind_functions_of_process(pipa_code_files_locate(t->files),
							object->pid,
							!pipa_code_files_recording(t->files));
	file = pipa_code_files_get(t->files, number);
	rc = file ? pipa_code_file_image(file, &image) : -ENOMEM;
	if (rc == -ENOMEM)
		return NULL;
	pipa_code_files_keep(t->files, number, true);
	return pipa_unwind_functions_of_file(image, pipa_code_file_located(file)->main);
}

static bool get_function(void *ctx, uint32_t object, uint64_t addr,
			 struct pipa_unwind_function *ret)
{
	struct pipa_unwind_tables *t = ctx;
	const struct pipa_unwind_table *table = pipa_unwind_tables_get(t, object);
	const struct pipa_object *known;
	const struct pipa_jit_code *code = NULL;
	struct row *row;
	int rc;

	if (object >= t->n)
		return false;
	known = &pipa_code_files_profile(t->files)->objects.items[object];
	row = &t->items[object];
	if (known->kind == PIPA_OBJECT_JIT ? !known->pid : !table)
		return false;
	if (known->kind == PIPA_OBJECT_JIT && t->jitdumps)
		code = pipa_jitdumps_code(t->jitdumps, known->pid, addr);
	if (code) {
		*ret = (struct pipa_unwind_function){ .start = code->addr,
						      .end = code->addr + code->size };
		return true;
	}
	if (!row->functions)
		row->functions = open_functions(t, object);
	rc = row->functions ? pipa_unwind_functions_find(row->functions, addr, ret) : -ENOMEM;
	if (rc < 0)
		t->status = rc;
	return rc > 0;
}

/* Copy JIT code from a jitdump. */
static size_t copy_jit_code(const struct pipa_jitdumps *dumps, uint32_t pid, uint64_t addr,
			    void *to, size_t size)
{
	const struct pipa_jit_code *code = dumps ? pipa_jitdumps_code(dumps, pid, addr) : NULL;
	uint64_t from = code ? addr - code->addr : 0;

	if (!code || from >= code->bytes.size)
		return 0;
	if (size > code->bytes.size - from)
		size = (size_t)(code->bytes.size - from);
	memcpy(to, code->bytes.data + from, size);
	return size;
}

/* Copy JIT code: from a jitdump for a recording, else from the memory of its process, which must be running. */
static size_t get_code(void *ctx, uint32_t object, uint64_t addr, void *to, size_t size)
{
	const struct pipa_unwind_tables *t = ctx;
	const struct pipa_profile *profile = pipa_code_files_profile(t->files);
	const struct pipa_object *known;

	if (object >= profile->objects.n)
		return 0;
	known = &profile->objects.items[object];
	if (known->kind != PIPA_OBJECT_JIT || !known->pid)
		return 0;
	return pipa_code_files_recording(t->files) ?
		       copy_jit_code(t->jitdumps, known->pid, addr, to, size) :
		       pipa_process_read(known->pid, addr, to, size);
}

struct pipa_unwind_source pipa_unwind_tables_source(struct pipa_unwind_tables *t)
{
	return (struct pipa_unwind_source){
		.arch = get_arch,
		.table = get_table,
		.status = get_status,
		.function = get_function,
		.code = pipa_code_files_recording(t->files) && !t->jitdumps ? NULL : get_code,
		.ctx = t,
	};
}
