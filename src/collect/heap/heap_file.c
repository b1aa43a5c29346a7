#include "collect/heap/heap_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "kernel/text/maps_text.h"
#include "model/intern.h"
#include "model/heaps.h"
#include "preload/abi.h"

enum { MODULES_MAX = 8192 }; /* of a process: each line of its maps is compared with all */

_Static_assert(PIPA_HEAPS_EXACT - PIPA_HEAP_EXACT == 0, "frames are copied as they are"); // NOLINT

#define AMOUNT_MAX (UINT64_C(1) << 62) /* of all stacks: more is corrupt */

/* Sums of a stack over all places that hold parts of them. Differences of parts may be negative. */
struct totals {
	uint64_t samples;
	uint64_t alloc_count, alloc_bytes; /* counts are scaled by PIPA_HEAP_FRACTION */
	int64_t inuse_count, inuse_bytes, peak_count, peak_bytes;
	uint64_t temporary_count, temporary_bytes, ns;
};

struct decoder {
	struct pipa_span file;
	const struct pipa_heap_file_part *parts; /* NULL: all is used */
	size_t n_parts, part;			 /* part: that of the last search */
	struct pipa_heaps *heaps;
	struct pipa_heap_header header;
	struct pipa_heap_status status;
	struct pipa_span regions[PIPA_HEAP_REGION_NR]; /* their part that is in use */
	size_t n[PIPA_HEAP_REGION_NR];		       /* elements of that part */
	uint32_t *stacks;      /* [stack of the file] its index in the model, PIPA_NONE: none */
	struct totals *totals; /* [stack of the file] */
	uint64_t *sizes, *lifetimes;  /* scaled counts */
	struct pipa_heaps_amount all; /* allocated, counts are scaled */
	uint64_t all_ns;
	struct pipa_heaps_process process;
	struct pipa_heap_file_info info;
};

static const size_t element_sizes[PIPA_HEAP_REGION_NR] = {
	[PIPA_HEAP_STACKS] = sizeof(struct pipa_heap_stack),
	[PIPA_HEAP_FRAMES] = sizeof(uint64_t),
	[PIPA_HEAP_BUCKETS] = sizeof(struct pipa_heap_bucket),
	[PIPA_HEAP_BLOCKS] = sizeof(struct pipa_heap_block),
	[PIPA_HEAP_SHARDS] = sizeof(struct pipa_heap_shard),
	[PIPA_HEAP_THREADS] = sizeof(struct pipa_heap_thread),
	[PIPA_HEAP_MAPS] = 1,
};

/* Copy an element of a region, whose bytes have no alignment. */
static void get_element(const struct decoder *d, enum pipa_heap_region region, size_t index,
			void *ret)
{
	size_t size = element_sizes[region];

	memcpy(ret, d->regions[region].data + index * size, size);
}

/*
 * Return the index of the next element of a region from `index` on that is not completely in a hole of the file;
 * the number of elements if there is none. Searches of a region ascend; the first has index 0.
 */
static size_t next_used(struct decoder *d, enum pipa_heap_region region, size_t index)
{
	uint64_t size = element_sizes[region];
	uint64_t start = (uint64_t)(d->regions[region].data - d->file.data);
	uint64_t at = start + index * size;

	if (!d->parts || index >= d->n[region])
		return index;
	if (!index)
		d->part = 0;
	while (d->part < d->n_parts && d->parts[d->part].end <= at)
		d->part++;
	if (d->part == d->n_parts)
		return d->n[region];
	if (d->parts[d->part].start < at + size)
		return index;
	index = (size_t)((d->parts[d->part].start - start) / size);
	return index < d->n[region] ? index : d->n[region];
}

/* ---- header --------------------------------------------------------------------------------------- */

