/* Write what the heap profiler has found as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/heap/heap_profile.h"
#include "analyze/heap/heap_sites.h"
#include "analyze/profile/frames.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/table/heap.h"
#include "export/text/number.h"
#include "export/text/plain.h"

enum { BAR = 40 };

struct page {
	const struct pipa_heap_report *r;
	struct pipa_buf *out;
	struct pipa_heap_totals all;
};

const char *pipa_heap_bytes_text(uint64_t bytes, char text[static 32])
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	size_t unit = 0;

	if (bytes < 1024) {
		snprintf(text, 32, "%" PRIu64 " B", bytes);
		return text;
	}
	for (value /= 1024; value >= 1023.95 && unit + 1 < PIPA_COUNT(units); unit++)
		value /= 1024;
	snprintf(text, 32, "%.1f %s", value, units[unit]);
	return text;
}

static const char *count_text(uint64_t value, char text[static 32])
{
	return pipa_number_text((double)value, 0, false, text, 32);
}

/* Format a duration in a few digits: "1.23 s". */
static const char *time_text(uint64_t ns, char text[static 32])
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };
	size_t i;

	for (i = 0; i < PIPA_COUNT(units); i++)
		if (ns >= units[i].ns) {
			snprintf(text, 32, "%.2f %s", (double)ns / (double)units[i].ns,
				 units[i].unit);
			return text;
		}
	snprintf(text, 32, "%" PRIu64 " ns", ns);
	return text;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* ---- frames --------------------------------------------------------------------------------------- */

static void put_frame(const struct page *p, uint32_t index)
{
	const struct pipa_frame *frame = &p->r->frames->items[index];
	const struct pipa_profile *profile = p->r->frames->profile;
	char buf[64];

	pipa_plain_put(p->out, pipa_frame_text(profile, frame->symbol, buf), SIZE_MAX);
	pipa_buf_puts(p->out, pipa_frame_mark(frame->symbol));
	if (frame->place) {
		pipa_buf_puts(p->out, "  ");
		pipa_plain_put(p->out, pipa_strings_get(&p->r->frames->places, frame->place),
			       SIZE_MAX);
	} else if (frame->object != PIPA_NONE) {
		const struct pipa_object *object = &profile->objects.items[frame->object];

		pipa_buf_puts(p->out, "  ");
		pipa_plain_put(p->out, pipa_profile_string(profile, object->path), SIZE_MAX);
	}
	pipa_buf_putc(p->out, '\n');
}

/* Write the frames of a site, innermost first, one per line; the first continues the row. */
static void put_stack(const struct page *p, uint32_t stack, int indent)
{
	struct pipa_frame_walk walk = { .frames = p->r->frames, .stack = stack };
	size_t n = 0, more = 0;

	if (stack == PIPA_NONE) {
		pipa_buf_puts(p->out, "[no call stack]\n");
		return;
	}
	while (pipa_frame_walk_next(&walk)) {
		if (n++ >= p->r->max_frames) {
			more++;
			continue;
		}
		if (n > 1)
			pipa_buf_printf(p->out, "%*s", indent + 2, "");
		put_frame(p, walk.frame);
	}
	if (more)
		pipa_buf_printf(p->out, "%*s... %zu more frame%s\n", indent + 2, "", more,
				more == 1 ? "" : "s");
}

/* ---- head ----------------------------------------------------------------------------------------- */

static void put_loss(const struct page *p, uint64_t n, const char *one, const char *many)
{
	char text[32];

	if (n)
		pipa_buf_printf(p->out, "#   %s %s\n", count_text(n, text), n == 1 ? one : many);
}

