#include "symbol/dwarf/dwarf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "elf/inflate.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_functions.h"
#include "symbol/dwarf/dwarf_line.h"
#include "symbol/dwarf/dwarf_package.h"
#include "symbol/dwarf/dwarf_range.h"
#include "symbol/dwarf/dwarf_unit.h"

enum { WORK_AT_LEAST = 1 << 20 };

struct pipa_dwarf {
	struct pipa_dwarf_files files;
	struct pipa_dw_work work;
	struct pipa_dw_file main; /* main or debug file, whichever has DWARF */
	struct pipa_dw_file alt;
	struct pipa_dw_file *splits; /* linked list */
	struct pipa_dw_package package;
	bool package_asked;
	uint64_t bias; /* difference of link-time addresses between the file and its debug file */
	bool indexed;
	bool is_clone;		     /* the index is borrowed */
	bool no_lines;		     /* see pipa_dwarf_leave_lines() */
	struct pipa_intervals index; /* from addresses to indexes of units */
	size_t hint;
	struct pipa_dwarf_frame frames[PIPA_DWARF_FRAMES_MAX];
};

void pipa_dwarf_free(struct pipa_dwarf *dwarf)
{
	struct pipa_dw_file *split;

	if (!dwarf)
		return;
	while ((split = dwarf->splits)) {
		dwarf->splits = split->next;
		pipa_dw_file_done(split);
		free(split);
	}
	pipa_dw_package_done(&dwarf->package);
	pipa_dw_file_done(&dwarf->alt);
	pipa_dw_file_done(&dwarf->main);
	if (!dwarf->is_clone)
		pipa_intervals_done(&dwarf->index);
	pipa_dw_work_done(&dwarf->work);
	free(dwarf);
}

static bool first_load(const struct pipa_elf *elf, uint64_t *ret)
{
	struct pipa_elf_segment s;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &s); i++)
		if (s.type == PT_LOAD) {
			*ret = s.addr;
			return true;
		}
	return false;
}

/* Compute the bias: prelink moves a file but not its debug file. */
static void find_bias(struct pipa_dwarf *dwarf)
{
	struct pipa_elf elf;
	uint64_t ours, theirs;

	if (pipa_elf_init(&elf, dwarf->files.main, NULL) == 0 && first_load(&elf, &ours) &&
	    first_load(&dwarf->main.elf, &theirs))
		dwarf->bias = ours - theirs;
}

static int choose_file(struct pipa_dwarf *dwarf, struct pipa_error *err)
{
	int debug = -ENOENT, main = -ENOENT;

	if (dwarf->files.debug.size) {
		debug = pipa_dw_file_init(&dwarf->main, dwarf->files.debug, false, &dwarf->work);
		if (debug == 0) {
			find_bias(dwarf);
			return 0;
		}
		pipa_dw_file_done(&dwarf->main);
	}
	if (dwarf->files.main.size) {
		main = pipa_dw_file_init(&dwarf->main, dwarf->files.main, false, &dwarf->work);
		if (main == 0)
			return 0;
	}
	if (debug == -ENOMEM || main == -ENOMEM)
		return pipa_fail(err, -ENOMEM, "read debug information");
	if (debug == -EBADMSG && main != -ENOENT)
		return pipa_refuse(err, -EBADMSG, "not an ELF image");
	if (main == -EBADMSG)
		return pipa_refuse(err, -EBADMSG, "not an ELF image");
	return pipa_refuse(err, -ENOENT, "no debug information");
}

int pipa_dwarf_new(const struct pipa_dwarf_files *files, struct pipa_dwarf **ret,
		   struct pipa_error *err)
{
	PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *dwarf = calloc(1, sizeof(*dwarf));
	int rc;

	if (!dwarf)
		return pipa_fail(err, -ENOMEM, "read debug information");
	dwarf->files = *files;
	dwarf->work.left = WORK_AT_LEAST;
	rc = choose_file(dwarf, err);
	if (rc < 0)
		return rc;
	if (files->alt.size) {
		rc = pipa_dw_file_init(&dwarf->alt, files->alt, false, &dwarf->work);
		if (rc == 0)
			dwarf->main.alt = &dwarf->alt;
		else
			pipa_dw_file_done(&dwarf->alt);
		if (rc == -ENOMEM)
			return pipa_fail(err, -ENOMEM, "read debug information");
	}
	*ret = PIPA_TAKE(dwarf);
	return 0;
}

void pipa_dwarf_leave_lines(struct pipa_dwarf *dwarf)
{
	dwarf->no_lines = true;
}

