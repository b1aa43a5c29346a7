#include "job/view/script_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

void pipa_script_filter_done(struct pipa_script_filter *filter)
{
	free(filter->pids.items);
	free(filter->tids.items);
	pipa_cpus_done(&filter->cpus);
	*filter = (struct pipa_script_filter){ 0 };
}

int pipa_script_ids_parse(const char *text, struct pipa_script_ids *ids, struct pipa_error *err)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		char number[16] = "";
		uint64_t value;
		uint32_t *slot;

		if (len && len < sizeof(number))
			memcpy(number, text, len);
		if (pipa_str_u64(number, &value) < 0 || value > INT32_MAX)
			return pipa_refuse(err, -EINVAL, "invalid ID '%.*s'", (int)len, text);
		slot = PIPA_VEC_ADD(ids);
		if (!slot)
			return pipa_fail(err, -ENOMEM, "list the ids");
		*slot = (uint32_t)value;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

static bool is_among(const struct pipa_script_ids *ids, uint32_t id)
{
	size_t i;

	for (i = 0; i < ids->n && ids->items[i] != id; i++)
		;
	return !ids->n || i < ids->n;
}

bool pipa_script_filter_id(const struct pipa_script_filter *f, const struct pipa_rec_id *id)
{
	if (!is_among(&f->pids, id->pid) || !is_among(&f->tids, id->tid))
		return false;
	return !f->cpus.n || (id->cpu < PIPA_CPU_MAX && pipa_cpus_has(&f->cpus, (int)id->cpu));
}

bool pipa_script_filter_comm(const struct pipa_script_filter *f, const char *comm)
{
	const char *at = f->comms;
	size_t len = strlen(comm);

	while (at && *at) {
		size_t n = strcspn(at, ",");

		if (n == len && memcmp(at, comm, n) == 0)
			return true;
		at += n + (at[n] == ',');
	}
	return !f->comms;
}
