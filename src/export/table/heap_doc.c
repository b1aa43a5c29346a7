/* Write what the heap profiler has found as a document. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/heap/heap_profile.h"
#include "analyze/heap/heap_sites.h"
#include "analyze/profile/frames.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/table/heap.h"

struct page {
	const struct pipa_heap_report *r;
	struct pipa_doc doc;
	bool frees; /* recorded, of any process */
};

static void put_amount(struct page *p, const char *key, const struct pipa_heaps_amount *amount)
{
	pipa_doc_map(&p->doc, key);
	pipa_doc_u64(&p->doc, "objects", amount->objects);
	pipa_doc_u64(&p->doc, "bytes", amount->bytes);
	pipa_doc_end(&p->doc);
}

/* ---- processes ------------------------------------------------------------------------------------ */

/* Write the classes that are not empty, by their upper limit; null: none. */
static void put_classes(struct page *p, const char *key, const uint64_t *counts,
			uint64_t (*limit)(unsigned int class))
{
	unsigned int i;

	pipa_doc_list(&p->doc, key);
	for (i = 0; i < PIPA_HEAPS_CLASSES; i++) {
		if (!counts[i])
			continue;
		pipa_doc_map(&p->doc, NULL);
		if (limit(i))
			pipa_doc_u64(&p->doc, "below", limit(i));
		else
			pipa_doc_str(&p->doc, "below", NULL);
		pipa_doc_u64(&p->doc, "objects", counts[i]);
		pipa_doc_end(&p->doc);
	}
	pipa_doc_end(&p->doc);
}

static void put_losses(struct page *p, const struct pipa_heaps_losses *l)
{
	pipa_doc_map(&p->doc, "lost");
	pipa_doc_u64(&p->doc, "samples", l->samples);
	pipa_doc_u64(&p->doc, "bytes", l->bytes);
	pipa_doc_u64(&p->doc, "reentries", l->reentries);
	pipa_doc_u64(&p->doc, "blocks", l->blocks);
	pipa_doc_u64(&p->doc, "mappings", l->modules);
	pipa_doc_u64(&p->doc, "children", l->children);
	pipa_doc_u64(&p->doc, "storage", l->storage);
	pipa_doc_u64(&p->doc, "threads", l->threads);
	pipa_doc_u64(&p->doc, "corrupt", l->corrupt);
	pipa_doc_u64(&p->doc, "truncated_stacks", l->truncated_stacks);
	pipa_doc_end(&p->doc);
}

static void put_process(struct page *p, const struct pipa_heaps_process *process)
{
	static const char *const ends[PIPA_HEAPS_END_NR] = {
		[PIPA_HEAPS_RUNNING] = "running",
		[PIPA_HEAPS_EXITED] = "exited",
		[PIPA_HEAPS_REPLACED] = "replaced",
		[PIPA_HEAPS_KILLED] = "killed",
	};
	const struct pipa_heaps *heaps = p->r->heaps;
	struct pipa_heaps_amount alloc = { 0 }, inuse = { 0 };
	uint32_t i;

	for (i = process->stacks; i < process->stacks + process->n_stacks; i++) {
		alloc.objects += heaps->stacks.items[i].alloc.objects;
		alloc.bytes += heaps->stacks.items[i].alloc.bytes;
		inuse.objects += heaps->stacks.items[i].inuse.objects;
		inuse.bytes += heaps->stacks.items[i].inuse.bytes;
	}
	pipa_doc_map(&p->doc, NULL);
	pipa_doc_u64(&p->doc, "pid", process->pid);
	pipa_doc_u64(&p->doc, "parent", process->parent);
	pipa_doc_str(&p->doc, "comm", pipa_strings_get(&heaps->strings, process->comm));
	pipa_doc_str(&p->doc, "exe", pipa_strings_get(&heaps->strings, process->exe));
	pipa_doc_str(&p->doc, "command", pipa_strings_get(&heaps->strings, process->command));
	pipa_doc_str(&p->doc, "end", ends[process->end]);
	pipa_doc_u64(&p->doc, "rate", process->rate);
	pipa_doc_u64(&p->doc, "min_size", process->min_size);
	pipa_doc_bool(&p->doc, "frees", !process->no_frees);
	pipa_doc_u64(&p->doc, "duration_ns", process->end_ns - process->start_ns);
	pipa_doc_bool(&p->doc, "complete", pipa_heaps_is_complete(process));
	pipa_doc_bool(&p->doc, "bypassed", process->bypassed);
	put_losses(p, &process->losses);
	put_amount(p, "allocated", &alloc);
	if (!process->no_frees) {
		put_amount(p, "in_use", &inuse);
		put_amount(p, "peak", &process->peak);
		if (process->peak_ns >= process->start_ns)
			pipa_doc_u64(&p->doc, "peak_after_ns",
				     process->peak_ns - process->start_ns);
	}
	put_classes(p, "sizes", process->sizes, pipa_heaps_size_limit);
	put_classes(p, "lifetimes_ns", process->lifetimes, pipa_heaps_lifetime_limit);
	pipa_doc_end(&p->doc);
}

