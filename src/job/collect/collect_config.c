#include "job/collect/collect_config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "job/collect/collect.h"
#include "job/config.h"
#include "kernel/event/host.h"

struct pipa_collect_config {
	struct pipa_config config;
	struct pipa_buf events;	      /* usable events of events_stat, comma-separated */
	struct pipa_buf event_remark; /* events of the file that are left out */
	struct pipa_buf record_remark;
	const char *remarks[5];
	size_t n_remarks;
};

void pipa_collect_config_close(struct pipa_collect_config *c)
{
	if (!c)
		return;
	pipa_config_done(&c->config);
	pipa_buf_done(&c->events);
	pipa_buf_done(&c->event_remark);
	pipa_buf_done(&c->record_remark);
	free(c);
}

static void add_remark(struct pipa_collect_config *c, const char *text)
{
	if (c->n_remarks < PIPA_COUNT(c->remarks))
		c->remarks[c->n_remarks++] = text;
}

/* Join the events of events_stat that can be counted. */
static int apply_events(struct pipa_collect_config *c, struct pipa_root *root,
			struct pipa_collect_options *o)
{
	size_t i;

	for (i = 0; !o->events && i < c->config.events_stat.n; i++) {
		const char *text = c->config.events_stat.items[i];
		struct pipa_error why = { 0 };
		int rc = pipa_config_check_event(text, root, &why);

		if (rc < 0)
			return rc;
		if (rc)
			pipa_buf_printf(&c->events, "%s%s", c->events.len ? "," : "", text);
		else
			pipa_buf_printf(&c->event_remark, "%s%s",
					c->event_remark.len ? ", " : "events_stat: ", why.what);
	}
	if (c->event_remark.len) {
		pipa_buf_puts(&c->event_remark,
			      c->events.len ? "; skipped" : "; default events are counted");
		add_remark(c, pipa_buf_str(&c->event_remark));
	}
	if (c->events.len)
		o->events = pipa_buf_str(&c->events);
	return c->events.status ? c->events.status : c->event_remark.status;
}

static int apply_record_events(struct pipa_collect_config *c, struct pipa_root *root,
			       struct pipa_collect_options *o)
{
	const char *text = c->config.events_record;
	struct pipa_error why = { 0 };
	int rc;

	if (o->record_events || !text || !text[0])
		return 0;
	rc = pipa_config_check_event(text, root, &why);
	if (rc > 0)
		o->record_events = text;
	if (rc)
		return rc < 0 ? rc : 0;
	pipa_buf_printf(&c->record_remark, "events_record: %s; sampling cpu-clock", why.what);
	add_remark(c, pipa_buf_str(&c->record_remark));
	return c->record_remark.status;
}

/* Set a duration that was not given; -1 of the file: until a signal ends the collection. */
static void apply_duration(struct pipa_collect_options *o, int64_t seconds, uint64_t *ret_ns)
{
	if (*ret_ns)
		return;
	if (seconds > 0)
		*ret_ns = (uint64_t)seconds * PIPA_NS_PER_SEC;
	else if (seconds < 0)
		o->until_stopped = true;
}

static void apply_settings(struct pipa_collect_config *c, struct pipa_collect_options *o)
{
	const struct pipa_config *config = &c->config;

	if (!o->hz)
		o->hz = config->freq_record;
	if (!o->stat_interval_ns)
		o->stat_interval_ns = config->count_delta_stat * PIPA_NS_PER_MS;
	if (!o->output && !o->output_dir && config->workspace && config->workspace[0])
		o->output_dir = config->workspace;
	if (!o->no_stat)
		apply_duration(o, config->duration_stat, &o->stat_ns);
	if (!o->no_record)
		apply_duration(o, config->duration_record, &o->record_ns);
	if (config->use_emon)
		add_remark(c, "use_emon: emon is not used, pipa counts itself");
	if (config->run_by_perf)
		add_remark(c, "run_by_perf: the command is not started. Use pipa run --config");
}

int pipa_collect_config_open(const struct pipa_host *host, const char *path,
			     struct pipa_collect_options *o, struct pipa_collect_config **ret,
			     struct pipa_error *err)
{
	struct pipa_collect_config *c = calloc(1, sizeof(*c));
	int rc;

	*ret = c;
	if (!c)
		return pipa_fail(err, -ENOMEM, "read %s", path);
	rc = pipa_config_load(path, &c->config, err);
	if (rc < 0)
		return rc;
	apply_settings(c, o);
	rc = apply_events(c, host->root, o);
	if (!rc)
		rc = apply_record_events(c, host->root, o);
	o->remarks = c->remarks;
	o->n_remarks = c->n_remarks;
	return rc < 0 ? pipa_fail(err, rc, "read %s", path) : 0;
}
