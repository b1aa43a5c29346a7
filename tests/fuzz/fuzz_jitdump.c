/* Any bytes as a jitdump: sorted code with names that end, found again at its own time and place. */
#include "fuzz.h"
#include "symbol/table/jitdump.h"

static void read_lines(const struct pipa_jitdump *jit, const struct pipa_jit_code *code,
		       size_t size)
{
	struct pipa_cursor lines = pipa_jit_lines(jit, code);
	struct pipa_jit_line line = { 0 };

	while (pipa_jit_line_next(&lines, &line))
		MUST(strlen(line.file) <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_jitdump jit;
	size_t i;

	if (pipa_jitdump_init(&jit, (struct pipa_span){ data, size }, NULL) < 0)
		return 0;
	for (i = 0; i < jit.n; i++) {
		const struct pipa_jit_code *code = &jit.codes[i], *found;

		MUST(strlen(code->name) < size && code->bytes.size <= size);
		MUST(!i || jit.codes[i - 1].addr <= code->addr);
		found = pipa_jitdump_find(&jit, code->addr, code->time);
		MUST(found && found->time == code->time);
		MUST(code->addr - found->addr < found->size);
		found = pipa_jitdump_at(&jit,
					pipa_jit_code_place(code, code->addr + code->size - 1));
		MUST(found && found->place == code->place && code->place < size);
		read_lines(&jit, code, size);
	}
	pipa_jitdump_done(&jit);
	return 0;
}
