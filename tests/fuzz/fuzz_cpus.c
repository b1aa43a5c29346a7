/* CPU lists: what is taken is a sorted set that reads back as itself. */
#include "base/buf.h"
#include "base/cpus.h"
#include "base/error.h"
#include "fuzz.h"

enum { MAX_TEXT = 128 }; /* longer ones only repeat "0-65535," and take long */

/* The set as the kernel would write it. */
static void print(const struct pipa_cpus *cpus, struct pipa_buf *out)
{
	size_t i, last;

	for (i = 0; i < cpus->n; i = last + 1) {
		for (last = i;
		     last + 1 < cpus->n && cpus->items[last + 1] == cpus->items[last] + 1;)
			last++;
		pipa_buf_printf(out, "%s%d", i ? "," : "", cpus->items[i]);
		if (last > i)
			pipa_buf_printf(out, "-%d", cpus->items[last]);
	}
	pipa_buf_putc(out, '\n');
}

static void check_same(const struct pipa_cpus *a, const struct pipa_cpus *b)
{
	MUST(a->n == b->n);
	MUST(!a->n || memcmp(a->items, b->items, a->n * sizeof(*a->items)) == 0);
}

static void check_set(const struct pipa_cpus *cpus)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf printed = { 0 };
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus again = { 0 }, copy = { 0 };
	size_t i;

	for (i = 0; i < cpus->n; i++) {
		MUST(cpus->items[i] >= 0 && cpus->items[i] < PIPA_CPU_MAX);
		MUST(!i || cpus->items[i - 1] < cpus->items[i]);
	}
	MUST(!cpus->n || pipa_cpus_has(cpus, cpus->items[cpus->n / 2]));
	MUST(!pipa_cpus_has(cpus, -1) && !pipa_cpus_has(cpus, PIPA_CPU_MAX));

	print(cpus, &printed);
	MUST(pipa_cpus_parse(pipa_buf_str(&printed), &again, NULL) == 0);
	check_same(cpus, &again);
	MUST(pipa_cpus_copy(cpus, &copy) == 0);
	check_same(cpus, &copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size < MAX_TEXT ? size : MAX_TEXT);
	struct pipa_cpus cpus = { .n = 42 };
	struct pipa_error err = { 0 };

	if (pipa_cpus_parse(text, &cpus, &err) == 0) {
		MUST(err.code == 0);
		check_set(&cpus);
		pipa_cpus_done(&cpus);
	} else {
		MUST(cpus.n == 42 && !cpus.items);
		MUST(err.code < 0 && err.what[0] && err.hint[0]);
		MUST(pipa_cpus_parse(text, &cpus, NULL) < 0);
	}
	free(text);
	return 0;
}
