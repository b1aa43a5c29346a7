#include "unwind/table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "elf/elf.h"
#include "elf/inflate.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/index.h"
#include "unwind/rows.h"

enum {
	SOURCES = 4,
	INFLATED_MOST = 512 << 20, /* bytes of a compressed .debug_frame or of .gnu_debugdata */
};

struct source {
	struct pipa_cfi cfi;
	struct pipa_fde_index index;
};

struct pipa_unwind_table {
	const struct pipa_unwind_arch *arch;
	struct pipa_elf elf;
	struct source sources[SOURCES];
	size_t n;
	uint8_t *owned[SOURCES + 1]; /* what had to be inflated */
	size_t n_owned;
};

static struct pipa_cfi cfi_of(const struct pipa_elf *elf, struct pipa_span bytes, uint64_t addr)
{
	struct pipa_cfi cfi = {
		.bytes = bytes, .addr = addr, .is64 = elf->is64, .swapped = elf->swapped
	};
	struct pipa_elf_section section;

	if (pipa_elf_section_named(elf, ".text", &section))
		cfi.text = section.addr;
	if (pipa_elf_section_named(elf, ".got", &section))
		cfi.data = section.addr;
	return cfi;
}

/* -ENOMEM, or 0: what is empty or corrupt is done without. */
static int add_source(struct pipa_unwind_table *table, const struct pipa_cfi *cfi,
		      const struct pipa_fde_index *linked)
{
	struct source *source = &table->sources[table->n];

	if (!cfi->bytes.size || table->n == SOURCES)
		return 0;
	source->cfi = *cfi;
	if (linked)
		source->index = *linked;
	else if (pipa_fde_index_build(&source->index, cfi) < 0)
		return -ENOMEM;
	if (source->index.n)
		table->n++;
	else
		pipa_fde_index_done(&source->index);
	return 0;
}

/* What is in the file from this address on, to the end of its segment. */
static struct pipa_span bytes_from(const struct pipa_elf *elf, uint64_t addr)
{
	struct pipa_elf_segment segment;
	struct pipa_span span;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &segment); i++) {
		uint64_t within = addr - segment.addr;

		if (segment.type != PT_LOAD || addr < segment.addr || within >= segment.file_size)
			continue;
		if (pipa_span_cut(elf->file, segment.offset + within, segment.file_size - within,
				  &span))
			return span;
		if (segment.offset + within < elf->file.size && /* cut short, as out of memory */
		    pipa_span_cut(elf->file, segment.offset + within,
				  elf->file.size - segment.offset - within, &span))
			return span;
	}
	return (struct pipa_span){ NULL, 0 };
}

/* .eh_frame_hdr: by its section, else by its segment. */
static struct pipa_span find_hdr(const struct pipa_elf *elf, uint64_t *ret_addr)
{
	struct pipa_elf_section section;
	struct pipa_elf_segment segment;
	struct pipa_span span;
	uint32_t i;

	if (pipa_elf_section_named(elf, ".eh_frame_hdr", &section)) {
		*ret_addr = section.addr;
		return pipa_elf_section_bytes(elf, &section);
	}
	for (i = 0; pipa_elf_segment(elf, i, &segment); i++) {
		if (segment.type == PT_GNU_EH_FRAME &&
		    pipa_span_cut(elf->file, segment.offset, segment.file_size, &span)) {
			*ret_addr = segment.addr;
			return span;
		}
	}
	*ret_addr = 0;
	return (struct pipa_span){ NULL, 0 };
}

static int add_eh_frame(struct pipa_unwind_table *table, const struct pipa_elf *elf)
{
	struct pipa_elf_section section;
	struct pipa_fde_index index = { 0 };
	struct pipa_span frame = { NULL, 0 };
	uint64_t hdr_addr, frame_addr, said;
	struct pipa_span hdr = find_hdr(elf, &hdr_addr);
	struct pipa_cfi cfi;
	bool linked;

	linked = pipa_fde_index_linked(&index, hdr, hdr_addr, elf->is64, elf->swapped, &said);
	frame_addr = said;
	if (pipa_elf_section_named(elf, ".eh_frame", &section)) {
		frame = pipa_elf_section_bytes(elf, &section);
		frame_addr = section.addr;
		linked = linked && said == frame_addr;
	} else if (said) {
		frame = bytes_from(elf, said);
	}
	cfi = cfi_of(elf, frame, frame_addr);
	cfi.is_eh = true;
	return add_source(table, &cfi, linked ? &index : NULL);
}

static int add_debug_frame(struct pipa_unwind_table *table, const struct pipa_elf *elf)
{
	struct pipa_inflated inflated;
	struct pipa_elf_section section;
	struct pipa_span bytes;
	struct pipa_cfi cfi;
	int rc;

	if (!pipa_elf_section_named(elf, ".debug_frame", &section) &&
	    !pipa_elf_section_named(elf, ".zdebug_frame", &section))
		return 0;
	bytes = pipa_elf_section_bytes(elf, &section);
	if (bytes.size && pipa_elf_section_compressed(elf, &section)) {
		rc = pipa_elf_section_inflate(elf, &section, INFLATED_MOST, &inflated, NULL);
		if (rc < 0)
			return rc == -ENOMEM ? rc : 0;
		table->owned[table->n_owned++] = inflated.data;
		bytes = (struct pipa_span){ inflated.data, inflated.size };
	}
	cfi = cfi_of(elf, bytes, section.addr);
	return add_source(table, &cfi, NULL);
}

