#include "symbol/dwarf/dwarf_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/dwarf/dwarf_line_head.h"
#include "symbol/dwarf/dwarf_line_run.h"
#include "symbol/dwarf/dwarf_unit.h"

enum { COST = 8 }; /* work per byte of a program, which may produce a row of twice that */

void pipa_dw_lines_free(struct pipa_dw_lines *lines)
{
	if (!lines)
		return;
	free(lines->files.items);
	if (!lines->borrowed) {
		free(lines->sequences.items);
		free(lines->folders.items);
	}
	free(lines);
}

/* Copy the rows to the arena, where they live as long as the unit. 0 or -ENOMEM. */
static int store_rows(struct pipa_dw_work *work, struct pipa_dw_lines *lines)
{
	lines->rows = pipa_dw_copy(work, work->rows.items,
				   work->rows.n * sizeof(*work->rows.items));
	return work->status;
}

static int make_lines(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines)
{
	struct pipa_dw_line_head head;
	struct pipa_dw_work *work = unit->file->work;
	int rc = 0;

	work->map.n = 0;
	if (pipa_dw_line_head_read(unit, lines, &head) &&
	    pipa_dw_charge(work, COST * pipa_cursor_left(&head.program))) {
		pipa_dw_line_run(&head, unit->file->zero_is_code, lines, work);
		rc = store_rows(work, lines);
	}
	if (rc == 0)
		rc = lines->status;
	return rc < 0 ? rc : pipa_dw_copy_map(work, &lines->map);
}

/* ---- tables built before their units --------------------------------------------------------- */

void pipa_dw_lines_made_done(struct pipa_dw_file *file)
{
	size_t i;

	if (file->made.borrowed)
		return;
	for (i = 0; i < file->made.n; i++)
		pipa_dw_lines_free(file->made.items[i].lines);
	free(file->made.items);
}

static int build_preloaded(struct pipa_dw_file *file, uint64_t offset)
{
	struct pipa_dw_unit nobody = { .file = file,
				       .stmt_list = offset,
				       .sizes = { .version = 4, .addr = 8, .offset = 4 },
				       .str_base = UINT64_MAX };
	struct pipa_dw_lines *lines = calloc(1, sizeof(*lines));
	struct pipa_dw_lines_made *made;
	int rc = lines ? make_lines(&nobody, lines) : -ENOMEM;

	if (rc < 0 || lines->name_missing) { /* names given as indexes need the unit */
		pipa_dw_lines_free(lines);
		return rc;
	}
	made = PIPA_VEC_ADD(&file->made);
	if (!made) {
		pipa_dw_lines_free(lines);
		return -ENOMEM;
	}
	*made = (struct pipa_dw_lines_made){ offset, lines };
	return 0;
}

bool pipa_dw_preload_lines(struct pipa_dw_file *file, uint64_t *offset)
{
	struct pipa_cursor c = pipa_dw_cursor(file, PIPA_DW_LINE, *offset);
	const uint8_t *start = c.pos;
	uint64_t length = pipa_get_u32(&c);
	int rc;

	if (length == UINT32_MAX)
		length = pipa_get_u64(&c);
	if (c.status || length > pipa_cursor_left(&c))
		return false;
	rc = build_preloaded(file, *offset);
	if (rc < 0)
		file->work->status = rc;
	*offset += (uint64_t)(c.pos - start) + length;
	return rc == 0;
}

static const struct pipa_dw_lines *find_made(const struct pipa_dw_file *file, uint64_t offset)
{
	size_t low = 0, high = file->made.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (file->made.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->made.n || file->made.items[low].offset != offset)
		return NULL;
	return file->made.items[low].lines;
}

/* Borrow a table, with own state for the last lookup. 0 or -ENOMEM. */
static int borrow_lines(const struct pipa_dw_lines *made, struct pipa_dw_lines *lines)
{
	size_t size = made->files.n * sizeof(*made->files.items);
	struct pipa_dw_source *files = size ? malloc(size) : NULL;

	if (size && !files)
		return -ENOMEM;
	if (size)
		memcpy(files, made->files.items, size);
	*lines = *made;
	lines->files.items = files;
	lines->borrowed = true;
	return 0;
}

/* ---- lookup ---------------------------------------------------------------------------------- */

struct pipa_dw_lines *pipa_dw_unit_lines(struct pipa_dw_unit *unit)
{
	struct pipa_dw_lines *lines = unit->lines;
	const struct pipa_dw_lines *made;
	int rc;

	if (lines || !unit->has_lines)
		return lines;
	made = find_made(unit->file, unit->stmt_list);
	lines = calloc(1, sizeof(*lines));
	rc = !lines ? -ENOMEM : made ? borrow_lines(made, lines) : make_lines(unit, lines);
	if (rc < 0) {
		unit->file->work->status = rc;
		pipa_dw_lines_free(lines);
		return NULL;
	}
	unit->lines = lines;
	return lines;
}

/* Return the last of n rows at or before the offset; ascending lookups start at the last result. */
static size_t find_row(const struct pipa_dw_row *rows, size_t n, uint64_t offset, size_t hint)
{
	size_t low = 0, high = n, middle, step;

	if (hint < n && rows[hint].offset <= offset) {
		low = hint;
		for (step = 1; low + step < n && rows[low + step].offset <= offset; step *= 2)
			low += step;
		if (low + step < n)
			high = low + step;
	}
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (rows[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct pipa_dw_row *pipa_dw_lines_find(struct pipa_dw_lines *lines, uint64_t addr)
{
	uint32_t number = pipa_intervals_find(&lines->map, addr, &lines->hint);
	const struct pipa_dw_sequence *sequence;
	const struct pipa_dw_row *rows;

	if (number == PIPA_NO_INTERVAL)
		return NULL;
	if (number != lines->last_sequence)
		lines->last_row = 0;
	lines->last_sequence = number;
	sequence = &lines->sequences.items[number];
	rows = &lines->rows[sequence->rows];
	lines->last_row = find_row(rows, sequence->n, addr - sequence->start, lines->last_row);
	return &rows[lines->last_row];
}

/* Join root, directory and name to a path; absolute parts replace those before them. */
static const char *join_path(struct pipa_dw_work *work, const char *root, const char *directory,
			     const char *name)
{
	const char *pieces[3] = { root, directory, name };
	size_t len = 0, n = 0, i;
	char *path;

	if (directory && directory[0] == '/')
		pieces[0] = NULL;
	if (name[0] == '/')
		pieces[0] = pieces[1] = NULL;
	for (i = 0; i < 3; i++)
		len += pieces[i] && *pieces[i] ? strlen(pieces[i]) + 1 : 0;
	path = pipa_dw_charge(work, len) ? pipa_dw_alloc(work, len + 1) : NULL;
	if (!path)
		return NULL;
	for (i = 0; i < 3; i++) {
		if (!pieces[i] || !*pieces[i])
			continue;
		len = strlen(pieces[i]);
		memcpy(path + n, pieces[i], len);
		n += len;
		path[n++] = '/';
	}
	path[n ? n - 1 : 0] = '\0';
	return path;
}

const char *pipa_dw_lines_path(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			       uint64_t number)
{
	struct pipa_dw_source *file;
	const char *directory = NULL;

	if (number >= lines->files.n)
		return NULL;
	file = &lines->files.items[number];
	if (file->path || !file->name)
		return file->path;
	if (file->directory < lines->folders.n)
		directory = lines->folders.items[file->directory];
	file->path = join_path(unit->file->work, unit->comp_dir, directory, file->name);
	return file->path;
}
