/* Resolve tracepoints, one or all that match. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "collect/count/resolve_own.h"
#include "kernel/event/tracepoint.h"
#include "kernel/machine/root.h"

static int add_tracepoint_id(struct pipa_resolving *r, const char *system, const char *name)
{
	struct pipa_event *event;
	uint64_t id;
	int rc = pipa_tracepoint_id(r->machine->root, system, name, &id);

	if (rc < 0)
		return rc;
	event = pipa_resolving_add(r, PIPA_EVENT_TRACEPOINT, PERF_TYPE_TRACEPOINT, id);
	if (!event ||
	    pipa_event_rename(event, "%s:%s%s%s", system, name, r->spec->has_mods ? ":" : "",
			      r->spec->has_mods ? pipa_resolving_mods(r->spec) : "") < 0)
		return pipa_resolving_no_memory(r);
	return pipa_resolving_set_key(r, event, event->name);
}

static int add_matching(void *ctx, const char *system, const char *name)
{
	int rc;

	if (strcmp(system, "ftrace") == 0) /* ftrace's own records: only by their full name */
		return 0;
	rc = add_tracepoint_id(ctx, system, name);
	return rc == -ENOENT ? 0 : rc; /* entries of ftrace and directories such as "enable" */
}

static int offer_tracepoint(void *ctx, const char *system, const char *name)
{
	char text[PIPA_NEAREST_LEN];

	if (snprintf(text, sizeof(text), "%s:%s", system, name) < (int)sizeof(text))
		pipa_nearest_offer(ctx, text);
	return 0;
}

static int tracepoint_failed(struct pipa_resolving *r, int code)
{
	struct pipa_nearest near = { 0 };
	struct pipa_event_name event;
	char wanted[PIPA_NEAREST_LEN], hint[200];

	if (pipa_event_name_find(r->spec->head, &event)) {
		pipa_refuse(r->err, -EINVAL, "unknown modifier '%s' in '%s'", r->spec->tail,
			    r->spec->text);
		return pipa_hint(r->err, "expected letters of: u k h G H I p P S D W e");
	}
	if (code == -EACCES || code == -EPERM) {
		pipa_fail(r->err, code, "look up tracepoint %s", r->spec->text);
		return pipa_hint(
			r->err,
			"run as root, or: sudo mount -o remount,mode=755 /sys/kernel/tracing");
	}
	if (pipa_root_dir(r->machine->root, PIPA_TRACE) < 0) {
		pipa_refuse(r->err, code, "tracepoint %s: tracefs is not mounted", r->spec->text);
		return pipa_hint(r->err,
				 "mount it with: sudo mount -t tracefs nodev /sys/kernel/tracing");
	}
	snprintf(wanted, sizeof(wanted), "%s:%s", r->spec->head, r->spec->tail);
	near.wanted = wanted;
	pipa_tracepoint_each(r->machine->root, "*", "*", offer_tracepoint, &near);
	pipa_refuse(r->err, -ENOENT, "unknown tracepoint '%s'", wanted);
	if (near.n)
		return pipa_hint(r->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(r->err, "list known ones with: pipa list tracepoint '%s:*'",
			 r->spec->head);
}

int pipa_resolving_tracepoint(struct pipa_resolving *r)
{
	const struct pipa_spec *spec = r->spec;
	size_t first = r->events->n;
	int rc;

	if (strpbrk(spec->head, "*?[") || strpbrk(spec->tail, "*?["))
		rc = pipa_tracepoint_each(r->machine->root, spec->head, spec->tail, add_matching,
					  r);
	else
		rc = add_tracepoint_id(r, spec->head, spec->tail);
	if (rc == 0 && r->events->n == first)
		rc = -ENOENT;
	return rc < 0 && rc != -ENOMEM ? tracepoint_failed(r, rc) : rc;
}
