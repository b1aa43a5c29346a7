#include "model/event.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static void event_done(struct pipa_event *event)
{
	free(event->name);
	free(event->key);
	free(event->pmu);
	free(event->sum);
	free(event->filter);
	pipa_cpus_done(&event->cpus);
}

void pipa_events_done(struct pipa_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		event_done(&events->items[i]);
	free(events->items);
	*events = (struct pipa_events){ 0 };
}

/* Duplicate a string that may be NULL. Sets *ok to false on allocation failure. */
static char *copy_text(const char *text, bool *ok)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*ok = false;
	return copy;
}

struct pipa_event *pipa_events_add_copy(struct pipa_events *events, const struct pipa_event *from)
{
	struct pipa_event copy = *from, *slot;
	bool ok = true;

	copy.cpus = (struct pipa_cpus){ 0 };
	copy.name = copy_text(from->name, &ok);
	copy.key = copy_text(from->key, &ok);
	copy.pmu = copy_text(from->pmu, &ok);
	copy.sum = copy_text(from->sum, &ok);
	copy.filter = copy_text(from->filter, &ok);
	if (pipa_cpus_copy(&from->cpus, &copy.cpus) < 0)
		ok = false;
	slot = ok ? PIPA_VEC_ADD(events) : NULL;
	if (!slot) {
		event_done(&copy);
		return NULL;
	}
	*slot = copy;
	slot->leader = slot->family = events->n - 1;
	return slot;
}

int pipa_event_rename(struct pipa_event *event, const char *fmt, ...)
{
	char *name;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&name, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	free(event->name);
	event->name = name;
	return 0;
}
