#include "preload/maps.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/abi.h"
#include "preload/clock.h"
#include "preload/machine.h"
#include "preload/process.h"
#include "preload/sys.h"
#include "unwind/cfi.h"
#include "unwind/index.h"
#include "unwind/prologue.h"
#include "unwind/rows.h"

enum {
	RANGES = 4096,
	BUFFER = 32 << 10,
	TURNS = 5000,	     /* waits for another thread that reads mappings, of 0.1 ms each */
	RESCAN_NS = 2000000, /* shortest time between two readings for unknown addresses, after */
	RESCANS = 200,	     /* readings without such a limit, */
	RESCANS_BACK = 4,    /* and more of them after each dlclose */
};

/* An executable mapping and the call frame information of its object. */
struct range {
	uint64_t start, end;
	uint64_t base; /* where the object's ELF header is mapped; 0: none */
	bool opened, has_cfi;
	uint64_t bias;
	struct pipa_fde_index index;
	struct pipa_cfi cfi;
};

/* One line of /proc/self/maps. */
struct line {
	uint64_t start, end, offset, inode;
	bool readable, executable;
	const char *text;
	size_t size;
};

static struct {
	uint32_t locked;
	uint32_t read_generation; /* of the ranges */
	uint64_t text_hash;	  /* of the last capture */
	uint32_t text_generation;
	uint32_t n_rescans;
	uint64_t rescan_ns;
	uint32_t n;
	struct range *ranges;
	char buffer[BUFFER];
} maps;

uint32_t pipa_heap_maps_changes;

/*
 * One thread at a time reads and uses the ranges. It can wait only for another thread that is running or
 * runnable: the holder takes no lock and is not re-entered. False if that takes half a second.
 */
