/*
 * Files of a task. The first byte chooses the file, the rest is its text: for any text the name
 * ends, a refused text leaks nothing, and the same text gives the same result twice.
 */
#include "fuzz.h"
#include "kernel/process/task_text.h"

static const struct pipa_task_units units = { .tick_ns = 10000000, .page_bytes = 4096 };

static bool parse(unsigned int which, const uint8_t *data, size_t size, struct pipa_task_stat *task)
{
	char *text = malloc(size ? size : 1); /* exact: a read past the end is seen */
	bool known = true;

	MUST(text);
	memcpy(text, data, size);
	pipa_task_stat_clear(task);
	if (which == 0)
		known = pipa_task_parse_stat(text, size, &units, task);
	else if (which == 1)
		pipa_task_parse_status(text, size, task);
	else if (which == 2)
		pipa_task_parse_io(text, size, task);
	else
		pipa_task_parse_schedstat(text, size, task);
	free(text);
	return known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_task_stat task, again;

	if (!size)
		return 0;
	if (!parse(data[0] % 4, data + 1, size - 1, &task))
		MUST(!task.tid && !task.comm[0]);
	MUST(memchr(task.comm, '\0', sizeof(task.comm)));
	parse(data[0] % 4, data + 1, size - 1, &again);
	MUST(memcmp(&task, &again, sizeof(task)) == 0);
	return 0;
}
