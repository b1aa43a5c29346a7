/* Find the files of every object with samples. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"
#include "job/collect/bundle_own.h"
#include "locate/bundle_files.h"
#include "locate/process_files.h"
#include "symbol/table/jitdump.h"
#include "symbolize/code_files.h"
#include "symbolize/recorded_kernel.h"

struct gathering {
	struct pipa_bundle *b;
	struct pipa_loaded *loaded;
	struct pipa_symbolizer *symbolizer;
	struct pipa_code_files *files;
	const struct pipa_locate_options *locate;
	bool kallsyms_asked, has_kallsyms;
};

void pipa_bundle_done(struct pipa_bundle *b)
{
	size_t i;

	for (i = 0; i < b->located.n; i++)
		pipa_located_done(&b->located.items[i]);
	for (i = 0; i < b->texts.n; i++)
		pipa_buf_done(&b->texts.items[i]);
	free(b->located.items);
	free(b->texts.items);
	free(b->files.items);
	free(b->missing.items);
	pipa_arena_done(&b->arena);
}

const char *pipa_bundle_id_text(const struct pipa_build_id *id, char text[PIPA_BUNDLE_ID_SIZE])
{
	size_t i;

	text[0] = '\0';
	for (i = 0; i < id->len; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	return text;
}

/* ---- what is taken along, and what cannot be ------------------------------------------------------------ */

/* Is a file of that name in the bundle? Equal names mean equal files. */
static bool has_file(const struct pipa_bundle *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->files.n; i++)
		if (strcmp(b->files.items[i].name, name) == 0)
			return true;
	return false;
}

static int add_file(struct pipa_bundle *b, const char *name, const struct pipa_bundle_file *about)
{
	struct pipa_bundle_file *file;

	if (has_file(b, name))
		return 0;
	file = PIPA_VEC_ADD(&b->files);
	if (!file)
		return -ENOMEM;
	*file = *about;
	file->name = pipa_arena_text(&b->arena, name, strlen(name));
	file->path = pipa_arena_text(&b->arena, about->path, strlen(about->path));
	return file->name && file->path ? 0 : -ENOMEM;
}

static int add_missing(struct pipa_bundle *b, const char *path, const struct pipa_build_id *id,
		       const char *why)
{
	struct pipa_bundle_missing *missing = PIPA_VEC_ADD(&b->missing);

	if (!missing)
		return -ENOMEM;
	*missing = (struct pipa_bundle_missing){ pipa_arena_text(&b->arena, path, strlen(path)),
						 *id, why };
	return missing->path ? 0 : -ENOMEM;
}

/* Add a file, named by its build ID, else by its path. */
static int add_named(struct pipa_bundle *b, const char *what, const struct pipa_bundle_file *about)
{
	const struct pipa_span id = { about->build_id.bytes, about->build_id.len };
	char name[PATH_MAX];

	if (!pipa_bundle_files_id_name(PIPA_BUNDLE_CACHE, id, what, name, sizeof(name)))
		snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "%s%s",
			 about->path[0] == '/' ? "" : "/", about->path);
	return add_file(b, name, about);
}

/* Add a text that is not a mapped file; takes ownership of it. */
static int add_text(struct pipa_bundle *b, const char *name, struct pipa_buf *text,
		    struct pipa_bundle_file about)
{
	struct pipa_buf *own = PIPA_VEC_ADD(&b->texts);

	if (!own)
		return -ENOMEM;
	*own = *text;
	*text = (struct pipa_buf){ .max = text->max };
	about.bytes = (struct pipa_span){ (const uint8_t *)pipa_buf_str(own), own->len };
	return add_file(b, name, &about);
}

/* ---- programs and libraries ------------------------------------------------------------------------------ */

static void set_id(struct pipa_build_id *id, struct pipa_span bytes)
{
	id->len = bytes.size <= PIPA_BUILD_ID_MAX ? (uint8_t)bytes.size : 0;
	memcpy(id->bytes, bytes.data, id->len);
}

