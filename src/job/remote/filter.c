#include "job/remote/filter.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "job/remote/remote.h"

void pipa_remote_filter_message(const struct pipa_remote_filter *filter,
				struct pipa_store_label *labels, struct pipa_store_filter *ret)
{
	size_t i;

	*ret = (struct pipa_store_filter){
		.table = pipa_span_of(filter->table),
		.hash = pipa_span_of(filter->hash),
		.workload = pipa_span_of(filter->workload),
		.platform = pipa_span_of(filter->platform),
		.username = pipa_span_of(filter->username),
		.since_us = filter->since_us,
		.until_us = filter->until_us,
		.where = pipa_span_of(filter->where),
	};
	ret->labels.items = labels;
	ret->labels.n = filter->n_labels;
	for (i = 0; i < filter->n_labels; i++) {
		const char *equal = strchrnul(filter->labels[i], '=');

		labels[i].key = (struct pipa_span){ (const uint8_t *)filter->labels[i],
						    (size_t)(equal - filter->labels[i]) };
		labels[i].value = *equal ? pipa_span_of(equal + 1) : (struct pipa_span){ 0 };
	}
}

int pipa_remote_hint_tables(struct pipa_remote *server, const char *table, struct pipa_error *err)
{
	static const struct pipa_remote_method method = {
		.verb = "list the tables",
		.path = "/" PIPA_STORE_SERVICE "/ListTables",
		.request = &pipa_store_list_tables_request_message,
		.response = &pipa_store_list_tables_response_message,
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf reply = { 0 };
	const struct pipa_store_list_tables_request request = { 0 };
	struct pipa_store_list_tables_response response;
	struct pipa_nearest near = { .wanted = table };
	struct pipa_proto_memory memory = { 0 };
	char name[PIPA_NEAREST_LEN], hint[256];
	size_t i;

	if (pipa_remote_ask(server, &method, &request, &reply, &memory, &response, NULL, NULL) ==
	    0) {
		for (i = 0; i < response.tables.n; i++) {
			snprintf(name, sizeof(name), "%.*s",
				 (int)response.tables.items[i].name.size,
				 (const char *)response.tables.items[i].name.data);
			pipa_nearest_offer(&near, name);
		}
		if (pipa_nearest_hint(&near, hint, sizeof(hint))[0])
			pipa_hint(err, "%s", hint);
		else if (response.tables.n == 1)
			pipa_hint(err, "the server has one table: %s", name);
	}
	pipa_proto_memory_done(&memory);
	return err->code;
}