static void put_losses(const struct page *p)
{
	struct pipa_heaps_losses sum = { 0 };
	uint64_t bypassed = 0;
	char bytes[32];
	size_t i;

	for (i = 0; i < p->r->heaps->processes.n; i++) {
		const struct pipa_heaps_losses *l = &p->r->heaps->processes.items[i].losses;

		bypassed += p->r->heaps->processes.items[i].bypassed;
		sum.samples += l->samples;
		sum.bytes += l->bytes;
		sum.reentries += l->reentries;
		sum.blocks += l->blocks;
		sum.modules += l->modules;
		sum.children += l->children;
		sum.storage += l->storage;
		sum.corrupt += l->corrupt;
		sum.truncated_stacks += l->truncated_stacks;
	}
	if (!p->all.complete) {
		pipa_buf_puts(p->out, "# Incomplete:\n");
		put_loss(p, bypassed, "process was not seen: its program defines malloc itself",
			 "processes were not seen: their programs define malloc themselves");
		put_loss(p, sum.samples, "sample was not recorded: all tables were full",
			 "samples were not recorded: all tables were full");
		if (sum.bytes)
			pipa_buf_printf(p->out, "#   %s are missing in all sums\n",
					pipa_heap_bytes_text(sum.bytes, bytes));
		put_loss(p, sum.reentries,
			 "allocation of a signal handler was not recorded: it interrupted the "
			 "profiler",
			 "allocations of signal handlers were not recorded: they interrupted the "
			 "profiler");
		put_loss(p, sum.blocks,
			 "sampled block counts as in use, because its free was not "
			 "followed",
			 "sampled blocks count as in use, because their frees were not followed");
		put_loss(p, sum.modules, "list of mappings was not recorded",
			 "lists of mappings were not recorded");
		put_loss(p, sum.children, "forked process was not recorded",
			 "forked processes were not recorded");
		put_loss(p, sum.storage, "time the recording could not be enlarged",
			 "times the recording could not be enlarged: no space left");
		put_loss(p, sum.corrupt, "malformed entry: the process overwrote its recording",
			 "malformed entries: a process overwrote its recording");
		put_loss(p, p->r->unreadable, "recording is malformed", "recordings are malformed");
		put_loss(p, p->r->skipped, "process was left out: there were too many",
			 "processes were left out: there were too many");
	}
	if (sum.truncated_stacks)
		pipa_buf_printf(p->out, "# Truncated stacks: %" PRIu64 " of %" PRIu64 " samples\n",
				sum.truncated_stacks, p->all.samples);
}

static void put_head(const struct page *p)
{
	const struct pipa_heaps *heaps = p->r->heaps;
	const struct pipa_heaps_process *first = heaps->processes.items;
	char a[32], b[32], c[32];

	if (!heaps->processes.n) {
		pipa_buf_puts(p->out, "# No process was recorded\n");
		put_losses(p);
		return;
	}
	pipa_buf_puts(p->out, "# Command:   ");
	pipa_plain_put(p->out, pipa_strings_get(&heaps->strings, first->command), SIZE_MAX);
	pipa_buf_printf(p->out, "\n# Time:      %s, processes: %zu\n",
			time_text(p->r->end_ns - p->r->start_ns, a), heaps->processes.n);
	if (first->rate > 1)
		pipa_buf_printf(p->out, "# Samples:   %s, one per %s allocated\n",
				count_text(p->all.samples, a),
				pipa_heap_bytes_text(first->rate, b));
	else
		pipa_buf_printf(p->out, "# Samples:   %s, every allocation\n",
				count_text(p->all.samples, a));
	if (first->min_size)
		pipa_buf_printf(p->out, "# Sizes:     %s and more\n",
				pipa_heap_bytes_text(first->min_size, a));
	pipa_buf_printf(p->out, "# Allocated: %s in %s blocks\n",
			pipa_heap_bytes_text(p->all.alloc_bytes, a),
			count_text(p->all.alloc_objects, b));
	if (first->no_frees) {
		put_losses(p);
		return;
	}
	pipa_buf_printf(p->out, "# Peak:      %s in %s blocks",
			pipa_heap_bytes_text(p->all.peak_bytes, a),
			count_text(p->all.peak_objects, b));
	if (heaps->processes.n == 1 && first->peak_ns >= first->start_ns)
		pipa_buf_printf(p->out, ", %s after the start",
				time_text(first->peak_ns - first->start_ns, c));
	else if (heaps->processes.n > 1)
		pipa_buf_printf(p->out,
				", the sum of the peaks of all processes; at most %s at once",
				pipa_heap_bytes_text(p->all.peak_at_once, a));
	pipa_buf_printf(p->out, "\n# In use:    %s in %s blocks at the end%s\n",
			pipa_heap_bytes_text(p->all.inuse_bytes, a),
			count_text(p->all.inuse_objects, b),
			heaps->processes.n > 1 ? " of each process" : "");
	put_losses(p);
}

/* ---- processes ------------------------------------------------------------------------------------ */

