#include "collect/meter/sources.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/error.h"
#include "collect/meter/cgroups.h"
#include "collect/meter/devices.h"
#include "collect/meter/filesystems.h"
#include "collect/meter/limits.h"
#include "collect/meter/meters.h"
#include "collect/meter/source.h"
#include "collect/meter/tasks.h"
#include "model/sections.h"

/* A new source is a row here. */
static const struct pipa_source_kind *const kinds[] = {
	/* limits first: they apply to all that follow */
	&pipa_limits_source,  &pipa_meters_source,  &pipa_filesystems_source,
	&pipa_devices_source, &pipa_cgroups_source, &pipa_tasks_source,
};

struct pipa_sources {
	struct pipa_source *sources[PIPA_COUNT(kinds)];
	size_t n;
};

PIPA_DEFINE_AUTO(pipa_sources_close, struct pipa_sources *)

/* Open a source if it has one of the sections; repeated sections count once. */
static int open_source(struct pipa_sources *s, const struct pipa_source_kind *kind,
		       struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		       struct pipa_error *err)
{
	const struct pipa_section *own[PIPA_SECTION_NR];
	size_t i, k, n_own = 0;
	int rc;

	for (i = 0; i < n; i++) {
		for (k = 0; k < n_own && own[k] != sections[i]; k++)
			;
		if (k == n_own && kind->has(sections[i]))
			own[n_own++] = sections[i];
	}
	if (!n_own)
		return 0;
	rc = kind->open(root, own, n_own, &s->sources[s->n], err);
	s->n += rc == 0;
	return rc;
}

int pipa_sources_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		      struct pipa_sources **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_sources_close) struct pipa_sources *s = calloc(1, sizeof(*s));
	size_t i;
	int rc = 0;

	if (!s)
		return pipa_fail(err, -ENOMEM, "open the machine's statistics");
	for (i = 0; !rc && i < PIPA_COUNT(kinds); i++)
		rc = open_source(s, kinds[i], root, sections, n, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(s);
	return 0;
}

void pipa_sources_close(struct pipa_sources *s)
{
	size_t i;

	for (i = 0; s && i < s->n; i++)
		s->sources[i]->kind->close(s->sources[i]);
	free(s);
}

int pipa_sources_read(struct pipa_sources *s, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->n; i++)
		rc = s->sources[i]->kind->read(s->sources[i], err);
	return rc;
}

int pipa_sources_emit(struct pipa_sources *s, const struct pipa_tick *tick, bool whole,
		      struct pipa_series_sink *sink)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->n; i++)
		rc = s->sources[i]->kind->emit(s->sources[i], tick, whole, sink);
	return !rc && sink->end ? sink->end(sink, tick) : rc;
}

bool pipa_sources_missing(struct pipa_sources *s, size_t index, char *path, size_t size)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; s->sources[i]->kind->missing(s->sources[i], k, path, size); k++)
			if (index-- == 0)
				return true;
	return false;
}
