#include "job/run/run_config.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "job/config.h"
#include "job/run/run.h"
#include "kernel/event/host.h"
#include "kernel/machine/topology.h"
#include "measure/count/count_plan.h"
#include "model/run.h"

struct pipa_run_config {
	struct pipa_run_options options; /* those given, completed from the file */
	struct pipa_config config;
	char *command; /* split into words, or unsplit for a shell */
	struct {
		char **items;
		size_t n, cap;
	} words;
	struct {
		struct pipa_event_arg *items;
		size_t n, cap;
	} events;
	char *cores;		 /* as a CPU list */
	char *folder;		 /* directory of perf_stat_path */
	struct pipa_cpus pin;	 /* CPUs of core_range that are online */
	char *online;		 /* note on core_range */
	struct pipa_buf lacking; /* note on events_stat */
	const char *remarks[4];
	size_t n_remarks;
};

void pipa_run_config_close(struct pipa_run_config *c)
{
	if (!c)
		return;
	pipa_config_done(&c->config);
	free(c->command);
	free(c->words.items);
	free(c->events.items);
	free(c->cores);
	free(c->folder);
	pipa_cpus_done(&c->pin);
	free(c->online);
	pipa_buf_done(&c->lacking);
	free(c);
}

static void add_remark(struct pipa_run_config *c, const char *text)
{
	if (c->n_remarks < PIPA_COUNT(c->remarks))
		c->remarks[c->n_remarks++] = text;
}

/* ---- what is run --------------------------------------------------------------------------------- */

static int add_word(struct pipa_run_config *c, char *word)
{
	char **slot = PIPA_VEC_ADD(&c->words);

	if (!slot)
		return -ENOMEM;
	*slot = word;
	return 0;
}

/* Split the command into words; if it has shell syntax, run it with a shell, as PIPA does. */
static int apply_command(struct pipa_run_config *c, struct pipa_run_options *o)
{
	static char shell[] = "sh", flag[] = "-c";
	char *rest = NULL, *word;
	int rc = 0;

	c->command = strdup(c->config.command);
	if (!c->command)
		return -ENOMEM;
	if (strpbrk(c->command, "|&;<>()$`\\\"'*?[]#~=%!{}\n")) {
		if (add_word(c, shell) || add_word(c, flag) || add_word(c, c->command))
			return -ENOMEM;
	} else {
		for (word = strtok_r(c->command, " \t", &rest); !rc && word;
		     word = strtok_r(NULL, " \t", &rest))
			rc = add_word(c, word);
	}
	if (!rc && c->words.n && !add_word(c, NULL))
		o->command = c->words.items;
	return rc;
}

static int apply_source(struct pipa_run_config *c, struct pipa_run_options *o)
{
	const struct pipa_config *config = &c->config;

	if (o->command || o->n_commands || o->from)
		return 0;
	if (config->command && config->command[0])
		return apply_command(c, o);
	if (config->data_location) {
		o->from = config->data_location;
		return 0;
	}
	if (!config->perf_stat_path && !config->sar_path)
		return 0;
	c->folder = strdup(config->perf_stat_path ? config->perf_stat_path : config->sar_path);
	if (!c->folder)
		return -ENOMEM;
	o->from = dirname(c->folder);
	o->from_stat = config->perf_stat_path;
	o->from_sar = config->sar_path;
	return 0;
}

/* ---- where ---------------------------------------------------------------------------------------- */

static int list_cpus(const struct pipa_cpus *cpus, char **ret)
{
	struct pipa_buf text = { 0 };
	size_t i;

	for (i = 0; i < cpus->n; i++)
		pipa_buf_printf(&text, "%s%d", i ? "," : "", cpus->items[i]);
	*ret = pipa_buf_take(&text);
	return *ret ? 0 : -ENOMEM;
}

/* Set the affinity from core_range, which may include CPUs that this machine does not have. */
static int apply_affinity(struct pipa_run_config *c, struct pipa_root *root,
			  struct pipa_run_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	PIPA_AUTO(free) char *list = NULL;
	int rc = pipa_topology_online(root, &online, err);

	if (rc < 0)
		return rc;
	if (pipa_cpus_common(&c->config.core_range, &online, &c->pin) < 0)
		return -ENOMEM;
	if (!c->pin.n)
		return pipa_refuse(err, -EINVAL, "core_range: none of its CPUs is online");
	o->pin = &c->pin;
	if (c->pin.n == c->config.core_range.n)
		return 0;
	if (list_cpus(&c->pin, &list) < 0)
		return -ENOMEM;
	if (asprintf(&c->online, "only CPU %s of core_range %s online", list,
		     c->pin.n == 1 ? "is" : "are") < 0)
		c->online = NULL;
	if (c->online)
		add_remark(c, c->online);
	return c->online ? 0 : -ENOMEM;
}

/* Set the reported CPUs: those named, or those of the affinity. */
static int apply_cpus(struct pipa_run_config *c, struct pipa_root *root, struct pipa_run_options *o,
		      struct pipa_error *err)
{
	const struct pipa_cpus *cores = &c->config.cores;
	int rc = 0;

	if (c->config.use_taskset && c->config.core_range.n && !o->from)
		rc = apply_affinity(c, root, o, err);
	if (!cores->n)
		cores = &c->pin;
	if (!rc && !o->cores && cores->n) {
		rc = list_cpus(cores, &c->cores);
		o->cores = c->cores;
	}
	return rc;
}