static void put_processes(const struct page *p)
{
	static const char *const ends[PIPA_HEAPS_END_NR] = {
		[PIPA_HEAPS_RUNNING] = "running",
		[PIPA_HEAPS_EXITED] = "exited",
		[PIPA_HEAPS_REPLACED] = "exec",
		[PIPA_HEAPS_KILLED] = "killed",
	};
	const struct pipa_heaps *heaps = p->r->heaps;
	uint32_t i, k;

	if (heaps->processes.n < 2 && !p->r->by_process)
		return;
	pipa_buf_printf(p->out, "\nProcesses\n  %8s  %10s  %10s  %10s  %-7s  %s\n", "PID",
			"Allocated", "Peak", "In use", "End", "Command");
	for (i = 0; i < heaps->processes.n; i++) {
		const struct pipa_heaps_process *process = &heaps->processes.items[i];
		struct pipa_heaps_amount alloc = { 0 }, inuse = { 0 };
		char a[32], b[32], c[32];

		for (k = process->stacks; k < process->stacks + process->n_stacks; k++) {
			alloc.bytes += heaps->stacks.items[k].alloc.bytes;
			inuse.bytes += heaps->stacks.items[k].inuse.bytes;
		}
		pipa_buf_printf(p->out, "  %8" PRIu32 "  %10s  %10s  %10s  %-7s  ", process->pid,
				pipa_heap_bytes_text(alloc.bytes, a),
				process->no_frees ? "-" :
						    pipa_heap_bytes_text(process->peak.bytes, b),
				process->no_frees ? "-" : pipa_heap_bytes_text(inuse.bytes, c),
				ends[process->end]);
		pipa_plain_put(p->out, pipa_strings_get(&heaps->strings, process->command), 100);
		pipa_buf_putc(p->out, '\n');
	}
}

/* ---- sites ---------------------------------------------------------------------------------------- */

static void put_pid(const struct page *p, const struct pipa_heap_site *site)
{
	if (site->process != PIPA_NONE)
		pipa_buf_printf(p->out, "%8" PRIu32 "  ",
				p->r->heaps->processes.items[site->process].pid);
}

/* Write the sites with the largest amounts. */
static int put_sites(const struct page *p, const char *title, enum pipa_heap_order order,
		     struct pipa_heaps_amount (*amount)(const struct pipa_heap_site *site),
		     uint64_t all, bool by_objects)
{
	PIPA_AUTO(free) uint32_t *rows = NULL;
	char bytes[32], objects[32];
	size_t i, n;
	int indent = p->r->by_process ? 46 : 36;

	rows = pipa_heap_sites_sort(p->r->sites, order, &n);
	if (!rows)
		return -ENOMEM;
	if (!n)
		return 0;
	pipa_buf_printf(p->out, "\n%s\n  %s%10s  %6s  %12s  %s\n", title,
			p->r->by_process ? "     PID  " : "", "Bytes", "%", "Blocks", "Call stack");
	for (i = 0; i < n && i < p->r->max_rows; i++) {
		const struct pipa_heap_site *site = &p->r->sites->items[rows[i]];
		struct pipa_heaps_amount a = amount(site);

		pipa_buf_puts(p->out, "  ");
		put_pid(p, site);
		pipa_buf_printf(p->out, "%10s  %5.1f%%  %12s  ",
				pipa_heap_bytes_text(a.bytes, bytes),
				percent(by_objects ? a.objects : a.bytes, all),
				count_text(a.objects, objects));
		put_stack(p, site->stack, indent);
	}
	if (n > i)
		pipa_buf_printf(p->out, "  ... %zu more call stacks\n", n - i);
	return 0;
}

static struct pipa_heaps_amount peak_of(const struct pipa_heap_site *site)
{
	return site->peak;
}

static struct pipa_heaps_amount alloc_of(const struct pipa_heap_site *site)
{
	return site->alloc;
}

static struct pipa_heaps_amount inuse_of(const struct pipa_heap_site *site)
{
	return site->inuse;
}

static struct pipa_heaps_amount temporary_of(const struct pipa_heap_site *site)
{
	return site->temporary;
}

/* ---- functions ------------------------------------------------------------------------------------ */

struct function_row {
	uint64_t self, total;
	size_t row;
};