static int read_header(struct decoder *d, struct pipa_error *err)
{
	const struct pipa_heap_header *h = &d->header;
	uint64_t magic = 0;

	if (d->file.size >= sizeof(magic))
		memcpy(&magic, d->file.data, sizeof(magic));
	if (d->file.size < PIPA_HEAP_REGIONS_AT || !magic)
		return -EAGAIN;
	memcpy(&d->header, d->file.data + PIPA_HEAP_HEADER_AT, sizeof(d->header));
	memcpy(&d->status, d->file.data + PIPA_HEAP_STATUS_AT, sizeof(d->status));
	if (h->magic != PIPA_HEAP_MAGIC || h->order != PIPA_HEAP_ORDER)
		return pipa_refuse(err, -EBADMSG,
				   "malformed heap recording: it has another magic number");
	if (h->version != PIPA_HEAP_VERSION)
		return pipa_refuse(err, -EBADMSG,
				   "malformed heap recording: its version is %u, expected %d",
				   h->version, PIPA_HEAP_VERSION);
	return h->ready ? 0 : -EAGAIN;
}

/* Return the elements of a region that are in use, at most the number in its status. */
static size_t used(const struct decoder *d, enum pipa_heap_region region)
{
	switch (region) {
	case PIPA_HEAP_STACKS: return d->status.n_stacks;
	case PIPA_HEAP_FRAMES: return d->status.n_frames;
	case PIPA_HEAP_THREADS: return d->status.n_threads;
	case PIPA_HEAP_MAPS: return d->status.maps_bytes;
	default: return SIZE_MAX;
	}
}

static int find_regions(struct decoder *d, struct pipa_error *err)
{
	size_t i;

	for (i = 0; i < PIPA_HEAP_REGION_NR; i++) {
		const struct pipa_heap_extent *extent = &d->header.regions[i];
		size_t n = used(d, (enum pipa_heap_region)i);

		if (extent->size != element_sizes[i] || extent->offset % PIPA_HEAP_PAGE ||
		    extent->count >= PIPA_NONE ||
		    !pipa_span_cut(d->file, extent->offset, extent->count * extent->size,
				   &d->regions[i]))
			return pipa_refuse(err, -EBADMSG,
					   "malformed heap recording: region %zu is not within the "
					   "file",
					   i);
		d->n[i] = n < extent->count ? n : extent->count;
	}
	return 0;
}

/* ---- process -------------------------------------------------------------------------------------- */

static uint32_t add_text(struct decoder *d, const char *text, size_t max)
{
	return pipa_strings_add(&d->heaps->strings, text, strnlen(text, max));
}

/* Return the arguments of the command, with spaces between them. */
static uint32_t add_command(struct decoder *d)
{
	char text[PIPA_HEAP_PATH];
	size_t i, end = 0;

	memcpy(text, d->header.cmdline, sizeof(text));
	for (i = 0; i < sizeof(text); i++)
		if (text[i])
			end = i + 1;
	for (i = 0; i < end; i++)
		if (!text[i])
			text[i] = ' ';
	return pipa_strings_add(&d->heaps->strings, text, end);
}

