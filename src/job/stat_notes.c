#include "job/stat_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "kernel/machine/root.h"

void pipa_stat_note(struct pipa_stat_notes *notes, const char *fmt, ...)
{
	va_list ap;

	if (notes->n == PIPA_STAT_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(notes->text[notes->n], sizeof(notes->text[0]), fmt, ap);
	va_end(ap);
	notes->items[notes->n] = notes->text[notes->n];
	notes->n++;
}

static void note_permissions(struct pipa_stat_notes *notes, const struct pipa_stat *stat,
			     const struct pipa_events *events)
{
	bool any = false, switches = false;
	size_t i;

	for (i = 0; i < stat->n_rows; i++) {
		const char *key = events->items[stat->rows[i].event].key;

		if (!stat->rows[i].user_only)
			continue;
		any = true;
		switches |= strcmp(key, "context-switches") == 0 ||
			    strcmp(key, "cpu-migrations") == 0;
	}
	if (any)
		pipa_stat_note(notes,
			       "only user space was counted (:u). Include the kernel with: sudo "
			       "sysctl kernel.perf_event_paranoid=1");
	if (switches)
		pipa_stat_note(notes,
			       "context-switches:u and cpu-migrations:u happen in the kernel and "
			       "read 0");
}

static bool is_hardware(const struct pipa_event *event)
{
	return event->kind == PIPA_EVENT_HW || event->kind == PIPA_EVENT_CACHE ||
	       event->kind == PIPA_EVENT_RAW || (event->kind == PIPA_EVENT_PMU && event->core);
}

static void note_hardware(struct pipa_stat_notes *notes, const struct pipa_stat *stat,
			  const struct pipa_events *events, struct pipa_root *root)
{
	size_t i, hardware = 0, missing = 0, squeezed = 0;
	uint64_t watchdog = 0;

	for (i = 0; i < stat->n_rows; i++) {
		const struct pipa_stat_row *row = &stat->rows[i];

		if (!is_hardware(&events->items[row->event]))
			continue;
		hardware++;
		missing += row->state == PIPA_NOT_SUPPORTED;
		squeezed += row->state == PIPA_NOT_COUNTED || row->running_ns < row->enabled_ns;
	}
	if (hardware && missing == hardware)
		pipa_stat_note(notes,
			       "no hardware event works on this machine (no PMU, e.g. in a virtual "
			       "machine). See pipa doctor.");
	if (squeezed)
		pipa_root_read_u64(root, PIPA_PROC, &watchdog, "sys/kernel/nmi_watchdog");
	if (watchdog)
		pipa_stat_note(
			notes,
			"the NMI watchdog uses one hardware counter. Free it with: sudo sysctl "
			"kernel.nmi_watchdog=0");
}

void pipa_stat_notes_make(struct pipa_stat_notes *notes, const struct pipa_stat *stat,
			  const struct pipa_events *events, struct pipa_root *root)
{
	note_permissions(notes, stat, events);
	note_hardware(notes, stat, events, root);
	if (stat->late)
		pipa_stat_note(notes, "%llu interval%s missed and merged into the next one",
			       (unsigned long long)stat->late, pipa_str_plural(stat->late));
}