static int add_minidebug(struct pipa_unwind_table *table)
{
	struct pipa_inflated inflated;
	struct pipa_elf elf;
	int rc = pipa_elf_minidebug(&table->elf, INFLATED_MOST, &inflated, NULL);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	table->owned[table->n_owned++] = inflated.data;
	if (pipa_elf_init(&elf, (struct pipa_span){ inflated.data, inflated.size }, NULL) < 0 ||
	    elf.machine != table->elf.machine)
		return 0;
	rc = add_eh_frame(table, &elf);
	return rc ? rc : add_debug_frame(table, &elf);
}

static int add_sources(struct pipa_unwind_table *table, const struct pipa_elf *debug)
{
	int rc = add_eh_frame(table, &table->elf);

	if (!rc)
		rc = add_debug_frame(table, &table->elf);
	if (!rc && debug)
		rc = add_debug_frame(table, debug);
	if (!rc && !table->n)
		rc = add_minidebug(table);
	return rc;
}

int pipa_unwind_table_new(const struct pipa_unwind_files *files, struct pipa_unwind_table **ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_unwind_table_free)
	struct pipa_unwind_table *table = calloc(1, sizeof(*table));
	struct pipa_elf debug;
	bool has_debug;
	int rc;

	if (!table)
		return pipa_fail(err, -ENOMEM, "read call frame information");
	has_debug = pipa_elf_init(&debug, files->debug, NULL) == 0;
	rc = pipa_elf_init(&table->elf, files->main, err);
	if (rc < 0) {
		if (!has_debug)
			return rc;
		table->elf = debug;
		has_debug = false;
	}
	table->arch = pipa_unwind_arch_of(table->elf.machine);
	if (!table->arch || !table->elf.is64)
		return pipa_refuse(err, -ENOTSUP, "cannot unwind stacks of ELF machine %u",
				   table->elf.machine);
	has_debug = has_debug && debug.machine == table->elf.machine && debug.is64;
	if (table->elf.type != ET_REL && add_sources(table, has_debug ? &debug : NULL) < 0)
		return pipa_fail(err, -ENOMEM, "read call frame information");
	*ret = PIPA_TAKE(table);
	return 0;
}

void pipa_unwind_table_free(struct pipa_unwind_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->n; i++)
		pipa_fde_index_done(&table->sources[i].index);
	for (i = 0; i < table->n_owned; i++)
		free(table->owned[i]);
	free(table);
}

const struct pipa_unwind_arch *pipa_unwind_table_arch(const struct pipa_unwind_table *table)
{
	return table->arch;
}

bool pipa_unwind_table_swapped(const struct pipa_unwind_table *table)
{
	return table->elf.swapped;
}

bool pipa_unwind_table_addr(const struct pipa_unwind_table *table, uint64_t offset,
			    uint64_t *ret_addr)
{
	return pipa_elf_offset_to_addr(&table->elf, offset, ret_addr);
}

size_t pipa_unwind_table_count(const struct pipa_unwind_table *table)
{
	size_t i, n = 0;

	for (i = 0; i < table->n; i++)
		n += table->sources[i].index.n;
	return n;
}

static const struct source *find(const struct pipa_unwind_table *table, uint64_t addr,
				 struct pipa_fde *ret)
{
	size_t i;

	for (i = 0; i < table->n; i++) {
		const struct source *source = &table->sources[i];

		if (pipa_fde_index_find(&source->index, &source->cfi, addr, ret))
			return source;
	}
	return NULL;
}

int pipa_unwind_table_row(const struct pipa_unwind_table *table, uint64_t addr,
			  struct pipa_row *ret)
{
	struct pipa_fde fde;
	const struct source *source = find(table, addr, &fde);

	return source ? pipa_row_find(table->arch, &source->cfi, &fde, addr, ret) : -ENOENT;
}

bool pipa_unwind_range(const struct pipa_unwind_table *table, uint64_t addr, uint64_t *ret_start,
		       uint64_t *ret_end)
{
	struct pipa_fde fde;

	if (!find(table, addr, &fde))
		return false;
	*ret_start = fde.start;
	*ret_end = fde.end;
	return true;
}

const uint8_t *pipa_unwind_table_span(const struct pipa_unwind_table *table, uint64_t addr,
				      size_t *ret_size)
{
	struct pipa_elf_segment segment;
	struct pipa_span span;
	uint32_t i;

	for (i = 0; pipa_elf_segment(&table->elf, i, &segment); i++) {
		uint64_t within = addr - segment.addr;

		if (segment.type != PT_LOAD || segment.flags & PF_W || addr < segment.addr ||
		    within >= segment.file_size)
			continue;
		if (!pipa_span_cut(table->elf.file, segment.offset + within,
				   segment.file_size - within, &span))
			return NULL;
		*ret_size = span.size;
		return span.data;
	}
	return NULL;
}

size_t pipa_unwind_table_bytes(const struct pipa_unwind_table *table, uint64_t addr, void *to,
			       size_t size)
{
	size_t there;
	const uint8_t *bytes = pipa_unwind_table_span(table, addr, &there);

	if (!bytes)
		return 0;
	if (size > there)
		size = there;
	memcpy(to, bytes, size);
	return size;
}

int pipa_unwind_table_each(const struct pipa_unwind_table *table, size_t stride,
			   int (*each)(void *ctx, const struct pipa_cfi *cfi,
				       const struct pipa_fde *fde),
			   void *ctx)
{
	struct pipa_fde fde;
	uint64_t next;
	size_t s, i;
	int rc;

	for (s = 0; s < table->n; s++) {
		const struct source *source = &table->sources[s];

		for (i = 0; i < source->index.n; i += stride) {
			uint64_t at = pipa_fde_index_get(&source->index, i, &source->cfi).at;

			if (pipa_cfi_at(&source->cfi, at, &next, &fde) != PIPA_CFI_FDE)
				continue;
			rc = each(ctx, &source->cfi, &fde);
			if (rc)
				return rc;
		}
	}
	return 0;
}