/* Return the name of the main thread, else that of the executable. */
static uint32_t add_comm(struct decoder *d)
{
	size_t i, length = strnlen(d->header.exe, sizeof(d->header.exe));
	const char *name = d->header.exe, *slash = memrchr(name, '/', length);

	for (i = 0; i < d->n[PIPA_HEAP_THREADS]; i++) {
		struct pipa_heap_thread thread;

		get_element(d, PIPA_HEAP_THREADS, i, &thread);
		if (thread.tid == d->header.pid && thread.name[0])
			return add_text(d, thread.name, sizeof(thread.name));
	}
	if (slash) {
		length -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	return add_text(d, name, length);
}

static void read_losses(const struct decoder *d, struct pipa_heaps_losses *ret)
{
	const uint64_t *lost = d->status.lost;

	*ret = (struct pipa_heaps_losses){
		.samples = lost[PIPA_HEAP_LOST_STACKS] + lost[PIPA_HEAP_LOST_FRAMES],
		.bytes = lost[PIPA_HEAP_LOST_BYTES],
		.reentries = lost[PIPA_HEAP_LOST_REENTRY],
		.blocks = lost[PIPA_HEAP_LOST_BLOCKS],
		.modules = lost[PIPA_HEAP_LOST_MAPS],
		.children = lost[PIPA_HEAP_LOST_CHILDREN],
		.storage = lost[PIPA_HEAP_LOST_STORAGE],
		.threads = lost[PIPA_HEAP_LOST_THREADS],
		.truncated_stacks = d->status.truncated_stacks,
	};
}

static int read_process(struct decoder *d)
{
	struct pipa_heaps_process *p = &d->process;
	const struct pipa_heap_header *h = &d->header;

	*p = (struct pipa_heaps_process){
		.pid = h->pid,
		.parent = h->ppid,
		.end = d->status.state == PIPA_HEAP_EXITED ? PIPA_HEAPS_EXITED : PIPA_HEAPS_RUNNING,
		.start_ns = h->start_ns,
		.end_ns = d->status.end_ns ? d->status.end_ns : d->status.updated_ns,
		.start_wall_ns = h->start_wall_ns,
		.rate = h->rate ? h->rate : 1,
		.min_size = h->min_size,
		.no_frees = !(h->flags & PIPA_HEAP_FREES),
		.bypassed = h->flags & PIPA_HEAP_BYPASSED,
		.forked = h->flags & PIPA_HEAP_FORKED,
		.has_gaps = d->status.gaps != 0,
		.peak_ns = d->status.peak_ns,
		.comm = add_comm(d),
		.exe = add_text(d, h->exe, sizeof(h->exe)),
		.command = add_command(d),
		.modules = (uint32_t)d->heaps->modules.n,
		.stacks = (uint32_t)d->heaps->stacks.n,
		.blocks = (uint32_t)d->heaps->blocks.n,
	};
	if (p->end_ns < p->start_ns)
		p->end_ns = p->start_ns;
	read_losses(d, &p->losses);
	return p->comm == PIPA_NO_STRING || p->exe == PIPA_NO_STRING ||
			       p->command == PIPA_NO_STRING ?
		       -ENOMEM :
		       0;
}

/* ---- modules -------------------------------------------------------------------------------------- */

static bool is_same_module(const struct pipa_heaps_module *a, const struct pipa_heaps_module *b)
{
	return a->path == b->path && a->start == b->start && a->end == b->end &&
	       a->offset == b->offset && pipa_file_id_equal(&a->file, &b->file);
}

/* Add a module, or extend one that an earlier generation had. */
static int add_module(struct decoder *d, const struct pipa_map_line *line, uint32_t generation)
{
	struct pipa_heaps_module module = {
		.path = add_text(d, line->path, sizeof(line->path)),
		.file = { line->major, line->minor, line->inode, 0 },
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.first_generation = generation,
		.last_generation = generation,
	}, *slot;
	size_t i;

	if (module.path == PIPA_NO_STRING)
		return -ENOMEM;
	for (i = d->process.modules; i < d->heaps->modules.n; i++) {
		struct pipa_heaps_module *old = &d->heaps->modules.items[i];

		if (is_same_module(old, &module) && old->last_generation <= generation) {
			old->last_generation = generation;
			return 0;
		}
	}
	if (d->heaps->modules.n - d->process.modules >= MODULES_MAX) {
		d->process.losses.modules++;
		return 0;
	}
	slot = PIPA_VEC_ADD(&d->heaps->modules);
	if (!slot)
		return -ENOMEM;
	*slot = module;
	return 0;
}

static int read_maps(struct decoder *d)
{
	struct pipa_span maps = { d->regions[PIPA_HEAP_MAPS].data, d->n[PIPA_HEAP_MAPS] };
	PIPA_AUTO(free) struct pipa_map_line *line = malloc(sizeof(*line));
	struct pipa_heap_maps record;
	size_t at;
	int rc = line ? 0 : -ENOMEM;

	for (at = 0; !rc && maps.size - at >= sizeof(record); at += record.size) {
		PIPA_AUTO(free) char *text = NULL;
		const char *next;

		memcpy(&record, maps.data + at, sizeof(record));
		if (record.size < sizeof(record) || record.size > maps.size - at ||
		    record.text_size > record.size - sizeof(record)) {
			d->process.losses.corrupt++;
			break;
		}
		next = text = strndup((const char *)maps.data + at + sizeof(record),
				      record.text_size);
		if (!text)
			return -ENOMEM;
		while (!rc && pipa_map_line_next(&next, line))
			if (line->executable && line->start < line->end)
				rc = add_module(d, line, record.generation);
	}
	return rc;
}

/* ---- stacks --------------------------------------------------------------------------------------- */

static int add_stack(struct decoder *d, uint32_t number, const struct pipa_heap_stack *from,
		     uint32_t *ret)
{
	struct pipa_heaps_stack *stack = PIPA_VEC_ADD(&d->heaps->stacks);
	uint32_t i;

	if (!stack || d->heaps->frames.n + from->n_frames >= PIPA_NONE)
		return -ENOMEM;
	stack->frames = (uint32_t)d->heaps->frames.n;
	stack->why = (enum pipa_stack_end)from->end;
	stack->generation = from->maps_generation;
	stack->number = number;
	stack->is_mapping = from->kind != PIPA_HEAP_KIND_MALLOC;
	for (i = 0; i < from->n_frames; i++) {
		uint64_t *frame = PIPA_VEC_ADD(&d->heaps->frames);

		if (!frame)
			return -ENOMEM;
		get_element(d, PIPA_HEAP_FRAMES, from->frames_at + i, frame);
	}
	stack->n_frames = from->n_frames;
	*ret = (uint32_t)d->heaps->stacks.n - 1;
	return 0;
}

static bool is_valid_stack(const struct decoder *d, const struct pipa_heap_stack *stack)
{
	size_t frames = d->n[PIPA_HEAP_FRAMES];

	return stack->n_frames <= PIPA_HEAP_DEPTH_MAX && stack->frames_at <= frames &&
	       stack->n_frames <= frames - stack->frames_at && stack->end < PIPA_STACK_END_NR;
}

/* Add sums, modulo 2^64: differences of parts that are negative add up to the right sum. */
static void add_sums(struct decoder *d, struct totals *t, const struct pipa_heap_sums *s)
{
	uint64_t count = s->alloc_count_scaled - s->free_count_scaled;
	uint64_t bytes = s->alloc_bytes_scaled - s->free_bytes_scaled;
	bool is_peak = s->peak_epoch == d->status.peak_epoch;
	size_t i;

	t->samples += s->allocs;
	t->alloc_count += s->alloc_count_scaled;
	t->alloc_bytes += s->alloc_bytes_scaled;
	t->inuse_count = (int64_t)((uint64_t)t->inuse_count + count);
	t->inuse_bytes = (int64_t)((uint64_t)t->inuse_bytes + bytes);
	t->peak_count = (int64_t)((uint64_t)t->peak_count +
				  (is_peak ? (uint64_t)s->peak_count_scaled : count));
	t->peak_bytes = (int64_t)((uint64_t)t->peak_bytes +
				  (is_peak ? (uint64_t)s->peak_bytes_scaled : bytes));
	t->temporary_count += s->temporary_count_scaled;
	t->temporary_bytes += s->temporary_bytes_scaled;
	t->ns += s->alloc_ns_scaled + s->free_ns_scaled;
	for (i = 0; i < PIPA_HEAP_CLASSES; i++) {
		d->sizes[i] += s->sizes[i];
		d->lifetimes[i] += s->lifetimes[i];
	}
}

static int read_stacks(struct decoder *d)
{
	struct pipa_heap_stack stack;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < d->n[PIPA_HEAP_STACKS]; i++) {
		d->stacks[i] = PIPA_NONE;
		get_element(d, PIPA_HEAP_STACKS, i, &stack);
		if (stack.state != PIPA_HEAP_STACK_READY) {
			d->process.losses.corrupt += stack.state > PIPA_HEAP_STACK_UNUSED;
			continue;
		}
		if (!is_valid_stack(d, &stack)) {
			d->process.losses.corrupt++;
			continue;
		}
		rc = add_stack(d, (uint32_t)i, &stack, &d->stacks[i]);
		add_sums(d, &d->totals[i], &stack.sums);
	}
	return rc;
}

