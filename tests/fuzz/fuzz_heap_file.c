/*
 * The file that a measured process shares with pipa and can overwrite: the input is a list of changes of a valid
 * file, each an offset (3 bytes), a length (1 byte) and bytes. The result is valid, or the file is refused.
 */
#include <errno.h>

#include "collect/heap/heap_file.h"
#include "fuzz.h"
#include "lib/heap_image.h"
#include "model/heaps.h"

enum { HEAD = 4 };

static void overwrite(struct heap_image *image, const uint8_t *data, size_t size)
{
	uint8_t *file = (uint8_t *)image->file.data;

	while (size >= HEAD) {
		size_t at = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) %
			    image->file.size;
		size_t length = data[3];

		data += HEAD;
		size -= HEAD;
		if (length > size)
			length = size;
		if (length > image->file.size - at)
			length = image->file.size - at;
		memcpy(file + at, data, length);
		data += length;
		size -= length;
	}
}

static void look(const struct pipa_heaps *heaps)
{
	const struct pipa_heaps_process *p = &heaps->processes.items[0];
	uint64_t inuse = 0;
	size_t i;

	MUST(heaps->processes.n == 1);
	MUST(p->stacks + p->n_stacks == heaps->stacks.n);
	MUST(p->modules + p->n_modules == heaps->modules.n);
	MUST(p->blocks + p->n_blocks == heaps->blocks.n);
	MUST(p->end_ns >= p->start_ns);
	MUST(p->rate > 0);
	for (i = 0; i < heaps->stacks.n; i++) {
		const struct pipa_heaps_stack *stack = &heaps->stacks.items[i];

		MUST((uint64_t)stack->frames + stack->n_frames <= heaps->frames.n);
		MUST(stack->why < PIPA_STACK_END_NR);
		MUST(stack->inuse.bytes <= INT64_MAX - inuse);
		inuse += stack->inuse.bytes;
	}
	for (i = 0; i < heaps->blocks.n; i++) {
		MUST(heaps->blocks.items[i].stack < heaps->stacks.n);
		MUST(heaps->blocks.items[i].amount.bytes <= INT64_MAX);
	}
	for (i = 0; i < heaps->modules.n; i++)
		MUST(heaps->modules.items[i].start < heaps->modules.items[i].end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_heap_file file = { 0 };
	struct pipa_heap_file_info info;
	struct pipa_heaps heaps = { 0 };
	struct heap_image image;
	int rc;

	heap_image_example(&image);
	overwrite(&image, data, size);
	file.bytes = image.file;
	rc = pipa_heap_file_decode(&file, &heaps, &info, NULL);
	MUST(rc == 0 || rc == -EAGAIN || rc == -EBADMSG);
	if (!rc)
		look(&heaps);
	else
		MUST(!heaps.processes.n && !heaps.stacks.n && !heaps.blocks.n);
	pipa_heaps_done(&heaps);
	heap_image_free(&image);
	return 0;
}
