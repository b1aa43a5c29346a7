#include "analyze/series/instance_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/str.h"
#include "model/hardware.h"

enum { MAX_ENTRY = 128 };

static bool is_number(const char *text, uint64_t *ret)
{
	return *text >= '0' && *text <= '9' && !strchr(text, 'x') && pipa_str_u64(text, ret) == 0;
}

/* Parse "0-3". */
static bool is_range(const char *text, uint64_t *ret_first, uint64_t *ret_last)
{
	const char *dash = strchr(text, '-');
	char first[32];

	if (!dash || dash == text || (size_t)(dash - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(dash - text));
	first[dash - text] = '\0';
	return is_number(first, ret_first) && is_number(dash + 1, ret_last) &&
	       *ret_first <= *ret_last;
}

static bool entry_selects(const char *entry, const char *instance,
			  const struct pipa_hardware *hardware)
{
	static const char node_prefix[] = "numa_node_";
	uint64_t number, first, last, node;
	bool numeric = is_number(instance, &number);

	if (*entry == '^')
		return strcmp(entry + 1, instance) == 0;
	if (is_range(entry, &first, &last))
		return numeric && number >= first && number <= last;
	if (is_number(entry, &first))
		return numeric ? number == first : strstr(instance, entry) != NULL;
	if (strncmp(entry, node_prefix, sizeof(node_prefix) - 1) == 0 &&
	    is_number(entry + sizeof(node_prefix) - 1, &node) && numeric && hardware)
		return number < PIPA_CPU_MAX &&
		       pipa_hardware_node_of(hardware, (int)number) == (int)node;
	return strcasestr(instance, entry) != NULL;
}

bool pipa_instance_selected(const char *list, const char *instance,
			    const struct pipa_hardware *hardware)
{
	bool any = false;
	char entry[MAX_ENTRY];

	while (*list) {
		size_t len = strcspn(list, ","), skip = strspn(list, " \t");
		const char *next = list + len + (list[len] == ',');

		if (skip < len) {
			size_t end = len;

			while (list[end - 1] == ' ' || list[end - 1] == '\t')
				end--;
			any = true;
			if (end - skip < sizeof(entry)) {
				memcpy(entry, list + skip, end - skip);
				entry[end - skip] = '\0';
				if (entry_selects(entry, instance, hardware))
					return true;
			}
		}
		list = next;
	}
	return !any;
}

int pipa_instance_compare(const char *a, const char *b)
{
	uint64_t x, y;
	bool numeric_a = is_number(a, &x), numeric_b = is_number(b, &y);

	if (numeric_a && numeric_b)
		return x < y ? -1 : x > y;
	if (numeric_a != numeric_b)
		return numeric_a ? -1 : 1;
	return strcmp(a, b);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int pipa_instance_list(const char *const *names, size_t n, struct pipa_buf *out)
{
	PIPA_AUTO(free) uint64_t *numbers = n ? malloc(n * sizeof(*numbers)) : NULL;
	const char *separator = "";
	size_t i, k, count = 0;

	if (n && !numbers)
		return -ENOMEM;
	if (!n)
		pipa_buf_puts(out, "None");
	for (i = 0; i < n; i++) {
		if (is_number(names[i], &numbers[count])) {
			count++;
			continue;
		}
		pipa_buf_printf(out, "%s%s", separator, names[i]);
		separator = ",";
	}
	if (count)
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
	for (i = 0; i < count; i = k + 1) {
		for (k = i; k + 1 < count && numbers[k + 1] <= numbers[k] + 1; k++)
			;
		if (numbers[k] == numbers[i])
			pipa_buf_printf(out, "%s%" PRIu64, separator, numbers[i]);
		else
			pipa_buf_printf(out, "%s%" PRIu64 "-%" PRIu64, separator, numbers[i],
					numbers[k]);
		separator = ",";
	}
	return out->status;
}
