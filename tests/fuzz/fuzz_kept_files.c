/* The section of kept files of a recording: any bytes give members that lie within them, or none. */
#include "base/file/bytes.h"
#include "fuzz.h"
#include "locate/bundle_files.h"
#include "locate/files.h"
#include "locate/kept_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "x", ".debug/.build-id/ab/cd/elf",
					     "file/8:1:4711/app" };
	struct pipa_memory memory = { data, size };
	struct pipa_bytes bytes = pipa_bytes_of_memory(&memory);
	struct pipa_bundle_files *pack = NULL;
	uint64_t offset, length;
	struct pipa_span span;
	size_t i;

	if (pipa_kept_files_open(&bytes, 0, size, false, &pack) < 0)
		return 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!pipa_bundle_files_find(pack, names[i], &offset, &length))
			continue;
		MUST(offset <= size && length <= size - offset);
		if (pipa_bundle_files_map(pack, names[i], &span)) {
			MUST(span.size == length);
			pipa_locate_unmap(&span);
		}
	}
	pipa_bundle_files_free(pack);
	return 0;
}
