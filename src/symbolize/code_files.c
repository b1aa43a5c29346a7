#include "symbolize/code_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "locate/kernel_files.h"
#include "symbolize/recorded_kernel.h"

struct row {
	struct pipa_code_file *file; /* NULL: not requested, or released */
	bool keep, keep_image;
	/* the file was located with these */
	struct pipa_build_id id;
	bool foreign, same_host;
	uint64_t until_ns;
};

struct replaced {
	struct pipa_code_file *file;
};

struct pipa_code_files {
	const struct pipa_locate_options *locate;
	const struct pipa_profile *profile;
	const struct pipa_recording *recording;
	const char *vmlinux;
	pthread_mutex_t *lock;
	struct row *items; /* by index of the object */
	size_t n, cap;
	struct {
		struct replaced *items;
		size_t n, cap;
	} replaced; /* kept files of objects that were located again */
};

struct pipa_code_files *pipa_code_files_new(const struct pipa_locate_options *locate,
					    const struct pipa_profile *profile,
					    const struct pipa_recording *recording)
{
	struct pipa_code_files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->locate = locate;
	f->profile = profile;
	f->recording = recording;
	return f;
}

static void free_replaced(struct pipa_code_files *f)
{
	size_t i;

	for (i = 0; i < f->replaced.n; i++)
		pipa_code_file_free(f->replaced.items[i].file);
	f->replaced.n = 0;
}

void pipa_code_files_free(struct pipa_code_files *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->n; i++)
		pipa_code_file_free(f->items[i].file);
	free_replaced(f);
	free(f->items);
	free(f->replaced.items);
	free(f);
}

void pipa_code_files_set_profile(struct pipa_code_files *f, const struct pipa_profile *profile,
				 const struct pipa_recording *recording)
{
	f->profile = profile;
	f->recording = recording;
}

void pipa_code_files_set_vmlinux(struct pipa_code_files *f, const char *path)
{
	f->vmlinux = path;
}

void pipa_code_files_set_lock(struct pipa_code_files *f, pthread_mutex_t *lock)
{
	f->lock = lock;
}

const struct pipa_profile *pipa_code_files_profile(const struct pipa_code_files *f)
{
	return f->profile;
}

const struct pipa_recording *pipa_code_files_recording(const struct pipa_code_files *f)
{
	return f->recording;
}

const struct pipa_locate_options *pipa_code_files_locate(const struct pipa_code_files *f)
{
	return f->locate;
}

struct pipa_build_id pipa_code_files_build_id(const struct pipa_code_files *f, uint32_t object)
{
	const struct pipa_object *o = &f->profile->objects.items[object];

	return pipa_recording_build_id(f->recording, pipa_profile_string(f->profile, o->path),
				       o->build_id);
}

/* ---- locate ---------------------------------------------------------------------------------- */

/* Is it an image of that kernel? One without a build id is accepted. */
static bool is_image_of(struct pipa_span image, const struct pipa_wanted_kernel *kernel)
{
	struct pipa_span id;

	return !kernel->build_id_len || !pipa_locate_build_id(image, &id) ||
	       (id.size >= kernel->build_id_len &&
		memcmp(id.data, kernel->build_id, kernel->build_id_len) == 0);
}

/* Map the image given by the user, outside of symfs and bundle, and find its debug file. */
static void locate_vmlinux(const struct pipa_code_files *f, const struct pipa_wanted_kernel *kernel,
			   struct pipa_located *ret)
{
	PIPA_AUTO(free) char *path = realpath(f->vmlinux, NULL);
	struct pipa_locate_options plain = *f->locate;
	const struct pipa_wanted_file wanted = { .path = path };

	plain.symfs = NULL;
	plain.bundle = plain.kept = NULL;
	plain.mapped = NULL;
	plain.debuginfod = NULL; /* a download of half a gigabyte that was not requested */
	*ret = (struct pipa_located){ .state = PIPA_LOCATE_NO_FILE };
	if (path)
		pipa_locate(&plain, &wanted, ret);
	if (ret->state == PIPA_LOCATED && !is_image_of(ret->main, kernel)) {
		pipa_located_done(ret);
		*ret = (struct pipa_located){ .state = PIPA_LOCATE_OTHER };
	}
}

