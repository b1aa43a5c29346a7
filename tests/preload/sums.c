/*
 * Print the sums of all files of libpipa-heap.so in a directory, one KEY=VALUE a line, for
 * tests/cli/test_heap_library.sh. Written from preload/abi.h only, beside the reader of pipa.
 *
 *	sums DIR [PID]
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/abi.h"

static struct {
	uint64_t files, forked, bypassed, exited, stacks, threads, truncated, blocks, block_bytes,
		lost;
	uint64_t deepest, fp_frames, mmaps;
	struct pipa_heap_sums sums;
} all;

static void add(const struct pipa_heap_sums *from)
{
	const uint64_t *f = (const uint64_t *)from;
	uint64_t *t = (uint64_t *)&all.sums, i;

	for (i = 0; i < sizeof(*from) / sizeof(*t); i++)
		t[i] += f[i];
}

static void read_stacks(const uint8_t *file, const struct pipa_heap_header *header,
			const struct pipa_heap_status *status)
{
	const struct pipa_heap_stack *stacks =
		(const void *)(file + header->regions[PIPA_HEAP_STACKS].offset);
	uint64_t i;

	for (i = 0; i < status->n_stacks; i++) {
		if (stacks[i].state != PIPA_HEAP_STACK_READY)
			continue;
		all.stacks++;
		all.fp_frames += stacks[i].fp_frames;
		all.mmaps += stacks[i].kind == PIPA_HEAP_KIND_MMAP ? stacks[i].sums.allocs : 0;
		if (stacks[i].n_frames > all.deepest)
			all.deepest = stacks[i].n_frames;
		add(&stacks[i].sums);
	}
}

static void read_shards(const uint8_t *file, const struct pipa_heap_header *header)
{
	const struct pipa_heap_extent *region = &header->regions[PIPA_HEAP_SHARDS];
	const struct pipa_heap_stack *stacks =
		(const void *)(file + header->regions[PIPA_HEAP_STACKS].offset);
	const struct pipa_heap_shard *shards = (const void *)(file + region->offset);
	uint64_t i, k;

	for (i = 0; i < region->count && i < all.threads; i++)
		for (k = 0; k < PIPA_HEAP_SHARD_SUMS; k++)
			if (shards[i].slots[k].stack) {
				const struct pipa_heap_slot *slot = &shards[i].slots[k];

				add(&slot->sums);
				if (stacks[slot->stack - 1].kind == PIPA_HEAP_KIND_MMAP)
					all.mmaps += slot->sums.allocs;
			}
}

static void read_blocks(const uint8_t *file, const struct pipa_heap_header *header)
{
	const struct pipa_heap_bucket *buckets =
		(const void *)(file + header->regions[PIPA_HEAP_BUCKETS].offset);
	const struct pipa_heap_block *blocks =
		(const void *)(file + header->regions[PIPA_HEAP_BLOCKS].offset);
	uint64_t i;
	unsigned int k;

	for (i = 0; i < header->regions[PIPA_HEAP_BUCKETS].count; i++)
		for (k = 0; k < PIPA_HEAP_BUCKET; k++)
			if (buckets[i].address[k]) {
				all.blocks++;
				all.block_bytes += blocks[i * PIPA_HEAP_BUCKET + k].size;
			}
}

/* Copy the data of a sparse file: reading the holes of a mapped file would fill them on tmpfs. */
static const uint8_t *copy_file(int fd, off_t size)
{
	uint8_t *copy = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	off_t at, end;
	ssize_t got;

	if (copy == MAP_FAILED)
		exit(1);
	for (at = lseek(fd, 0, SEEK_DATA); at >= 0; at = lseek(fd, end, SEEK_DATA)) {
		end = lseek(fd, at, SEEK_HOLE);
		for (; at < end; at += got) {
			got = pread(fd, copy + at, (size_t)(end - at), at);
			if (got <= 0)
				exit(1);
		}
	}
	return copy;
}

static void read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct pipa_heap_header *header;
	const struct pipa_heap_status *status;
	const uint8_t *file;
	struct stat st;
	unsigned int i;

	if (fd < 0 || fstat(fd, &st) < 0)
		exit(1);
	file = copy_file(fd, st.st_size);
	close(fd);
	header = (const void *)file;
	status = (const void *)(file + PIPA_HEAP_STATUS_AT);
	if (!header->ready || header->magic != PIPA_HEAP_MAGIC)
		exit(1);
	all.files++;
	all.forked += !!(header->flags & PIPA_HEAP_FORKED);
	all.bypassed += !!(header->flags & PIPA_HEAP_BYPASSED);
	all.exited += status->state == PIPA_HEAP_EXITED;
	all.threads = status->n_threads;
	all.truncated += status->truncated_stacks;
	for (i = 0; i < PIPA_HEAP_LOSS_NR; i++)
		all.lost += status->lost[i];
	read_stacks(file, header, status);
	read_shards(file, header);
	read_blocks(file, header);
	munmap((void *)file, (size_t)st.st_size);
}

static void print(const char *key, uint64_t value)
{
	printf("%s=%" PRIu64 "\n", key, value);
}

int main(int argc, char **argv)
{
	const struct dirent *entry;
	char path[4096];
	DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;

	if (!dir)
		return 2;
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".heap"))
			continue;
		if (argc > 2 && strncmp(entry->d_name, argv[2], strlen(argv[2])) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		read_file(path);
	}
	closedir(dir);
	print("files", all.files);
	print("forked", all.forked);
	print("bypassed", all.bypassed);
	print("exited", all.exited);
	print("stacks", all.stacks);
	print("deepest", all.deepest);
	print("fp_frames", all.fp_frames);
	print("mmaps", all.mmaps);
	print("truncated", all.truncated);
	print("lost", all.lost);
	print("allocs", all.sums.allocs);
	print("frees", all.sums.frees);
	print("alloc_bytes", all.sums.alloc_bytes);
	print("free_bytes", all.sums.free_bytes);
	print("scaled_count", all.sums.alloc_count_scaled >> PIPA_HEAP_FRACTION);
	print("scaled_bytes", all.sums.alloc_bytes_scaled);
	print("temporary", all.sums.temporary_count_scaled >> PIPA_HEAP_FRACTION);
	print("blocks", all.blocks);
	print("block_bytes", all.block_bytes);
	return 0;
}