static int compare_functions(const void *a, const void *b)
{
	const struct function_row *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Return the event of a column, PIPA_NONE if the profile has none. */
static uint32_t column_event(const struct pipa_profile *profile, enum pipa_heap_column column)
{
	uint32_t i;

	for (i = 0; i < profile->events.n; i++)
		if (strcmp(pipa_profile_string(profile, profile->events.items[i].name),
			   pipa_heap_column_name(column)) == 0)
			return i;
	return PIPA_NONE;
}

/* Write the functions that call the allocator, by the time in it. */
static int put_functions(const struct page *p)
{
	const struct pipa_top *top = p->r->functions;
	uint32_t event = column_event(top->profile, PIPA_HEAP_ALLOCATOR_TIME);
	PIPA_AUTO(free) struct function_row *rows = calloc(top->n + 1, sizeof(*rows));
	char a[32], b[32], buf[64];
	uint64_t all;
	size_t i, n = 0;

	if (!rows)
		return -ENOMEM;
	if (event == PIPA_NONE || !top->all[event].weight)
		return 0;
	all = top->all[event].weight;
	for (i = 0; i < top->n; i++) {
		size_t at = i * top->n_events + event;

		if (top->self[at].weight)
			rows[n++] = (struct function_row){ top->self[at].weight,
							   top->total[at].weight, i };
	}
	qsort(rows, n, sizeof(*rows), compare_functions);
	pipa_buf_printf(p->out,
			"\nTime in the allocator, by calling function\n  %10s  %6s  %10s  %s\n",
			"Self", "%", "Children", "Function");
	for (i = 0; i < n && i < p->r->max_rows; i++) {
		pipa_buf_printf(p->out, "  %10s  %5.1f%%  %10s  ", time_text(rows[i].self, a),
				percent(rows[i].self, all), time_text(rows[i].total, b));
		pipa_plain_put(p->out, pipa_top_text(top, &top->items[rows[i].row], 0, buf),
			       SIZE_MAX);
		pipa_buf_putc(p->out, '\n');
	}
	if (n > i)
		pipa_buf_printf(p->out, "  ... %zu more functions\n", n - i);
	return 0;
}

/* ---- histograms ----------------------------------------------------------------------------------- */

static void put_classes(const struct page *p, const char *title, const uint64_t *counts,
			uint64_t (*limit)(unsigned int class),
			const char *(*text)(uint64_t value, char text[static 32]))
{
	uint64_t all = 0, most = 0;
	unsigned int i, first = PIPA_HEAPS_CLASSES, last = 0;
	char end[32], n[32];

	for (i = 0; i < PIPA_HEAPS_CLASSES; i++) {
		all += counts[i];
		if (counts[i] > most)
			most = counts[i];
		if (counts[i] && first == PIPA_HEAPS_CLASSES)
			first = i;
		if (counts[i])
			last = i;
	}
	if (!all)
		return;
	pipa_buf_printf(p->out, "\n%s\n", title);
	for (i = first; i <= last; i++) {
		bool bounded = limit(i) != 0;

		pipa_buf_printf(p->out, "  %s %10s  %14s  %5.1f%%  ", bounded ? "below" : "above",
				text(bounded ? limit(i) : limit(i - 1), end),
				count_text(counts[i], n), percent(counts[i], all));
		pipa_buf_fill(p->out, '#', (size_t)((double)counts[i] * BAR / (double)most + 0.5));
		pipa_buf_putc(p->out, '\n');
	}
}

static void put_histograms(const struct page *p)
{
	uint64_t sizes[PIPA_HEAPS_CLASSES] = { 0 }, lifetimes[PIPA_HEAPS_CLASSES] = { 0 };
	size_t i, k;

	for (i = 0; i < p->r->heaps->processes.n; i++)
		for (k = 0; k < PIPA_HEAPS_CLASSES; k++) {
			sizes[k] += p->r->heaps->processes.items[i].sizes[k];
			lifetimes[k] += p->r->heaps->processes.items[i].lifetimes[k];
		}
	put_classes(p, "Sizes of allocated blocks", sizes, pipa_heaps_size_limit,
		    pipa_heap_bytes_text);
	put_classes(p, "Lifetimes of freed blocks", lifetimes, pipa_heaps_lifetime_limit,
		    time_text);
}

/* ---- leaks and pages ------------------------------------------------------------------------------- */

static void put_leak_amount(const struct page *p, const char *what, struct pipa_heaps_amount a)
{
	char bytes[32], n[32];

	pipa_buf_printf(p->out, "  %-18s %10s in %s block%s\n", what,
			pipa_heap_bytes_text(a.bytes, bytes), count_text(a.objects, n),
			a.objects == 1 ? "" : "s");
}

static void put_leak(const struct page *p, const struct pipa_heap_site *site)
{
	static const struct {
		enum pipa_heaps_reach reach;
		const char *text;
	} kinds[] = {
		{ PIPA_HEAPS_LOST, "lost" },
		{ PIPA_HEAPS_LOST_INDIRECT, "lost indirectly" },
		{ PIPA_HEAPS_INTERIOR, "possibly lost" },
		{ PIPA_HEAPS_REACHABLE, "reachable" },
		{ PIPA_HEAPS_UNKNOWN, "alive" },
	};
	char bytes[32], n[32], oldest[32], newest[32];
	const char *separator = "  ";
	size_t i;

	pipa_buf_putc(p->out, '\n');
	for (i = 0; i < PIPA_COUNT(kinds); i++) {
		const struct pipa_heaps_amount *a = &site->live[kinds[i].reach];

		if (!a->objects)
			continue;
		pipa_buf_printf(p->out, "%s%s in %s block%s %s", separator,
				pipa_heap_bytes_text(a->bytes, bytes), count_text(a->objects, n),
				a->objects == 1 ? "" : "s", kinds[i].text);
		separator = ", ";
	}
	pipa_buf_printf(p->out, "; age %s to %s; %s", time_text(site->newest_ns, newest),
			time_text(site->oldest_ns, oldest), pipa_heap_growth_text(site->growth));
	if (site->process != PIPA_NONE)
		pipa_buf_printf(p->out, "; process %" PRIu32,
				p->r->heaps->processes.items[site->process].pid);
	pipa_buf_puts(p->out, "\n    ");
	put_stack(p, site->stack, 4);
}

static int put_leaks(const struct page *p)
{
	struct pipa_heaps_amount live[PIPA_HEAPS_REACH_NR] = { 0 };
	PIPA_AUTO(free) uint32_t *rows = NULL;
	size_t i, k, n;

	if (!p->r->leaks)
		return 0;
	for (i = 0; i < p->r->sites->n; i++)
		for (k = 0; k < PIPA_HEAPS_REACH_NR; k++) {
			live[k].objects += p->r->sites->items[i].live[k].objects;
			live[k].bytes += p->r->sites->items[i].live[k].bytes;
		}
	rows = pipa_heap_sites_sort(p->r->sites, PIPA_HEAP_BY_LOST, &n);
	if (!rows)
		return -ENOMEM;
	pipa_buf_puts(p->out, "\nLeaks\n");
	if (p->r->searched || live[PIPA_HEAPS_LOST].objects || live[PIPA_HEAPS_REACHABLE].objects) {
		put_leak_amount(p, "lost:", live[PIPA_HEAPS_LOST]);
		put_leak_amount(p, "lost indirectly:", live[PIPA_HEAPS_LOST_INDIRECT]);
		put_leak_amount(p, "possibly lost:", live[PIPA_HEAPS_INTERIOR]);
		put_leak_amount(p, "reachable:", live[PIPA_HEAPS_REACHABLE]);
	}
	if (!p->r->searched)
		put_leak_amount(p, "alive, unsearched:", live[PIPA_HEAPS_UNKNOWN]);
	if (p->r->heaps->processes.n && p->r->heaps->processes.items[0].rate > 1)
		pipa_buf_puts(p->out, "  Only sampled blocks are known; --rate 1 finds all.\n");
	for (i = 0; i < n && i < p->r->max_rows; i++)
		put_leak(p, &p->r->sites->items[rows[i]]);
	if (n > i)
		pipa_buf_printf(p->out, "\n  ... %zu more call stacks\n", n - i);
	return 0;
}

static void put_pages(const struct page *p)
{
	uint64_t resident = 0, swapped = 0, untouched = 0;
	char a[32], b[32], c[32];
	bool any = false;
	size_t i;

	if (!p->r->pages)
		return;
	for (i = 0; i < p->r->sites->n; i++) {
		const struct pipa_heap_site *site = &p->r->sites->items[i];

		any |= site->has_pages;
		resident += site->resident;
		swapped += site->swapped;
		untouched += site->untouched;
	}
	pipa_buf_puts(p->out, "\nPages of blocks at the exit\n");
	if (!any) {
		pipa_buf_puts(p->out, "  unknown: no process with blocks waited at its exit\n");
		return;
	}
	pipa_buf_printf(p->out, "  resident %s, swapped %s, never touched %s\n",
			pipa_heap_bytes_text(resident, a), pipa_heap_bytes_text(swapped, b),
			pipa_heap_bytes_text(untouched, c));
	pipa_buf_printf(p->out, "  %10s  %10s  %10s  %s\n", "Resident", "Swapped", "Untouched",
			"Call stack");
}

/* Write the sites with the most bytes in use, with their pages. */
static int put_page_sites(const struct page *p)
{
	PIPA_AUTO(free) uint32_t *rows = NULL;
	char a[32], b[32], c[32];
	size_t i, n, shown = 0;

	if (!p->r->pages)
		return 0;
	rows = pipa_heap_sites_sort(p->r->sites, PIPA_HEAP_BY_INUSE, &n);
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < n && shown < p->r->max_rows; i++) {
		const struct pipa_heap_site *site = &p->r->sites->items[rows[i]];

		if (!site->has_pages)
			continue;
		shown++;
		pipa_buf_printf(p->out, "  %10s  %10s  %10s  ",
				pipa_heap_bytes_text(site->resident, a),
				pipa_heap_bytes_text(site->swapped, b),
				pipa_heap_bytes_text(site->untouched, c));
		put_stack(p, site->stack, 38);
	}
	return 0;
}