static bool lock_ranges(void)
{
	uint32_t none;
	unsigned int i;

	for (i = 0; i < TURNS; i++) {
		none = 0;
		if (__atomic_compare_exchange_n(&maps.locked, &none, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		pipa_sys_pause();
	}
	return false;
}

static void unlock_ranges(void)
{
	__atomic_store_n(&maps.locked, 0, __ATOMIC_RELEASE);
}

void pipa_heap_maps_forked(void)
{
	maps.text_hash = 0;
	unlock_ranges();
}

void pipa_heap_maps_unmapped(void)
{
	uint32_t generation = __atomic_add_fetch(&pipa_heap_maps_changes, 1, __ATOMIC_RELAXED);

	if (pipa_heap_process.status)
		__atomic_store_n(&pipa_heap_process.status->maps_generation, generation,
				 __ATOMIC_RELAXED);
}

/* ---- reading /proc/self/maps ----------------------------------------------------------------------------- */

static uint64_t parse_number(const char **at, const char *end, unsigned int base)
{
	uint64_t value = 0;
	unsigned int digit;

	for (; *at < end; (*at)++) {
		if (**at >= '0' && **at <= '9')
			digit = (unsigned int)(**at - '0');
		else if (base == 16 && **at >= 'a' && **at <= 'f')
			digit = (unsigned int)(**at - 'a') + 10;
		else
			break;
		value = value * base + digit;
	}
	return value;
}

static void skip_word(const char **at, const char *end)
{
	while (*at < end && **at != ' ')
		(*at)++;
	while (*at < end && **at == ' ')
		(*at)++;
}

/* "start-end perms offset major:minor inode path" */
static bool parse_line(const char *text, size_t size, struct line *ret)
{
	const char *at = text, *end = text + size;

	*ret = (struct line){ .text = text, .size = size };
	ret->start = parse_number(&at, end, 16);
	if (at >= end || *at++ != '-')
		return false;
	ret->end = parse_number(&at, end, 16);
	skip_word(&at, end);
	if (end - at < 5)
		return false;
	ret->readable = at[0] == 'r';
	ret->executable = at[2] == 'x';
	skip_word(&at, end);
	ret->offset = parse_number(&at, end, 16);
	skip_word(&at, end);
	skip_word(&at, end);
	ret->inode = parse_number(&at, end, 10);
	return ret->start < ret->end;
}

/* Call back for each line, with its newline, until a callback returns false. */
static void each_line(bool (*each)(void *ctx, const struct line *line), void *ctx)
{
	int fd = pipa_sys_open("/proc/self/maps");
	size_t have = 0, at, size;
	struct line line;
	const char *newline;
	bool go = true;
	long got;

	if (fd < 0)
		return;
	while (go &&
	       (got = pipa_sys_read(fd, maps.buffer + have, sizeof(maps.buffer) - have)) > 0) {
		have += (size_t)got;
		for (at = 0; go; at += size) {
			newline = memchr(maps.buffer + at, '\n', have - at);
			if (!newline)
				break;
			size = (size_t)(newline - maps.buffer) + 1 - at;
			if (parse_line(maps.buffer + at, size, &line))
				go = each(ctx, &line);
		}
		have -= at;
		memmove(maps.buffer, maps.buffer + at, have);
		if (have == sizeof(maps.buffer)) /* no line is that long */
			break;
	}
	pipa_sys_close(fd);
}

/* State of a reading between two lines. */
struct reading {
	uint64_t base, base_inode; /* the last line with the start of an object */
	uint64_t at, room;	   /* of the text in the file */
	uint64_t hash;
	bool full;
};

static void keep_text(struct reading *reading, const struct line *line)
{
	size_t i;

	for (i = 0; i < line->size; i++)
		reading->hash = (reading->hash ^ (unsigned char)line->text[i]) *
				UINT64_C(0x100000001b3);
	if (reading->full || line->size > reading->room ||
	    !pipa_heap_process_commit(pipa_heap_process.maps + reading->at, line->size)) {
		reading->full = true;
		return;
	}
	memcpy(pipa_heap_process.maps + reading->at, line->text, line->size);
	reading->at += line->size;
	reading->room -= line->size;
}

static bool on_line(void *ctx, const struct line *line)
{
	struct reading *reading = ctx;
	struct range *range;

	if (!line->offset && line->readable) {
		reading->base = line->start;
		reading->base_inode = line->inode;
	}
	if (!line->executable)
		return true;
	keep_text(reading, line);
	if (maps.n == RANGES)
		return true;
	range = &maps.ranges[maps.n++];
	*range = (struct range){ .start = line->start, .end = line->end };
	/* the only object without a file is the vdso, which is one mapping */
	if (line->readable && reading->base_inode == line->inode && (line->inode || !line->offset))
		range->base = reading->base;
	return true;
}

/* Write the head of a capture, before its text, and make it visible. */
static void publish_capture(const struct reading *reading, uint64_t head_at, uint32_t generation)
{
	struct pipa_heap_maps *head = (struct pipa_heap_maps *)(pipa_heap_process.maps + head_at);
	uint64_t size = (reading->at - head_at + 7) & ~UINT64_C(7);

	head->size = (uint32_t)size;
	head->generation = generation;
	head->time_ns = pipa_heap_clock_ns();
	head->text_size = (uint32_t)(reading->at - head_at - sizeof(*head));
	__atomic_store_n(&pipa_heap_process.status->maps_bytes, head_at + size, __ATOMIC_RELEASE);
}

static void read_maps(void)
{
	uint64_t head_at = __atomic_load_n(&pipa_heap_process.status->maps_bytes, __ATOMIC_RELAXED);
	uint64_t capacity = pipa_heap_process.maps_size;
	uint32_t generation = pipa_heap_maps_generation();
	struct reading reading = { .hash = UINT64_C(0xcbf29ce484222325) };

	if (!maps.ranges)
		maps.ranges = pipa_sys_memory(RANGES * sizeof(*maps.ranges));
	if (!maps.ranges)
		return;
	maps.n = 0;
	if (generation != maps.read_generation && maps.n_rescans > RESCANS_BACK)
		maps.n_rescans -= RESCANS_BACK; /* the next object is unknown */
	maps.read_generation = generation;
	reading.at = head_at + sizeof(struct pipa_heap_maps);
	if (head_at % 8 || head_at > capacity ||
	    capacity - head_at < sizeof(struct pipa_heap_maps) + 8 ||
	    !pipa_heap_process_commit(pipa_heap_process.maps + head_at,
				      sizeof(struct pipa_heap_maps)))
		reading.full = true;
	else
		reading.room = capacity - reading.at - 8;
	each_line(on_line, &reading);
	if (reading.hash == maps.text_hash && generation == maps.text_generation)
		return;
	maps.text_hash = reading.hash;
	maps.text_generation = generation;
	if (reading.full)
		pipa_heap_process_lose(PIPA_HEAP_LOST_MAPS, 1);
	else
		publish_capture(&reading, head_at, generation);
}

void pipa_heap_maps_capture(void)
{
	if (!lock_ranges())
		return;
	read_maps();
	unlock_ranges();
}

struct callback {
	bool (*each)(void *ctx, const struct pipa_heap_mapping *mapping);
	void *ctx;
};

static bool on_line_of_each(void *ctx, const struct line *line)
{
	const struct callback *callback = ctx;
	const struct pipa_heap_mapping mapping = { .start = line->start,
						   .end = line->end,
						   .readable = line->readable };

	return callback->each(callback->ctx, &mapping);
}

bool pipa_heap_maps_each(bool (*each)(void *ctx, const struct pipa_heap_mapping *mapping),
			 void *ctx)
{
	struct callback callback = { each, ctx };

	if (!lock_ranges())
		return false;
	each_line(on_line_of_each, &callback);
	unlock_ranges();
	return true;
}

struct end_search {
	uint64_t address, end;
};

static bool on_line_of_end(void *ctx, const struct line *line)
{
	struct end_search *search = ctx;

	if (search->end) { /* neighbours that are readable too belong to it */
		if (line->start != search->end || !line->readable)
			return false;
		search->end = line->end;
	} else if (search->address >= line->start && search->address < line->end) {
		if (!line->readable)
			return false;
		search->end = line->end;
	}
	return true;
}

uint64_t pipa_heap_maps_end(uint64_t address)
{
	struct end_search search = { .address = address };

	if (!lock_ranges())
		return 0;
	each_line(on_line_of_end, &search);
	unlock_ranges();
	return search.end;
}

/* ---- call frame information ------------------------------------------------------------------------------ */

/* Find the call frame information of a range's object by its program headers in memory. */
static void open_range(struct range *range)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)range->base;
	const Elf64_Phdr *segments, *load;
	uint64_t hdr = 0, hdr_size = 0, frame = 0;
	bool loaded = false;
	unsigned int i;

	range->opened = true;
	if (!range->base || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_phentsize != sizeof(*segments) ||
	    elf->e_phoff + elf->e_phnum * sizeof(*segments) > PIPA_HEAP_PAGE)
		return;
	segments = (const Elf64_Phdr *)(range->base + elf->e_phoff);
	for (i = 0; i < elf->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD && !loaded) {
			range->bias = range->base - (segments[i].p_vaddr - segments[i].p_offset);
			loaded = true;
		}
		if (segments[i].p_type == PT_GNU_EH_FRAME) {
			hdr = segments[i].p_vaddr;
			hdr_size = segments[i].p_memsz;
		}
	}
	if (!loaded || !hdr ||
	    !pipa_fde_index_linked(&range->index,
				   (struct pipa_span){ (const uint8_t *)(range->bias + hdr),
						       hdr_size },
				   hdr, true, false, &frame))
		return;
	for (i = 0; i < elf->e_phnum; i++) {
		load = &segments[i];
		if (load->p_type != PT_LOAD || frame < load->p_vaddr ||
		    frame - load->p_vaddr >= load->p_filesz)
			continue;
		range->cfi = (struct pipa_cfi){
			.bytes = { (const uint8_t *)(range->bias + frame),
				   load->p_filesz - (frame - load->p_vaddr) },
			.addr = frame,
			.data = hdr,
			.is_eh = true,
			.is64 = true,
		};
		range->has_cfi = true;
	}
}