/* Return whether the stack number of a slot or block is valid. */
static bool has_stack(struct decoder *d, uint32_t stack)
{
	if (stack < d->n[PIPA_HEAP_STACKS] && d->stacks[stack] != PIPA_NONE)
		return true;
	d->process.losses.corrupt++;
	return false;
}

static void read_shards(struct decoder *d)
{
	const uint8_t *shards = d->regions[PIPA_HEAP_SHARDS].data;
	size_t i, k;

	for (i = next_used(d, PIPA_HEAP_SHARDS, 0); i < d->n[PIPA_HEAP_SHARDS];
	     i = next_used(d, PIPA_HEAP_SHARDS, i + 1))
		for (k = 0; k < PIPA_HEAP_SHARD_SUMS; k++) {
			struct pipa_heap_slot slot;

			memcpy(&slot,
			       shards + i * sizeof(struct pipa_heap_shard) +
				       offsetof(struct pipa_heap_shard, slots) + k * sizeof(slot),
			       sizeof(slot));
			if (slot.moving)
				d->info.moving++;
			else if (slot.stack && has_stack(d, slot.stack - 1))
				add_sums(d, &d->totals[slot.stack - 1], &slot.sums);
		}
}

static uint64_t unscaled(uint64_t count)
{
	return (count + (1 << (PIPA_HEAP_FRACTION - 1))) >> PIPA_HEAP_FRACTION;
}