/* Build the index from addresses to units. 0 or -ENOMEM. */
static int make_index(struct pipa_dwarf *dwarf)
{
	struct pipa_dw_file *file = &dwarf->main;
	struct pipa_dw_unit *unit;
	size_t i;
	int rc;

	dwarf->indexed = true;
	pipa_dw_units_read(file);
	rc = pipa_dw_aranges_add(file, &dwarf->index);
	for (i = 0; rc == 0 && i < file->units.n && i < PIPA_NO_INTERVAL; i++) {
		unit = &file->units.items[i];
		if (!unit->in_aranges && pipa_dw_unit_open(unit))
			rc = pipa_dw_unit_places(unit, &dwarf->index, (uint32_t)i);
	}
	return rc < 0 ? rc : pipa_intervals_finish(&dwarf->index);
}

static int need_index(struct pipa_dwarf *dwarf)
{
	int rc = dwarf->indexed ? 0 : make_index(dwarf);

	if (rc < 0)
		dwarf->work.status = rc;
	return dwarf->work.status;
}

int pipa_dwarf_clone(struct pipa_dwarf *first, struct pipa_dwarf **ret, struct pipa_error *err)
{
	int rc = need_index(first);
	struct pipa_dwarf *clone = rc < 0 ? NULL : calloc(1, sizeof(*clone));

	if (!clone)
		return pipa_fail(err, rc < 0 ? rc : -ENOMEM, "read debug information");
	clone->is_clone = clone->indexed = true;
	clone->no_lines = first->no_lines;
	clone->files = first->files;
	clone->bias = first->bias;
	clone->index = first->index;
	pipa_dw_file_lend(&first->main, &clone->work, &clone->main);
	if (first->main.alt) {
		pipa_dw_file_lend(&first->alt, &clone->work, &clone->alt);
		clone->main.alt = &clone->alt;
	}
	clone->work.left = first->work.left;
	clone->work.status = first->work.status;
	pipa_dw_units_read(&clone->main); /* in the same order as in the index */
	*ret = clone;
	return 0;
}

bool pipa_dwarf_packed(const struct pipa_dwarf *dwarf)
{
	const struct pipa_dw_file *file = &dwarf->main;
	struct pipa_elf_section info;

	return pipa_elf_section(&file->elf, file->sections[PIPA_DW_INFO].index, &info) &&
	       pipa_elf_section_compressed(&file->elf, &info);
}

/* Part 0 is .debug_info, which takes as long as all other sections together. */
void pipa_dwarf_unpack(struct pipa_dwarf *dwarf, unsigned int part)
{
	int i;

	for (i = 0; i < PIPA_DW_SECTION_NR; i++) {
		if ((part == 0) != (i == PIPA_DW_INFO) || (i == PIPA_DW_LINE && dwarf->no_lines))
			continue;
		pipa_dw_section_unpack(&dwarf->main, i);
		if (dwarf->main.alt)
			pipa_dw_section_unpack(&dwarf->alt, i);
	}
}

void pipa_dwarf_preload_lines(struct pipa_dwarf *dwarf, bool (*go_on)(void *ctx), void *ctx)
{
	uint64_t offset = 0;

	while (!dwarf->work.status && go_on(ctx) && pipa_dw_preload_lines(&dwarf->main, &offset))
		;
}

static struct pipa_dw_file *split_file(struct pipa_dwarf *dwarf, struct pipa_span bytes)
{
	struct pipa_dw_file *file;

	for (file = dwarf->splits; file; file = file->next)
		if (file->elf.file.data == bytes.data)
			return file;
	file = calloc(1, sizeof(*file));
	if (!file) {
		dwarf->work.status = -ENOMEM;
		return NULL;
	}
	if (pipa_dw_file_init(file, bytes, true, &dwarf->work) < 0) {
		pipa_dw_file_done(file);
		free(file);
		return NULL;
	}
	file->next = dwarf->splits;
	dwarf->splits = file;
	return file;
}

/* Return the file of a split unit in the package; NULL if there is none. */
static struct pipa_dw_file *package_file(struct pipa_dwarf *dwarf, uint64_t id)
{
	struct pipa_dw_file *file;

	if (!dwarf->package_asked && dwarf->files.package.size)
		pipa_dw_package_init(&dwarf->package, dwarf->files.package, &dwarf->work);
	dwarf->package_asked = true;
	if (!dwarf->package.good)
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file) {
		dwarf->work.status = -ENOMEM;
		return NULL;
	}
	if (!pipa_dw_package_find(&dwarf->package, id, file)) {
		free(file);
		return NULL;
	}
	file->next = dwarf->splits;
	dwarf->splits = file;
	return file;
}

