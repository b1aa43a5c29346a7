/* Any text as a configuration file of pipad: entries are plain and unique, and a failure has a message with the name. */
#include "base/error.h"
#include "fuzz.h"
#include "import/flat_yaml.h"

enum { ENTRIES_MAX = 64, NAME_MAX_KEPT = 32 };

struct seen {
	char names[ENTRIES_MAX][NAME_MAX_KEPT];
	size_t n;
};

static int add(void *ctx, const char *key, const char *value, struct pipa_error *err)
{
	struct seen *seen = ctx;
	size_t i;

	MUST(key && value);
	if (strlen(key) >= NAME_MAX_KEPT || seen->n == ENTRIES_MAX)
		return 0;
	for (i = 0; i < seen->n; i++)
		MUST(strcmp(seen->names[i], key) != 0);
	memcpy(seen->names[seen->n++], key, strlen(key) + 1);
	return strcmp(key, "refuse") == 0 ? pipa_refuse(err, -22, "refused") : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = { .n = 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_flat_yaml_decode((const char *)data, size, "config", add, &seen, &err);

	MUST(rc <= 0);
	MUST(rc == 0 || strncmp(err.what, "config:", 7) == 0 ||
	     strncmp(err.what, "cannot", 6) == 0);
	return 0;
}