/* ---- report --------------------------------------------------------------------------------------- */

void pipa_heap_report_totals(const struct pipa_heap_report *r, struct pipa_heap_totals *ret)
{
	size_t i;

	*ret = (struct pipa_heap_totals){ .complete = !r->unreadable && !r->skipped };
	for (i = 0; i < r->sites->n; i++) {
		const struct pipa_heap_site *site = &r->sites->items[i];

		ret->samples += site->samples;
		ret->alloc_objects += site->alloc.objects;
		ret->alloc_bytes += site->alloc.bytes;
		ret->inuse_objects += site->inuse.objects;
		ret->inuse_bytes += site->inuse.bytes;
		ret->peak_objects += site->peak.objects;
		ret->peak_bytes += site->peak.bytes;
		ret->lost_objects += site->live[PIPA_HEAPS_LOST].objects +
				     site->live[PIPA_HEAPS_LOST_INDIRECT].objects;
		ret->lost_bytes += site->live[PIPA_HEAPS_LOST].bytes +
				   site->live[PIPA_HEAPS_LOST_INDIRECT].bytes;
	}
	ret->peak_at_once = pipa_heaps_peak_at_once(r->heaps);
	for (i = 0; i < r->heaps->processes.n; i++)
		ret->complete &= pipa_heaps_is_complete(&r->heaps->processes.items[i]);
}

int pipa_heap_report_text(const struct pipa_heap_report *r, struct pipa_buf *out)
{
	struct page p = { .r = r, .out = out };
	int rc;

	pipa_heap_report_totals(r, &p.all);
	put_head(&p);
	put_processes(&p);
	rc = put_sites(&p, "In use at the peak", PIPA_HEAP_BY_PEAK, peak_of, p.all.peak_bytes,
		       false);
	if (!rc)
		rc = put_sites(&p, "In use at the end", PIPA_HEAP_BY_INUSE, inuse_of,
			       p.all.inuse_bytes, false);
	if (!rc)
		rc = put_sites(&p, "Allocated", PIPA_HEAP_BY_ALLOC, alloc_of, p.all.alloc_bytes,
			       false);
	if (!rc)
		rc = put_sites(&p, "Temporary: freed before the thread allocated another block",
			       PIPA_HEAP_BY_TEMPORARY, temporary_of, p.all.alloc_objects, true);
	if (!rc)
		rc = put_functions(&p);
	put_histograms(&p);
	put_pages(&p);
	if (!rc)
		rc = put_page_sites(&p);
	if (!rc)
		rc = put_leaks(&p);
	return rc ? rc : out->status;
}