/* Return a part of what a stack has allocated; one that is negative or larger is corrupt. */
static struct pipa_heaps_amount part(struct decoder *d, const struct totals *t, int64_t count,
				     int64_t bytes)
{
	if (count < 0 || bytes < 0 || (uint64_t)bytes > t->alloc_bytes ||
	    (uint64_t)count > t->alloc_count) {
		d->process.losses.corrupt++;
		return (struct pipa_heaps_amount){ 0 };
	}
	return (struct pipa_heaps_amount){ unscaled((uint64_t)count), (uint64_t)bytes };
}

/* Add to the sums of all stacks; false if these would be impossible. */
static bool add_to_all(struct decoder *d, const struct totals *t)
{
	if (t->alloc_bytes > AMOUNT_MAX - d->all.bytes ||
	    t->alloc_count > AMOUNT_MAX - d->all.objects || t->ns > AMOUNT_MAX - d->all_ns ||
	    t->samples > AMOUNT_MAX)
		return false;
	d->all.bytes += t->alloc_bytes;
	d->all.objects += t->alloc_count;
	d->all_ns += t->ns;
	return true;
}

/* Convert the sums of all stacks. A stack with impossible sums has none. */
static void finish_stacks(struct decoder *d)
{
	struct pipa_heaps_amount *peak = &d->process.peak;
	size_t i;

	for (i = 0; i < d->n[PIPA_HEAP_STACKS]; i++) {
		const struct totals *t = &d->totals[i];
		struct pipa_heaps_stack *stack;

		if (d->stacks[i] == PIPA_NONE)
			continue;
		stack = &d->heaps->stacks.items[d->stacks[i]];
		if (!add_to_all(d, t)) {
			d->process.losses.corrupt++;
			continue;
		}
		stack->samples = t->samples;
		stack->alloc = (struct pipa_heaps_amount){ unscaled(t->alloc_count),
							   t->alloc_bytes };
		if (!d->process.no_frees) {
			stack->inuse = part(d, t, t->inuse_count, t->inuse_bytes);
			stack->peak = part(d, t, t->peak_count, t->peak_bytes);
		}
		stack->temporary = part(d, t, (int64_t)t->temporary_count,
					(int64_t)t->temporary_bytes);
		stack->allocator_ns = t->ns;
		peak->objects += stack->peak.objects;
		peak->bytes += stack->peak.bytes;
	}
	for (i = 0; i < PIPA_HEAP_CLASSES; i++) {
		d->process.sizes[i] = unscaled(d->sizes[i]);
		d->process.lifetimes[i] = unscaled(d->lifetimes[i]);
	}
}

/* ---- blocks --------------------------------------------------------------------------------------- */

