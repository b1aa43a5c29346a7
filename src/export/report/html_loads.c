/* Loads of a page (web/README.md): CPUs with classes and groups, NUMA nodes, disks, file systems. */
#include <math.h>

#include "analyze/series/cpu_load.h"
#include "analyze/series/disk_load.h"
#include "base/cpus.h"
#include "export/report/html_report_own.h"
#include "model/context.h"
#include "model/hardware.h"

/* Return a threshold of the rules, or another value if they have none. */
static double threshold(const struct pipa_html_report *page, const char *name, double otherwise)
{
	const struct pipa_variable *variable = page->context ?
						       pipa_context_find(page->context, name) :
						       NULL;

	return variable && pipa_value_is_numeric(&variable->value) ? variable->value.number :
								     otherwise;
}

static void put_cpu(const struct pipa_html_report *page, const struct pipa_cpu_load *load,
		    struct pipa_doc *doc)
{
	bool is_all = !page->expected || !page->expected->n;

	pipa_doc_map(doc, NULL);
	pipa_doc_int(doc, "cpu", load->cpu);
	pipa_doc_double(doc, "user", load->user.mean);
	pipa_doc_double(doc, "system", load->system.mean);
	pipa_doc_double(doc, "iowait", load->iowait.mean);
	pipa_doc_double(doc, "idle", load->idle.mean);
	pipa_doc_double(doc, "total", load->total);
	pipa_doc_double(doc, "p95_user", load->user.p95);
	pipa_doc_double(doc, "p95_system", load->system.p95);
	pipa_doc_int(doc, "class", load->class);
	pipa_doc_u64(doc, "group", load->group);
	pipa_doc_bool(doc, "expected", is_all || pipa_cpus_has(page->expected, load->cpu));
	if (page->hardware)
		pipa_doc_int(doc, "node", pipa_hardware_node_of(page->hardware, load->cpu));
	pipa_doc_end(doc);
}

static void put_cpus(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	const struct pipa_cpu_loads *cpus = page->cpus;
	size_t i;

	if (!cpus)
		return;
	pipa_doc_map(doc, "cpus");
	pipa_doc_list(doc, "items");
	for (i = 0; i < cpus->n; i++)
		put_cpu(page, &cpus->items[i], doc);
	pipa_doc_end(doc);
	pipa_doc_u64(doc, "classes", cpus->classes);
	pipa_doc_list(doc, "groups");
	for (i = 0; i < cpus->n_groups; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_double(doc, "low", cpus->groups[i].low);
		pipa_doc_double(doc, "high", cpus->groups[i].high);
		pipa_doc_u64(doc, "cpus", cpus->groups[i].cpus);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	pipa_doc_map(doc, "thresholds");
	pipa_doc_double(doc, "idle",
			threshold(page, "CPU_CLUSTER_IDLE_THRESHOLD", PIPA_CPU_IDLE_PERCENT));
	pipa_doc_double(doc, "busy",
			threshold(page, "CPU_CLUSTER_BUSY_THRESHOLD", PIPA_CPU_BUSY_PERCENT));
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void put_disk(const struct pipa_disk_load *disk, struct pipa_doc *doc)
{
	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "name", disk->name);
	pipa_doc_str(doc, "medium", pipa_disk_medium_name(disk->medium));
	pipa_doc_double(doc, "util", disk->util.mean);
	pipa_doc_double(doc, "p95_util", disk->util.p95);
	pipa_doc_double(doc, "await", disk->await.mean);
	pipa_doc_double(doc, "p95_await", disk->await.p95);
	pipa_doc_double(doc, "await_limit", disk->await_limit_ms);
	pipa_doc_double(doc, "queue", disk->queue.mean);
	pipa_doc_double(doc, "request_kb", disk->request_kb.mean);
	pipa_doc_double(doc, "read_kb", disk->read_kb.mean);
	pipa_doc_double(doc, "written_kb", disk->written_kb.mean);
	pipa_doc_double(doc, "tps", disk->tps.mean);
	pipa_doc_bool(doc, "saturated", disk->is_saturated);
	pipa_doc_end(doc);
}

static void put_filesystem(const struct pipa_hardware_disk *disk, struct pipa_doc *doc)
{
	static const char *const capacities[] = { [PIPA_CAPACITY_OK] = "ok",
						  [PIPA_CAPACITY_WARNING] = "warning",
						  [PIPA_CAPACITY_CRITICAL] = "critical" };
	double used = (double)disk->size_bytes * disk->used_percent / 100;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "device", disk->name);
	pipa_doc_str(doc, "mount", disk->mount);
	pipa_doc_u64(doc, "size_bytes", disk->size_bytes);
	pipa_doc_double(doc, "used_bytes", floor(used + 0.5));
	pipa_doc_double(doc, "percent", disk->used_percent);
	pipa_doc_str(doc, "capacity", capacities[pipa_disk_capacity(disk)]);
	pipa_doc_end(doc);
}

void pipa_html_put_loads(const struct pipa_html_report *page, struct pipa_doc *doc)
{
	size_t i;

	put_cpus(page, doc);
	if (page->nodes) {
		pipa_doc_list(doc, "nodes");
		for (i = 0; i < page->n_nodes; i++) {
			pipa_doc_map(doc, NULL);
			pipa_doc_int(doc, "node", page->nodes[i].node);
			pipa_doc_u64(doc, "cpus", page->nodes[i].cpus);
			pipa_doc_double(doc, "total", page->nodes[i].total);
			pipa_doc_end(doc);
		}
		pipa_doc_end(doc);
	}
	if (page->disks) {
		pipa_doc_list(doc, "disks");
		for (i = 0; i < page->disks->n; i++)
			put_disk(&page->disks->items[i], doc);
		pipa_doc_end(doc);
	}
	if (page->hardware) {
		pipa_doc_list(doc, "filesystems");
		for (i = 0; i < page->hardware->disks.n; i++)
			if (page->hardware->disks.items[i].mount)
				put_filesystem(&page->hardware->disks.items[i], doc);
		pipa_doc_end(doc);
	}
}