/* ---- sites ---------------------------------------------------------------------------------------- */

static void put_frames(struct page *p, uint32_t stack)
{
	struct pipa_frame_walk walk = { .frames = p->r->frames, .stack = stack };
	const struct pipa_profile *profile = p->r->frames->profile;
	char buf[64];

	pipa_doc_list(&p->doc, "stack");
	while (stack != PIPA_NONE && pipa_frame_walk_next(&walk)) {
		const struct pipa_frame *frame = &p->r->frames->items[walk.frame];

		pipa_doc_map(&p->doc, NULL);
		pipa_doc_str(&p->doc, "function", pipa_frame_text(profile, frame->symbol, buf));
		if (pipa_frame_mark(frame->symbol)[0])
			pipa_doc_bool(&p->doc, "inlined", true);
		if (frame->object != PIPA_NONE)
			pipa_doc_str(&p->doc, "dso",
				     pipa_profile_string(
					     profile, profile->objects.items[frame->object].path));
		if (frame->place)
			pipa_doc_str(&p->doc, "source",
				     pipa_strings_get(&p->r->frames->places, frame->place));
		pipa_doc_end(&p->doc);
	}
	pipa_doc_end(&p->doc);
}

static void put_alive(struct page *p, const struct pipa_heap_site *site)
{
	size_t i;

	pipa_doc_map(&p->doc, "alive");
	pipa_doc_u64(&p->doc, "samples", site->blocks);
	for (i = 0; i < PIPA_HEAPS_REACH_NR; i++)
		if (site->live[i].objects)
			put_amount(p, pipa_heaps_reach_id((enum pipa_heaps_reach)i),
				   &site->live[i]);
	pipa_doc_u64(&p->doc, "oldest_ns", site->oldest_ns);
	pipa_doc_u64(&p->doc, "newest_ns", site->newest_ns);
	pipa_doc_str(&p->doc, "growth", pipa_heap_growth_id(site->growth));
	if (site->has_pages) {
		pipa_doc_u64(&p->doc, "resident", site->resident);
		pipa_doc_u64(&p->doc, "swapped", site->swapped);
		pipa_doc_u64(&p->doc, "untouched", site->untouched);
	}
	pipa_doc_end(&p->doc);
}

static void put_site(struct page *p, const struct pipa_heap_site *site)
{
	const struct pipa_heaps *heaps = p->r->heaps;
	bool frees = site->process == PIPA_NONE ? p->frees :
						  !heaps->processes.items[site->process].no_frees;

	pipa_doc_map(&p->doc, NULL);
	if (site->process != PIPA_NONE)
		pipa_doc_u64(&p->doc, "pid", heaps->processes.items[site->process].pid);
	if (site->is_mapping)
		pipa_doc_bool(&p->doc, "mapping", true);
	pipa_doc_u64(&p->doc, "samples", site->samples);
	put_amount(p, "allocated", &site->alloc);
	if (frees) {
		put_amount(p, "in_use", &site->inuse);
		put_amount(p, "peak", &site->peak);
	}
	put_amount(p, "temporary", &site->temporary);
	pipa_doc_u64(&p->doc, "allocator_ns", site->allocator_ns);
	if (site->blocks)
		put_alive(p, site);
	put_frames(p, site->stack);
	pipa_doc_end(&p->doc);
}

