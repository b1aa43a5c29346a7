#include "job/remote/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "base/buf.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"

/* Count the distinct values of key() among the places before `n`; is the n-th a new one? */
static bool is_first(const struct pipa_cpu_place *places, size_t n, bool with_core)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (places[i].socket == places[n].socket &&
		    (!with_core ||
		     (places[i].die == places[n].die && places[i].core == places[n].core)))
			return false;
	return true;
}

static char *describe_cpus(struct pipa_root *root)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	struct pipa_cpu_place *places;
	size_t i, sockets = 0, cores = 0;
	char *text = NULL;

	if (pipa_topology_online(root, &online, NULL) < 0 || !online.n)
		return NULL;
	places = calloc(online.n, sizeof(*places));
	if (places && pipa_topology_places(root, &online, places) == 0) {
		for (i = 0; i < online.n; i++) {
			sockets += is_first(places, i, false);
			cores += is_first(places, i, true);
		}
		if (asprintf(&text, "%zu*%zu*%zu", sockets, (cores + sockets - 1) / sockets,
			     (online.n + cores - 1) / cores) < 0)
			text = NULL;
	}
	free(places);
	return text;
}

static char *describe_model(struct pipa_root *root)
{
	static const char key[] = "model name";
	char text[4096];
	struct utsname name;
	const char *at;
	size_t len;

	if (pipa_root_read(root, PIPA_PROC, text, sizeof(text), "cpuinfo") > 0) {
		at = strstr(text, key);
		at = at ? strchr(at, ':') : NULL;
		at = at ? at + 1 + strspn(at + 1, " \t") : "";
		len = strcspn(at, "\n");
		if (len)
			return strndup(at, len);
	}
	return uname(&name) == 0 ? strdup(name.machine) : NULL;
}

void pipa_machine_texts_read(struct pipa_root *root, struct pipa_machine_texts *ret)
{
	ret->hw_info = describe_cpus(root);
	ret->platform = describe_model(root);
}

void pipa_machine_texts_done(struct pipa_machine_texts *texts)
{
	free(texts->hw_info);
	free(texts->platform);
	*texts = (struct pipa_machine_texts){ 0 };
}