/* ---- how ----------------------------------------------------------------------------------------- */

static int add_events(struct pipa_run_config *c, struct pipa_root *root)
{
	size_t i;

	for (i = 0; i < c->config.events_stat.n; i++) {
		const char *text = c->config.events_stat.items[i];
		struct pipa_error why = { 0 };
		int rc = pipa_config_check_event(text, root, &why);
		struct pipa_event_arg *slot = rc > 0 ? PIPA_VEC_ADD(&c->events) : NULL;

		if (rc < 0 || (rc > 0 && !slot))
			return -ENOMEM;
		if (slot)
			*slot = (struct pipa_event_arg){ .text = text };
		else
			pipa_buf_printf(&c->lacking, "%s%s",
					c->lacking.len ? ", " : "events_stat: ", why.what);
	}
	return 0;
}

static int apply_events(struct pipa_run_config *c, struct pipa_root *root,
			struct pipa_run_options *o)
{
	int rc;

	if (o->n_events || o->from || !c->config.events_stat.n)
		return 0;
	rc = add_events(c, root);
	if (c->lacking.len) {
		pipa_buf_puts(&c->lacking,
			      c->events.n ? "; skipped" : "; default events are counted");
		add_remark(c, pipa_buf_str(&c->lacking));
	}
	if (c->events.n) {
		o->events = c->events.items;
		o->n_events = c->events.n;
	}
	return rc ? rc : c->lacking.status;
}

static void apply_strings(const struct pipa_config *config, struct pipa_run_options *o)
{
	if (!o->workload)
		o->workload = config->workload;
	if (!o->dev)
		o->dev = config->dev;
	if (isnan(o->transactions) && !o->expression &&
	    pipa_config_has(config, PIPA_CONFIG_TRANSACTION)) {
		o->transactions = (double)config->transaction;
		o->given_by = "transaction of --config";
	}
	if (isnan(o->mhz) && config->cpu_frequency_mhz > 0)
		o->mhz = config->cpu_frequency_mhz;
	if (!o->interval_ns)
		o->interval_ns = config->count_delta_stat * PIPA_NS_PER_MS;
	if (!o->hz)
		o->hz = config->freq_record;
	o->hw_info = config->hw_info;
	o->sw_info = config->sw_info;
	o->platform = config->platform;
	o->comment = config->comment;
}

/*
 * Apply the settings of the measurement: directory, sampled event, duration. duration_stat does not
 * limit the counters, which are read until the command ends, so that they cover all of it.
 */
static void apply_measurement(struct pipa_run_config *c, struct pipa_run_options *o)
{
	const struct pipa_config *config = &c->config;

	if (config->use_emon)
		add_remark(c, "use_emon: emon is not used, pipa counts itself");
	if (o->from)
		return;
	if (!o->keep && config->workspace && config->workspace[0])
		o->keep = config->workspace;
	if (config->events_record && config->events_record[0])
		o->sample_events = config->events_record;
	if (config->duration_record > 0)
		o->sample_ns = (uint64_t)config->duration_record * PIPA_NS_PER_SEC;
	if (config->duration_stat > 0)
		o->stat_ns = (uint64_t)config->duration_stat * PIPA_NS_PER_SEC;
}

int pipa_run_config_open(const struct pipa_host *host, const char *path,
			 const struct pipa_run_options *given, struct pipa_run_config **ret,
			 struct pipa_error *err)
{
	struct pipa_run_config *c = calloc(1, sizeof(*c));
	struct pipa_run_options *o = c ? &c->options : NULL;
	struct pipa_error own = { 0 };
	int rc;

	err = err ? err : &own;
	if (!c)
		return pipa_fail(err, -ENOMEM, "read %s", path);
	*o = *given;
	*ret = c;
	rc = pipa_config_load(path, &c->config, err);
	if (rc < 0)
		return rc;
	apply_strings(&c->config, o);
	rc = apply_source(c, o);
	apply_measurement(c, o);
	if (!rc)
		rc = apply_cpus(c, host->root, o, err);
	if (!rc)
		rc = apply_events(c, host->root, o);
	o->remarks = c->remarks;
	o->n_remarks = c->n_remarks;
	return rc < 0 && !err->code ? pipa_fail(err, rc, "read %s", path) : rc;
}

const struct pipa_run_options *pipa_run_config_options(const struct pipa_run_config *c)
{
	return &c->options;
}

/* ---- the run ------------------------------------------------------------------------------------- */

static int copy_string(const char *from, char **ret)
{
	*ret = from ? strdup(from) : NULL;
	return from && !*ret ? -ENOMEM : 0;
}

int pipa_run_describe(const struct pipa_run_options *o, struct pipa_run *run)
{
	size_t i;
	int rc = 0;

	if (copy_string(o->hw_info, &run->hw_info) || copy_string(o->sw_info, &run->sw_info) ||
	    copy_string(o->platform, &run->platform) || copy_string(o->comment, &run->comment))
		return -ENOMEM;
	for (i = 0; !rc && i < o->n_remarks; i++)
		rc = pipa_run_note(run, "%s", o->remarks[i]);
	return rc;
}
