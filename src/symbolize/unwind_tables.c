#include "symbolize/unwind_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/vec.h"
#include "kernel/process/process_memory.h"
#include "symbolize/unwind_functions.h"
#include "unwind/arch.h"
#include "unwind/table.h"

struct row {
	bool asked, used;
	struct pipa_located files;
	struct pipa_unwind_table *table;	 /* NULL: nothing is known */
	struct pipa_unwind_functions *functions; /* NULL until one is asked for */
};

struct pipa_unwind_tables {
	struct pipa_locate_options locate;
	const struct pipa_profile *profile;
	const struct pipa_recording *recording;
	pthread_mutex_t *lock;
	int status;	   /* -ENOMEM: a table could not be made */
	struct row *items; /* by object */
	size_t n, cap;
};

struct pipa_unwind_tables *pipa_unwind_tables_new(const struct pipa_locate_options *locate,
						  const struct pipa_profile *profile,
						  const struct pipa_recording *recording)
{
	struct pipa_unwind_tables *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->locate = *locate;
	t->profile = profile;
	t->recording = recording;
	return t;
}

void pipa_unwind_tables_free(struct pipa_unwind_tables *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++) {
		pipa_unwind_functions_free(t->items[i].functions);
		pipa_unwind_table_free(t->items[i].table); /* before the files it lends from */
		if (t->items[i].asked)
			pipa_located_done(&t->items[i].files);
	}
	free(t->items);
	free(t);
}

void pipa_unwind_tables_moved(struct pipa_unwind_tables *t, const struct pipa_recording *recording)
{
	t->recording = recording;
}

void pipa_unwind_tables_lock(struct pipa_unwind_tables *t, pthread_mutex_t *lock)
{
	t->lock = lock;
}

/* Files alone have tables: of what was made at run time and of the kernel nothing is asked. */
static void open_row(struct pipa_unwind_tables *t, const struct pipa_object *object,
		     struct row *row)
{
	const char *path = pipa_profile_string(t->profile, object->path);
	struct pipa_build_id id = pipa_recording_build_id(t->recording, path, object->build_id);
	struct pipa_wanted_file wanted = { path, id.bytes, id.len, object->file };
	struct pipa_unwind_files files;
	int rc;

	if (object->kind != PIPA_OBJECT_FILE && object->kind != PIPA_OBJECT_VDSO)
		return;
	row->asked = true;
	if (t->lock)
		pthread_mutex_lock(t->lock);
	pipa_locate(&t->locate, &wanted, &row->files);
	if (t->lock)
		pthread_mutex_unlock(t->lock);
	files = (struct pipa_unwind_files){ row->files.main, row->files.debug };
	rc = row->files.state == PIPA_LOCATED ? pipa_unwind_table_new(&files, &row->table, NULL) :
						-ENOENT;
	if (rc < 0)
		row->table = NULL;
	if (rc == -ENOMEM)
		t->status = rc;
}

const struct pipa_unwind_table *pipa_unwind_tables_get(struct pipa_unwind_tables *t,
						       uint32_t object)
{
	struct row *row;

	while (t->n <= object && object < t->profile->objects.n) {
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
		open_row(t, &t->profile->objects.items[object], row);
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
	struct utsname host;

	if (t->recording && t->recording->arch)
		return pipa_unwind_arch_named(t->recording->arch);
	return uname(&host) == 0 ? pipa_unwind_arch_named(host.machine) : NULL;
}

/* Functions of files that were opened, and of processes with JIT-compiled code. */
static struct pipa_unwind_functions *open_functions(const struct pipa_unwind_tables *t,
						    const struct pipa_object *object,
						    const struct row *row)
{
	if (object->kind == PIPA_OBJECT_JIT)
		return pipa_unwind_functions_of_process(&t->locate, object->pid, !t->recording);
	return pipa_unwind_functions_of_file(row->files.main, row->files.debug);
}

static bool get_function(void *ctx, uint32_t object, uint64_t addr,
			 struct pipa_unwind_function *ret)
{
	struct pipa_unwind_tables *t = ctx;
	const struct pipa_unwind_table *table = pipa_unwind_tables_get(t, object);
	const struct pipa_object *known;
	struct row *row;
	int rc;

	if (object >= t->n)
		return false;
	known = &t->profile->objects.items[object];
	row = &t->items[object];
	if (known->kind == PIPA_OBJECT_JIT ? !known->pid : !table)
		return false;
	if (!row->functions)
		row->functions = open_functions(t, known, row);
	rc = row->functions ? pipa_unwind_functions_find(row->functions, addr, ret) : -ENOMEM;
	if (rc < 0)
		t->status = rc;
	return rc > 0;
}

/* JIT-compiled code is only there while its process runs. */
static size_t get_code(void *ctx, uint32_t object, uint64_t addr, void *to, size_t size)
{
	const struct pipa_unwind_tables *t = ctx;
	const struct pipa_object *known;

	if (t->recording || object >= t->profile->objects.n)
		return 0;
	known = &t->profile->objects.items[object];
	return known->kind == PIPA_OBJECT_JIT && known->pid ?
		       pipa_process_read(known->pid, addr, to, size) :
		       0;
}

struct pipa_unwind_source pipa_unwind_tables_source(struct pipa_unwind_tables *t)
{
	return (struct pipa_unwind_source){
		.arch = get_arch,
		.table = get_table,
		.status = get_status,
		.function = get_function,
		.code = t->recording ? NULL : get_code,
		.ctx = t,
	};
}