/* Return the unit with the skeleton's id in a file of split units. */
static struct pipa_dw_unit *split_unit(struct pipa_dw_file *file, struct pipa_dw_unit *skeleton)
{
	struct pipa_dw_unit *unit;
	size_t i;

	pipa_dw_units_read(file);
	for (i = 0; i < file->units.n && pipa_dw_charge(file->work, 1); i++) {
		unit = &file->units.items[i];
		if (unit->sizes.version >= 5 && unit->id != skeleton->id)
			continue;
		if (!unit->opened && pipa_dw_unit_open_split(unit, skeleton) &&
		    unit->id == skeleton->id)
			return unit;
	}
	return NULL;
}

static void find_split(struct pipa_dwarf *dwarf, struct pipa_dw_unit *unit)
{
	struct pipa_dwarf_split wanted = { unit->split_name, unit->comp_dir, unit->id };
	struct pipa_dw_file *file = package_file(dwarf, unit->id);
	struct pipa_span bytes = { 0 };

	unit->split_sought = true;
	if (file)
		unit->split = split_unit(file, unit);
	if (unit->split)
		return;
	if (!dwarf->files.fetch || !dwarf->files.fetch(dwarf->files.ctx, &wanted, &bytes))
		return;
	file = split_file(dwarf, bytes);
	if (file)
		unit->split = split_unit(file, unit);
}

static struct pipa_dw_unit *find_unit(struct pipa_dwarf *dwarf, uint64_t addr)
{
	uint32_t number = pipa_intervals_find(&dwarf->index, addr, &dwarf->hint);
	struct pipa_dw_unit *unit;

	if (number == PIPA_NO_INTERVAL)
		return NULL;
	unit = &dwarf->main.units.items[number];
	if (!pipa_dw_unit_open(unit))
		return NULL;
	if (unit->split_name && !unit->split_sought)
		find_split(dwarf, unit);
	return unit;
}

/* Set the source line of the first frame. */
static bool set_line(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines, uint64_t addr,
		     struct pipa_dwarf_frame *frame)
{
	const struct pipa_dw_row *row = lines ? pipa_dw_lines_find(lines, addr) : NULL;

	*frame = (struct pipa_dwarf_frame){ 0 };
	if (!row)
		return false;
	frame->file = pipa_dw_lines_path(unit, lines, row->file);
	frame->line = row->line;
	frame->column = row->column;
	return true;
}

/*
 * Append the frames of inlined functions, innermost first; each sets the call line of the next one.
 * Returns the number of frames.
 */
static size_t append_inlined(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			     struct pipa_dw_function *function, uint32_t number,
			     struct pipa_dwarf_frame *frames)
{
	struct pipa_dw_inlined *inlined;
	size_t n = 0;

	while (number != PIPA_NO_INTERVAL && n < PIPA_DWARF_FRAMES_MAX - 1) {
		inlined = &function->inlined[number];
		frames[n].function = pipa_dw_inlined_name(inlined);
		frames[n].start_line = inlined->decl_line;
		frames[n].inlined = true;
		frames[++n] = (struct pipa_dwarf_frame){
			.file = lines ? pipa_dw_lines_path(unit, lines, inlined->call_file) : NULL,
			.line = inlined->call_line,
			.column = inlined->call_column,
		};
		number = inlined->parent ? inlined->parent - 1 : PIPA_NO_INTERVAL;
	}
	return n;
}

static size_t resolve_one(struct pipa_dwarf *dwarf, uint64_t addr)
{
	struct pipa_dw_unit *unit = find_unit(dwarf, addr);
	struct pipa_dw_lines *lines;
	struct pipa_dw_function *function;
	bool has_line;
	size_t n;

	if (!unit)
		return 0;
	lines = dwarf->no_lines ? NULL : pipa_dw_unit_lines(unit);
	has_line = set_line(unit, lines, addr, &dwarf->frames[0]);
	function = pipa_dw_function_at(unit->split ? unit->split : unit, addr);
	if (!function)
		return has_line;
	n = append_inlined(unit, lines, function, pipa_dw_inlined_at(function, addr),
			   dwarf->frames);
	dwarf->frames[n].function = function->name;
	dwarf->frames[n].start_line = function->decl_line;
	return n + 1;
}

int pipa_dwarf_resolve(struct pipa_dwarf *dwarf, const uint64_t *addrs, size_t n,
		       pipa_dwarf_found_fn found, void *ctx)
{
	int rc = need_index(dwarf);
	size_t i, depth;

	for (i = 0; rc == 0 && i < n; i++) {
		depth = resolve_one(dwarf, addrs[i] - dwarf->bias);
		rc = dwarf->work.status;
		if (rc == 0)
			rc = found(ctx, i, dwarf->frames, depth);
	}
	return rc;
}
