#include "export/text/file_notes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/visible.h"
#include "codec/doc.h"

enum { SHOWN = 3 };

struct missing {
	uint32_t object;
	uint64_t weight;
};

static int by_weight(const void *a, const void *b)
{
	const struct missing *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->object < y->object ? -1 : x->object > y->object;
}

static uint32_t first_event(const struct pipa_profile *p)
{
	uint32_t event = 0;

	while (event < p->events.n && !p->events.items[event].count)
		event++;
	return event;
}

/*
 * Collect missing files with the weight of their samples, heaviest first. The caller frees them.
 * NULL on allocation failure.
 */
static struct missing *find_missing(const struct pipa_profile *p, size_t *ret_n)
{
	struct missing *all = calloc(p->objects.n + 1, sizeof(*all));
	const uint32_t event = first_event(p);
	size_t i, n = 0;

	for (i = 0; all && i < p->objects.n; i++)
		all[i].object = (uint32_t)i;
	for (i = 0; all && i < p->samples.n; i++) {
		const struct pipa_sample *sample = &p->samples.items[i];
		const struct pipa_location *location;

		if (sample->event != event || sample->stack == PIPA_NONE)
			continue;
		location = &p->locations.items[p->stacks.items[sample->stack].location];
		if (location->unresolved == PIPA_UNRESOLVED_NO_FILE &&
		    location->object < p->objects.n)
			all[location->object].weight += sample->weight;
	}
	if (!all)
		return NULL;
	qsort(all, p->objects.n, sizeof(*all), by_weight);
	while (n < p->objects.n && all[n].weight)
		n++;
	*ret_n = n;
	return all;
}

static double percent_of(const struct pipa_profile *p, uint64_t weight)
{
	const uint32_t event = first_event(p);
	uint64_t all = event < p->events.n ? p->events.items[event].weight : 0;

	return all ? 100 * (double)weight / (double)all : 0;
}

static const char *path_of(const struct pipa_profile *p, size_t object)
{
	return pipa_profile_string(p, p->objects.items[object].path);
}

static size_t count_unverified(const struct pipa_profile *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->objects.n; i++)
		n += p->objects.items[i].unverified;
	return n;
}

static void put_unverified(const struct pipa_profile *p, struct pipa_buf *out)
{
	size_t n = count_unverified(p), i, shown = 0;

	if (!n)
		return;
	pipa_buf_printf(out,
			"# unverified: %zu file%s without a build ID, may have changed since:", n,
			n == 1 ? "" : "s");
	for (i = 0; i < p->objects.n && shown < SHOWN; i++) {
		if (!p->objects.items[i].unverified)
			continue;
		pipa_buf_puts(out, shown++ ? ", " : " ");
		pipa_visible_put(out, path_of(p, i));
	}
	pipa_buf_puts(out, n > shown ? ", ...\n" : "\n");
}

int pipa_file_notes_text(const struct pipa_profile *p, struct pipa_buf *out)
{
	size_t n = 0, i;
	PIPA_AUTO(free) struct missing *missing = find_missing(p, &n);

	if (!missing)
		return -ENOMEM;
	if (n && percent_of(p, missing[0].weight) >= 0.005) {
		pipa_buf_puts(out, "# missing files:");
		for (i = 0; i < n && i < SHOWN; i++) {
			pipa_buf_puts(out, i ? ", " : " ");
			pipa_visible_put(out, path_of(p, missing[i].object));
			pipa_buf_printf(out, " %.2f%%", percent_of(p, missing[i].weight));
		}
		pipa_buf_printf(out, "%s. Use --symfs DIR to search DIR.\n",
				n > SHOWN ? ", ..." : "");
	}
	put_unverified(p, out);
	return out->status;
}

int pipa_file_notes_doc(const struct pipa_profile *p, struct pipa_doc *doc)
{
	size_t n = 0, i;
	PIPA_AUTO(free) struct missing *missing = find_missing(p, &n);

	if (!missing)
		return -ENOMEM;
	if (n) {
		pipa_doc_list(doc, "missing_files");
		for (i = 0; i < n; i++) {
			pipa_doc_map(doc, NULL);
			pipa_doc_str(doc, "path", path_of(p, missing[i].object));
			pipa_doc_double(doc, "percent", percent_of(p, missing[i].weight));
			pipa_doc_end(doc);
		}
		pipa_doc_end(doc);
	}
	if (count_unverified(p)) {
		pipa_doc_list(doc, "unverified_files");
		for (i = 0; i < p->objects.n; i++)
			if (p->objects.items[i].unverified)
				pipa_doc_str(doc, NULL, path_of(p, i));
		pipa_doc_end(doc);
	}
	return 0;
}