static int add_block(struct decoder *d, uint64_t address, size_t index)
{
	struct pipa_heaps_block *slot;
	struct pipa_heap_block block;
	unsigned __int128 bytes;

	if (index >= d->n[PIPA_HEAP_BLOCKS]) {
		d->process.losses.corrupt++;
		return 0;
	}
	get_element(d, PIPA_HEAP_BLOCKS, index, &block);
	if (!has_stack(d, block.stack))
		return 0;
	bytes = (unsigned __int128)block.size * block.weight >> PIPA_HEAP_FRACTION;
	if (bytes > AMOUNT_MAX || block.size > UINT64_MAX - address) {
		d->process.losses.corrupt++;
		return 0;
	}
	slot = PIPA_VEC_ADD(&d->heaps->blocks);
	if (!slot)
		return -ENOMEM;
	*slot = (struct pipa_heaps_block){
		.address = address & ~PIPA_HEAP_MAPPED,
		.is_mapping = (address & PIPA_HEAP_MAPPED) != 0,
		.size = block.size,
		.time_ns = block.birth_ns,
		.amount = { unscaled(block.weight), (uint64_t)bytes },
		.stack = d->stacks[block.stack],
		.tid = block.tid,
	};
	return 0;
}

static int read_blocks(struct decoder *d)
{
	struct pipa_heap_bucket bucket;
	size_t i, k;
	int rc = 0;

	for (i = next_used(d, PIPA_HEAP_BUCKETS, 0); !rc && i < d->n[PIPA_HEAP_BUCKETS];
	     i = next_used(d, PIPA_HEAP_BUCKETS, i + 1)) {
		get_element(d, PIPA_HEAP_BUCKETS, i, &bucket);
		for (k = 0; !rc && k < PIPA_HEAP_BUCKET; k++)
			if (bucket.address[k] >= PIPA_HEAP_PAGE)
				rc = add_block(d, bucket.address[k], i * PIPA_HEAP_BUCKET + k);
	}
	return rc;
}

static int decode(struct decoder *d)
{
	struct pipa_heaps_process *slot;
	int rc = read_process(d);

	if (!rc)
		rc = read_maps(d);
	if (!rc)
		rc = read_stacks(d);
	if (rc)
		return rc;
	read_shards(d);
	finish_stacks(d);
	rc = read_blocks(d);
	slot = rc ? NULL : PIPA_VEC_ADD(&d->heaps->processes);
	if (!slot)
		return -ENOMEM;
	d->process.n_modules = (uint32_t)(d->heaps->modules.n - d->process.modules);
	d->process.n_stacks = (uint32_t)(d->heaps->stacks.n - d->process.stacks);
	d->process.n_blocks = (uint32_t)(d->heaps->blocks.n - d->process.blocks);
	*slot = d->process;
	return 0;
}

int pipa_heap_file_decode(const struct pipa_heap_file *file, struct pipa_heaps *heaps,
			  struct pipa_heap_file_info *ret, struct pipa_error *err)
{
	uint64_t sizes[PIPA_HEAP_CLASSES] = { 0 }, lifetimes[PIPA_HEAP_CLASSES] = { 0 };
	struct decoder d = {
		.file = file->bytes,
		.parts = file->parts,
		.n_parts = file->n_parts,
		.heaps = heaps,
		.sizes = sizes,
		.lifetimes = lifetimes,
	};
	PIPA_AUTO(free) uint32_t *stacks = NULL;
	PIPA_AUTO(free) struct totals *totals = NULL;
	size_t frames = heaps->frames.n, n_modules = heaps->modules.n;
	size_t n_stacks = heaps->stacks.n, blocks = heaps->blocks.n;
	int rc = read_header(&d, err);

	if (!rc)
		rc = find_regions(&d, err);
	if (rc)
		return rc;
	d.info.pid = d.header.pid;
	d.info.start_ns = d.header.start_ns;
	d.info.is_held = d.status.state == PIPA_HEAP_HELD;
	d.stacks = stacks = malloc((d.n[PIPA_HEAP_STACKS] + 1) * sizeof(*stacks));
	d.totals = totals = calloc(d.n[PIPA_HEAP_STACKS] + 1, sizeof(*totals));
	rc = stacks && totals ? decode(&d) : -ENOMEM;
	if (rc) { /* rows without a process are removed */
		heaps->frames.n = frames;
		heaps->modules.n = n_modules;
		heaps->stacks.n = n_stacks;
		heaps->blocks.n = blocks;
		return rc;
	}
	*ret = d.info;
	return 0;
}
