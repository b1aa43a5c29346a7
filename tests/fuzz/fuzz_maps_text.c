/*
 * /proc/PID/maps, /proc/modules, kallsyms and iomem, and notes with a build id: a byte selects the
 * file, then the text. Walks end, numbers are in order, and results are in the text.
 */
#include "fuzz.h"
#include "kernel/machine/build_id.h"
#include "kernel/text/maps_text.h"

static void walk_maps(const char *text)
{
	const char *end = text + strlen(text), *before;
	static struct pipa_map_line line;

	for (before = text; pipa_map_line_next(&text, &line); before = text) {
		MUST(text > before && text <= end);
		MUST(line.start < line.end);
		MUST(memchr(line.path, '\0', sizeof(line.path)));
	}
}

static void walk_modules(const char *text)
{
	const char *end = text + strlen(text), *before;
	struct pipa_module_line line;

	for (before = text; pipa_module_line_next(&text, &line); before = text) {
		MUST(text > before && text <= end);
		MUST(line.name[0] && memchr(line.name, '\0', sizeof(line.name)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[PIPA_BUILD_ID_BYTES], *notes;
	char *text;
	uint64_t at;
	int len;

	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	switch (data[0] & 3) {
	case 0: walk_maps(text); break;
	case 1: walk_modules(text); break;
	case 2:
		if (pipa_kallsyms_find(text, "_text", &at))
			MUST(at && strstr(text, " _text\n"));
		if (pipa_iomem_code_size(text))
			MUST(strstr(text, " : Kernel code"));
		break;
	default:
		notes = malloc(size);
		MUST(notes);
		memcpy(notes, data + 1, size - 1);
		len = pipa_build_id_of_notes(notes, size - 1, id);
		MUST(len < 0 || (len > 0 && len <= PIPA_BUILD_ID_BYTES));
		free(notes);
	}
	free(text);
	return 0;
}