/* Add the debug file: found by the shared build ID, else by .gnu_debuglink. */
static int add_debug(struct pipa_bundle *b, const char *path, struct pipa_build_id id,
		     const struct pipa_located *l)
{
	struct pipa_bundle_file about = { .path = path, .build_id = id, .bytes = l->debug };
	char name[PATH_MAX];
	struct pipa_span own;

	if (!id.len && pipa_locate_build_id(l->main, &own))
		set_id(&about.build_id, own);
	if (!about.build_id.len && pipa_bundle_files_link_name(path, l->main, name, sizeof(name)))
		return add_file(b, name, &about);
	return add_named(b, "debug", &about);
}

/* Add the supplementary file (.gnu_debugaltlink) of the debug file. */
static int add_shared(struct gathering *g, const char *path, const struct pipa_located *l)
{
	struct pipa_bundle_file about = { .path = path };
	struct pipa_located *kept;
	struct pipa_span own;

	if (!pipa_locate_shared(g->locate, l, &about.bytes))
		return 0;
	kept = PIPA_VEC_ADD(&g->b->located);
	if (!kept) {
		pipa_locate_unmap(&about.bytes);
		return -ENOMEM;
	}
	kept->main = about.bytes;
	if (pipa_locate_build_id(about.bytes, &own))
		set_id(&about.build_id, own);
	return add_named(g->b, "debug", &about);
}

/* Add the DWARF package (.dwp) by the path of the file, because packages have no build ID. */
static int add_package(struct pipa_bundle *b, const char *path, struct pipa_span bytes)
{
	struct pipa_bundle_file about = { .path = path, .bytes = bytes };
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "%s.dwp", path) >= PATH_MAX)
		return 0;
	return add_file(b, name, &about);
}

/* Add the files of an object, which stay open until the bundle is written. */
static int add_located(struct gathering *g, const char *path, struct pipa_build_id id,
		       const struct pipa_located *l)
{
	struct pipa_bundle_file about = { .path = path, .build_id = id, .bytes = l->main };
	const char *what = strcmp(path, "[vdso]") == 0 ? "vdso" : "elf";
	int rc = 0;

	if (l->main.size)
		rc = add_named(g->b, what, &about);
	if (!rc && l->debug.size)
		rc = add_debug(g->b, path, id, l);
	if (!rc && l->package.size)
		rc = add_package(g->b, path, l->package);
	return rc ? rc : add_shared(g, path, l);
}

static const char *missing_reason(enum pipa_located_state state)
{
	return state == PIPA_LOCATE_OTHER ? "build ID mismatch" : "not found or not readable";
}

static int gather_file(struct gathering *g, uint32_t object)
{
	const struct pipa_profile *p = &g->loaded->profile;
	const char *path = pipa_profile_string(p, p->objects.items[object].path);
	struct pipa_build_id id = pipa_code_files_build_id(g->files, object);
	struct pipa_code_file *file = pipa_code_files_get(g->files, object);
	const struct pipa_located *l;
	int rc = 0;

	if (!file)
		return -ENOMEM;
	l = pipa_code_file_located(file);
	if (l->state != PIPA_LOCATED)
		return add_missing(g->b, path, &id, missing_reason(l->state));
	if (!l->main.size)
		rc = add_missing(g->b, path, &id, "only its debug file was found");
	else if (!l->debug.size && !l->borrowed && pipa_locate_is_stripped(l->main))
		rc = add_missing(g->b, path, &id, "stripped, and no debug file was found");
	return rc ? rc : add_located(g, path, id, l);
}

/* ---- the kernel -------------------------------------------------------------------------------------------- */

/* Add the kernel's kallsyms, with the symbols of its modules. */
static int gather_kallsyms(struct gathering *g)
{
	static const char path[] = "/proc/kallsyms";
	struct pipa_bundle_file about = { .path = path };
	struct pipa_recorded_kernel kernel;
	enum pipa_unresolved why;
	int rc;

	if (g->kallsyms_asked)
		return 0;
	g->kallsyms_asked = true;
	pipa_recorded_kernel_find(&g->loaded->recording, &g->loaded->profile, &kernel);
	about.build_id = kernel.id;
	rc = pipa_symbolizer_find_kallsyms(g->symbolizer, &about.bytes, &why);
	g->has_kallsyms = rc > 0;
	if (rc > 0)
		return add_named(g->b, "kallsyms", &about);
	return rc < 0 ? rc :
			add_missing(
				g->b, path, &about.build_id,
				why == PIPA_UNRESOLVED_KPTR_RESTRICT ?
					"kernel symbols are hidden from this user (kptr_restrict)" :
					"another kernel is running, and no copy of its kallsyms "
					"was found");
}

