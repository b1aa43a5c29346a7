/* Tracing data: any bytes give events whose fields can be shown of any sample. */
#include "base/buf.h"
#include "fuzz.h"
#include "perf/tracing.h"

static void show_all(const struct pipa_tracing *t, const uint8_t *data, size_t size)
{
	struct pipa_buf out = { 0 };
	size_t i, k;

	for (i = 0; i < t->events.n; i++) {
		MUST(t->events.items[i].first + t->events.items[i].n <= t->fields.n);
		MUST(pipa_tracing_find(t, t->events.items[i].id));
		for (k = 0; k < 3; k++) {
			pipa_trace_text(t, &t->events.items[i],
					(struct pipa_span){ data, size * k / 2 }, &out);
			MUST(!out.status);
			pipa_buf_reset(&out);
		}
	}
	pipa_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pipa_span bytes = { data, size };
	struct pipa_tracing t = { 0 };

	if (pipa_tracing_decode(bytes, &t) == 0)
		show_all(&t, data, size);
	pipa_tracing_done(&t);
	if (pipa_trace_format_decode(bytes, &t) == 0)
		show_all(&t, data, size);
	pipa_tracing_done(&t);
	return 0;
}