static void locate_object(const struct pipa_code_files *f, uint32_t number,
			  const struct pipa_build_id *id, struct pipa_located *ret)
{
	const struct pipa_object *object = &f->profile->objects.items[number];
	const struct pipa_wanted_file wanted = { pipa_profile_string(f->profile, object->path),
						 id->bytes, id->len, object->file };
	struct pipa_recorded_kernel recorded;
	struct pipa_wanted_kernel kernel;

	*ret = (struct pipa_located){ .state = PIPA_LOCATE_NO_FILE };
	if (object->kind == PIPA_OBJECT_FILE || object->kind == PIPA_OBJECT_VDSO) {
		pipa_locate(f->locate, &wanted, ret);
		return;
	}
	if (object->kind != PIPA_OBJECT_KERNEL && object->kind != PIPA_OBJECT_MODULE)
		return;
	pipa_recorded_kernel_find(f->recording, f->profile, &recorded);
	kernel = pipa_recorded_kernel_wanted(&recorded);
	if (object->kind == PIPA_OBJECT_MODULE)
		pipa_locate_module(f->locate, &kernel, &wanted, ret);
	else if (f->vmlinux)
		locate_vmlinux(f, &kernel, ret);
	else
		pipa_locate_kernel(f->locate, &kernel, ret);
}

/*
 * Would the same file be located again? Properties other than the build id matter only without one.
 */
static bool is_current(const struct pipa_code_files *f, const struct row *row,
		       const struct pipa_build_id *id)
{
	if (row->id.len != id->len || memcmp(row->id.bytes, id->bytes, id->len) != 0)
		return false;
	return id->len ||
	       (row->foreign == f->locate->foreign && row->same_host == f->locate->same_host &&
		row->until_ns == f->locate->until_ns);
}

static void close_row(struct row *row)
{
	pipa_code_file_free(row->file);
	*row = (struct row){ 0 };
}

/* Move the file of a row to `replaced` if it is kept, else free it. 0 or -ENOMEM. */
static int replace_row(struct pipa_code_files *f, struct row *row)
{
	struct replaced *slot;

	if (row->keep) {
		slot = PIPA_VEC_ADD(&f->replaced);
		if (!slot)
			return -ENOMEM;
		slot->file = PIPA_TAKE(row->file);
	}
	close_row(row);
	return 0;
}

struct pipa_code_file *pipa_code_files_get(struct pipa_code_files *f, uint32_t object)
{
	struct pipa_build_id id = pipa_code_files_build_id(f, object);
	struct pipa_located located;
	struct row *row;

	while (f->n <= object)
		if (!PIPA_VEC_ADD(f))
			return NULL;
	row = &f->items[object];
	if (row->file && !is_current(f, row, &id) && replace_row(f, row) < 0)
		return NULL;
	if (row->file)
		return row->file;
	if (f->lock)
		pthread_mutex_lock(f->lock);
	locate_object(f, object, &id, &located);
	if (f->lock)
		pthread_mutex_unlock(f->lock);
	*row = (struct row){ .file = pipa_code_file_new(f->locate, &located),
			     .id = id,
			     .foreign = f->locate->foreign,
			     .same_host = f->locate->same_host,
			     .until_ns = f->locate->until_ns };
	return row->file;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

void pipa_code_files_keep(struct pipa_code_files *f, uint32_t object, bool image)
{
	if (object >= f->n || !f->items[object].file)
		return;
	f->items[object].keep = true;
	f->items[object].keep_image |= image;
}

void pipa_code_files_keep_none(struct pipa_code_files *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		f->items[i].keep = f->items[i].keep_image = false;
	free_replaced(f);
}

void pipa_code_files_release(struct pipa_code_files *f, uint32_t object)
{
	struct row *row = object < f->n ? &f->items[object] : NULL;

	if (!row || !row->file)
		return;
	if (row->keep)
		pipa_code_file_release(row->file, !row->keep_image);
	else
		close_row(row);
}

void pipa_code_files_release_all(struct pipa_code_files *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		pipa_code_files_release(f, (uint32_t)i);
}
