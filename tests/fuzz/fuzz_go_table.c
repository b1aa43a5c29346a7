/*
 * Any bytes as Go's table of functions: each is after its name, sizes and lines are within bounds,
 * and asking for the line of a function's start finds nothing or a file that ends. The depth of
 * the stack is a number of whole words.
 */
#include "fuzz.h"
#include "symbol/table/go_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_go_function f;
	struct pipa_go_table t;
	const char *file;
	uint32_t line, depth;
	size_t i;

	if (!pipa_go_table_init(&t, (struct pipa_span){ data, size }))
		return 0;
	MUST(t.n && t.n <= size);
	for (i = 0; i < t.n; i++) {
		if (!pipa_go_table_get(&t, i, &f))
			continue;
		MUST(f.size && f.name < t.names.size && f.record <= t.functions.size);
		if (i < 64 && pipa_go_table_line(&t, f.start + f.size / 2, &file, &line)) {
			MUST((const uint8_t *)file >= data && (const uint8_t *)file < data + size);
			MUST(strlen(file) < size && line);
		}
	}
	for (i = 0; i < 64 && i < t.n; i++) {
		struct pipa_go_function at;

		if (!pipa_go_table_get(&t, i, &f) ||
		    !pipa_go_table_depth(&t, f.start + f.size / 2, &at, &depth))
			continue;
		MUST(depth <= INT32_MAX && depth % t.word == 0);
		MUST(f.start + f.size / 2 - at.start < at.size);
		MUST(strlen(pipa_go_table_name(&t, &at)) < size);
	}
	MUST(!pipa_go_table_get(&t, t.n, &f));
	return 0;
}
