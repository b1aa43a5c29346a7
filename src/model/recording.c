#include "model/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void pipa_recording_done(struct pipa_recording *r)
{
	free(r->facts.items);
	free(r->files.items);
	pipa_arena_done(&r->arena);
	*r = (struct pipa_recording){ 0 };
}

int pipa_recording_add_fact(struct pipa_recording *r, const char *name, const char *text)
{
	char *name_copy = pipa_arena_text(&r->arena, name, strlen(name));
	char *text_copy = pipa_arena_text(&r->arena, text, strlen(text));
	struct pipa_recorded_fact *fact = name_copy && text_copy ? PIPA_VEC_ADD(&r->facts) : NULL;

	if (!fact)
		return -ENOMEM;
	*fact = (struct pipa_recorded_fact){ name_copy, text_copy };
	return 0;
}

int pipa_recording_add_file(struct pipa_recording *r, const struct pipa_recorded_file *file)
{
	char *path = pipa_arena_text(&r->arena, file->path, strlen(file->path));
	struct pipa_recorded_file *row = path ? PIPA_VEC_ADD(&r->files) : NULL;

	if (!row)
		return -ENOMEM;
	*row = *file;
	row->path = path;
	return 0;
}

const char *pipa_recording_fact(const struct pipa_recording *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->facts.n; i++)
		if (strcmp(r->facts.items[i].name, name) == 0)
			return r->facts.items[i].text;
	return NULL;
}

struct pipa_build_id pipa_recording_build_id(const struct pipa_recording *r, const char *path,
					     struct pipa_build_id own)
{
	size_t i;

	for (i = 0; !own.len && r && i < r->files.n; i++)
		if (strcmp(r->files.items[i].path, path) == 0)
			return r->files.items[i].build_id;
	return own;
}

void pipa_recording_count(struct pipa_recording *r, uint32_t type, uint64_t n)
{
	r->counts[type < PIPA_RECORD_TYPES ? type : PIPA_RECORD_TYPES] += n;
	r->records += n;
}

void pipa_recording_note_damage(struct pipa_recording *r, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (r->damage.count++)
		return;
	r->damage.at = at;
	va_start(ap, fmt);
	vsnprintf(r->damage.what, sizeof(r->damage.what), fmt, ap);
	va_end(ap);
}