/* Add a module's file. One that is missing is not a loss if kallsyms has its symbols. */
static int gather_module(struct gathering *g, uint32_t object)
{
	const struct pipa_profile *p = &g->loaded->profile;
	const char *path = pipa_profile_string(p, p->objects.items[object].path);
	struct pipa_build_id id = pipa_code_files_build_id(g->files, object);
	struct pipa_code_file *file;
	const struct pipa_located *l;
	int rc = gather_kallsyms(g);

	if (rc < 0)
		return rc;
	file = pipa_code_files_get(g->files, object);
	if (!file)
		return -ENOMEM;
	l = pipa_code_file_located(file);
	if (l->state == PIPA_LOCATED)
		return add_located(g, path, id, l);
	return g->has_kallsyms ? 0 : add_missing(g->b, path, &id, missing_reason(l->state));
}

/* ---- code made at run time --------------------------------------------------------------------------------- */

static int gather_dump(struct gathering *g, const char *path, uint32_t pid)
{
	struct pipa_bundle_file about = { .path = path };
	struct pipa_located *kept;

	if (!pipa_locate_process_file(g->locate, path, NULL, pid, &about.bytes))
		return add_missing(g->b, path, &about.build_id, "not found or not readable");
	kept = PIPA_VEC_ADD(&g->b->located);
	if (!kept) {
		pipa_locate_unmap(&about.bytes);
		return -ENOMEM;
	}
	kept->main = about.bytes;
	return add_named(g->b, "", &about);
}

static int gather_jit(struct gathering *g, const struct pipa_object *object)
{
	const char *path = pipa_profile_string(&g->loaded->profile, object->path);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	struct pipa_bundle_file about = { 0 };
	char name[64];
	int rc;

	if (pipa_jitdump_is_name(path))
		return gather_dump(g, path, object->pid);
	snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "/tmp/perf-%u.map", object->pid);
	about.path = name + strlen(PIPA_BUNDLE_ROOT);
	if (has_file(g->b, name))
		return 0;
	rc = pipa_locate_perf_map(g->locate, pipa_symbolizer_options(g->symbolizer)->map_dir,
				  object->pid, &text);
	if (rc == -ENOMEM)
		return rc;
	return rc < 0 ?
		       add_missing(g->b, about.path, &about.build_id, "not found or not readable") :
		       add_text(g->b, name, &text, about);
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static int gather_object(struct gathering *g, uint32_t number)
{
	const struct pipa_object *object = &g->loaded->profile.objects.items[number];

	switch (object->kind) {
	case PIPA_OBJECT_FILE:
	case PIPA_OBJECT_VDSO: return gather_file(g, number);
	case PIPA_OBJECT_KERNEL: return gather_kallsyms(g);
	case PIPA_OBJECT_MODULE: return gather_module(g, number);
	case PIPA_OBJECT_JIT: return gather_jit(g, object);
	default: return 0; /* objects without files */
	}
}

static int by_name(const void *a, const void *b)
{
	const struct pipa_bundle_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int gather_all(struct gathering *g)
{
	const struct pipa_profile *p = &g->loaded->profile;
	PIPA_AUTO(free) bool *hit = calloc(p->objects.n + 1, sizeof(*hit));
	size_t i;
	int rc = hit ? 0 : -ENOMEM;

	for (i = 0; !rc && i < p->locations.n; i++)
		hit[p->locations.items[i].object] = true;
	for (i = 0; !rc && i < p->objects.n; i++)
		if (hit[i])
			rc = gather_object(g, (uint32_t)i);
	if (!rc && g->b->files.n)
		qsort(g->b->files.items, g->b->files.n, sizeof(*g->b->files.items), by_name);
	return rc;
}

int pipa_bundle_gather(struct pipa_bundle *b, struct pipa_loaded *loaded)
{
	struct gathering g = {
		.b = b,
		.loaded = loaded,
		.symbolizer = loaded->symbolizer,
		.files = pipa_symbolizer_files(loaded->symbolizer),
		.locate = pipa_symbolizer_locate(loaded->symbolizer),
	};

	return gather_all(&g);
}