static struct range *find_range(uint64_t address)
{
	uint32_t low = 0, n = maps.n, half;

	if (!n || maps.read_generation != pipa_heap_maps_generation())
		return NULL;
	while (n > 1) {
		half = n / 2;
		if (maps.ranges[low + half].start <= address)
			low += half;
		n -= half;
	}
	if (address < maps.ranges[low].start || address >= maps.ranges[low].end)
		return NULL;
	return &maps.ranges[low];
}

/* May the mappings be read again for an unknown address? There are many of JIT code. */
static bool may_rescan(void)
{
	uint64_t now;

	if (maps.read_generation != pipa_heap_maps_generation())
		return true;
	if (maps.n_rescans < RESCANS) {
		maps.n_rescans++;
		return true;
	}
	now = pipa_heap_clock_ns();
	if (now - maps.rescan_ns < RESCAN_NS)
		return false;
	maps.rescan_ns = now;
	return true;
}

/*
 * Derive the row of code without call frame information, such as most of riscv64's C library and loader, from
 * the instructions up to its return. Only where calls set a link register and `address` precedes a return
 * address, so that it is odd; the frame pointer is followed for all other code.
 */
static bool scan_code(const struct range *range, uint64_t address, struct pipa_row *ret)
{
	const struct pipa_prologue_code code = {
		.bytes = (const uint8_t *)range->start,
		.size = range->end - range->start,
		.addr = range->start,
	};

	return PIPA_HEAP_ARCH.link != PIPA_UNWIND_NO_REG && address % 2 && range->base &&
	       pipa_prologue_row(&PIPA_HEAP_ARCH, &code, address + 1, false, ret);
}

static enum pipa_heap_code row_of(uint64_t address, struct pipa_row *ret)
{
	struct range *range = find_range(address);
	struct pipa_fde fde = { 0 };
	int got;

	if (!range && may_rescan()) {
		read_maps();
		range = find_range(address);
	}
	if (!range)
		return PIPA_HEAP_CODE_NONE;
	if (!range->opened)
		open_range(range);
	if (!range->has_cfi ||
	    !pipa_fde_index_find(&range->index, &range->cfi, address - range->bias, &fde))
		return scan_code(range, address, ret) ? PIPA_HEAP_CODE_ROW : PIPA_HEAP_CODE_NO_CFI;
	got = pipa_row_find(&PIPA_HEAP_ARCH, &range->cfi, &fde, address - range->bias, ret);
	return got ? PIPA_HEAP_CODE_BAD_CFI : PIPA_HEAP_CODE_ROW;
}

enum pipa_heap_code pipa_heap_maps_row(uint64_t address, struct pipa_row *ret)
{
	enum pipa_heap_code code;

	if (!lock_ranges())
		return PIPA_HEAP_CODE_BUSY;
	code = row_of(address, ret);
	unlock_ranges();
	return code;
}