static int put_sites(struct page *p)
{
	PIPA_AUTO(free) uint32_t *rows = NULL;
	size_t i, n;

	rows = pipa_heap_sites_sort(p->r->sites, PIPA_HEAP_BY_ALLOC, &n);
	if (!rows)
		return -ENOMEM;
	pipa_doc_list(&p->doc, "sites");
	for (i = 0; i < n; i++)
		put_site(p, &p->r->sites->items[rows[i]]);
	pipa_doc_end(&p->doc);
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------------ */

static void put_functions(struct page *p)
{
	const struct pipa_top *top = p->r->functions;
	const struct pipa_profile *profile = top->profile;
	size_t i, k;
	char buf[64];

	pipa_doc_list(&p->doc, "functions");
	for (i = 0; i < top->n; i++) {
		pipa_doc_map(&p->doc, NULL);
		pipa_doc_str(&p->doc, "function", pipa_top_text(top, &top->items[i], 0, buf));
		pipa_doc_str(&p->doc, "dso", pipa_top_text(top, &top->items[i], 1, buf));
		for (k = 0; k < top->n_events; k++) {
			size_t at = i * top->n_events + k;

			if (!top->self[at].weight && !top->total[at].weight)
				continue;
			pipa_doc_map(&p->doc,
				     pipa_profile_string(profile, profile->events.items[k].name));
			pipa_doc_u64(&p->doc, "self", top->self[at].weight);
			pipa_doc_u64(&p->doc, "children", top->total[at].weight);
			pipa_doc_end(&p->doc);
		}
		pipa_doc_end(&p->doc);
	}
	pipa_doc_end(&p->doc);
}

int pipa_heap_report_json(const struct pipa_heap_report *r, struct pipa_buf *out)
{
	struct page p = { .r = r, .frees = pipa_heaps_has_frees(r->heaps) };
	struct pipa_heap_totals all;
	size_t i;
	int rc;

	pipa_heap_report_totals(r, &all);
	pipa_doc_begin(&p.doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&p.doc, "schema", "pipa-heap/1");
	pipa_doc_u64(&p.doc, "samples", all.samples);
	pipa_doc_bool(&p.doc, "complete", all.complete);
	pipa_doc_u64(&p.doc, "malformed_recordings", r->unreadable);
	pipa_doc_u64(&p.doc, "skipped_recordings", r->skipped);
	pipa_doc_u64(&p.doc, "duration_ns", r->end_ns - r->start_ns);
	put_amount(&p, "allocated",
		   &(struct pipa_heaps_amount){ all.alloc_objects, all.alloc_bytes });
	if (p.frees) {
		put_amount(&p, "in_use",
			   &(struct pipa_heaps_amount){ all.inuse_objects, all.inuse_bytes });
		put_amount(&p, "peak",
			   &(struct pipa_heaps_amount){ all.peak_objects, all.peak_bytes });
		pipa_doc_u64(&p.doc, "peak_at_once_bytes", all.peak_at_once);
	}
	if (r->leaks) {
		pipa_doc_bool(&p.doc, "searched", r->searched);
		put_amount(&p, "lost",
			   &(struct pipa_heaps_amount){ all.lost_objects, all.lost_bytes });
	}
	pipa_doc_list(&p.doc, "processes");
	for (i = 0; i < r->heaps->processes.n; i++)
		put_process(&p, &r->heaps->processes.items[i]);
	pipa_doc_end(&p.doc);
	put_functions(&p);
	rc = put_sites(&p);
	pipa_doc_finish(&p.doc);
	return rc ? rc : out->status;
}
