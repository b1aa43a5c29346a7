#include "job/remote/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "base/buf.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"

/* Does no CPU before the n-th have the same socket, or with `with_core` the same core? */
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

static int describe_cpus(struct pipa_root *root, char **ret)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	PIPA_AUTO(free) struct pipa_cpu_place *places = NULL;
	size_t i, sockets = 0, cores = 0;
	int rc = pipa_topology_online(root, &online, NULL);

	if (rc < 0 || !online.n)
		return rc;
	places = calloc(online.n, sizeof(*places));
	if (!places)
		return -ENOMEM;
	rc = pipa_topology_places(root, &online, places);
	if (rc < 0)
		return rc;
	for (i = 0; i < online.n; i++) {
		sockets += is_first(places, i, false);
		cores += is_first(places, i, true);
	}
	if (asprintf(ret, "%zu*%zu*%zu", sockets, (cores + sockets - 1) / sockets,
		     (online.n + cores - 1) / cores) < 0) {
		*ret = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int describe_model(struct pipa_root *root, char **ret)
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
		if (len) {
			*ret = strndup(at, len);
			return *ret ? 0 : -ENOMEM;
		}
	}
	if (uname(&name) < 0)
		return 0;
	*ret = strdup(name.machine);
	return *ret ? 0 : -ENOMEM;
}

int pipa_machine_texts_read(struct pipa_root *root, struct pipa_machine_texts *ret)
{
	struct pipa_machine_texts texts = { 0 };

	if (describe_cpus(root, &texts.hw_info) == -ENOMEM ||
	    describe_model(root, &texts.platform) == -ENOMEM) {
		pipa_machine_texts_done(&texts);
		return -ENOMEM;
	}
	*ret = texts;
	return 0;
}

void pipa_machine_texts_done(struct pipa_machine_texts *texts)
{
	free(texts->hw_info);
	free(texts->platform);
	*texts = (struct pipa_machine_texts){ 0 };
}
