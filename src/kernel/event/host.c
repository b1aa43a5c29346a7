#include "kernel/event/host.h"

#include "kernel/event/perf_event.h"
#include "kernel/machine/root.h"

int pipa_host_open(struct pipa_host *ret, struct pipa_error *err)
{
	*ret = (struct pipa_host){ .perf = &pipa_perf_live };
	return pipa_root_open(NULL, &ret->root, err);
}

void pipa_host_close(struct pipa_host *host)
{
	pipa_root_close(host->root);
	host->root = NULL;
}
