/*
 * Tables that all threads of a Firefox profile share: strings, stacks, frames, functions, symbols
 * and source files.
 */
#include "export/exchange/firefox_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "codec/doc.h"
#include "export/exchange/firefox_columns.h"

/* In the order of meta.categories. */
enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

/* A frame of the file: a line of the profile, or a location without lines. */
struct pipa_firefox_frame {
	uint32_t frame; /* as in struct pipa_frames */
	uint32_t location;
	uint32_t inline_depth;	/* 0: outermost */
	uint32_t native_symbol; /* PIPA_NONE: unknown */
};

struct pipa_firefox_symbol {
	uint64_t address; /* in the object */
	uint32_t object;
	uint32_t name; /* one of the tracks' names */
};

static bool same_symbol(const struct pipa_firefox_symbol *a, const struct pipa_firefox_symbol *b)
{
	return a && a->object == b->object && a->address == b->address;
}

/* Return the symbol of a location's code; PIPA_NONE if it is unknown. Failures are kept in status. */
static uint32_t find_symbol(struct pipa_firefox_writer *w, const struct pipa_location *location)
{
	uint32_t outermost = location->lines + location->n_lines - 1, number;
	struct pipa_firefox_symbol symbol = { .object = location->object };

	if (!location->n_lines || location->unresolved || location->by_lines ||
	    location->object >= w->p->objects.n || location->symbol_offset > location->offset)
		return PIPA_NONE;
	symbol.address = location->offset - location->symbol_offset;
	symbol.name = w->t->functions.items[w->t->frame_functions[outermost]].name;
	number = PIPA_INTERN(&w->tables.symbols, pipa_hash_u64(symbol.address, symbol.object),
			     same_symbol, &symbol);
	if (number == PIPA_NONE)
		w->to.status = -ENOMEM;
	return number;
}

static void add_frame(struct pipa_firefox_tables *tables, uint32_t frame, uint32_t location,
		      uint32_t depth, uint32_t symbol)
{
	tables->row_of_frame[frame] = (uint32_t)tables->n_frames;
	tables->frames[tables->n_frames++] = (struct pipa_firefox_frame){ frame, location, depth,
									  symbol };
}

int pipa_firefox_tables_make(struct pipa_firefox_writer *w)
{
	struct pipa_firefox_tables *tables = &w->tables;
	const struct pipa_profile *p = w->p;
	uint32_t i, k, row = PIPA_FIREFOX_FIXED_ROWS;

	tables->frames = malloc((w->t->frames.n + PIPA_FIREFOX_FIXED_ROWS) *
				sizeof(*tables->frames));
	tables->row_of_frame = malloc((w->t->frames.n + 1) * sizeof(*tables->row_of_frame));
	tables->row_of_stack = malloc((p->stacks.n + 1) * sizeof(*tables->row_of_stack));
	tables->source_of = malloc((p->strings.n + 1) * sizeof(*tables->source_of));
	tables->sources = malloc((w->t->functions.n + 1) * sizeof(*tables->sources));
	if (!tables->frames || !tables->row_of_frame || !tables->row_of_stack ||
	    !tables->source_of || !tables->sources)
		return -ENOMEM;
	tables->n_frames = PIPA_FIREFOX_FIXED_ROWS;
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];
		uint32_t symbol = find_symbol(w, location);

		if (!location->n_lines)
			add_frame(tables, (uint32_t)p->lines.n + i, i, 0, symbol);
		for (k = 0; k < location->n_lines; k++)
			add_frame(tables, location->lines + k, i, location->n_lines - 1 - k,
				  symbol);
	}
	for (i = 0; i < p->stacks.n; i++) {
		uint32_t n = p->locations.items[p->stacks.items[i].location].n_lines;

		row += n ? n : 1;
		tables->row_of_stack[i] = row - 1;
	}
	memset(tables->source_of, 0xff, (p->strings.n + 1) * sizeof(*tables->source_of));
	for (i = 0; i < w->t->functions.n; i++) {
		uint32_t file = w->t->functions.items[i].file;

		if (file && tables->source_of[file] == PIPA_NONE) {
			tables->source_of[file] = tables->n_sources;
			tables->sources[tables->n_sources++] = file;
		}
	}
	return w->to.status;
}

void pipa_firefox_tables_done(struct pipa_firefox_tables *tables)
{
	free(tables->frames);
	free(tables->row_of_frame);
	free(tables->row_of_stack);
	free(tables->symbols.items);
	pipa_index_done(&tables->symbols.index);
	free(tables->source_of);
	free(tables->sources);
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Numbers of strings: names of functions, of objects, of source files, of markers. */
static uint64_t object_string(const struct pipa_firefox_writer *w, size_t object)
{
	return w->t->names.n + object;
}

static uint64_t source_string(const struct pipa_firefox_writer *w, size_t source)
{
	return object_string(w, w->p->objects.n) + source;
}

uint64_t pipa_firefox_marker_string(const struct pipa_firefox_writer *w, size_t kind)
{
	return source_string(w, w->tables.n_sources) + kind;
}

static void put_strings(struct pipa_firefox_writer *w)
{
	size_t i, n = 0;

	pipa_buf_puts(&w->to.buf, "\"stringArray\":[");
	for (i = 0; i < w->t->names.n; i++) {
		pipa_firefox_column_next(&w->to, n++);
		pipa_doc_put_quoted(&w->to.buf, pipa_strings_get(&w->t->names, (uint32_t)i));
	}
	for (i = 0; i < w->p->objects.n; i++) {
		pipa_firefox_column_next(&w->to, n++);
		pipa_doc_put_quoted(&w->to.buf, pipa_object_short(w->p, (uint32_t)i));
	}
	for (i = 0; i < w->tables.n_sources; i++) {
		pipa_firefox_column_next(&w->to, n++);
		pipa_doc_put_quoted(&w->to.buf, pipa_profile_string(w->p, w->tables.sources[i]));
	}
	for (i = 0; i < PIPA_FIREFOX_MARKER_NR; i++) {
		pipa_firefox_column_next(&w->to, n++);
		pipa_doc_put_quoted(&w->to.buf, pipa_firefox_marker_names[i]);
	}
	pipa_buf_puts(&w->to.buf, "]");
}

/* Write the frame, or the prefix, of each row of the table of stacks. */
static void put_stack_column(struct pipa_firefox_writer *w, bool prefix)
{
	const struct pipa_profile *p = w->p;
	uint32_t i, k;

	pipa_firefox_column_begin(&w->to, prefix ? "prefix" : "frame");
	pipa_buf_puts(&w->to.buf, prefix ? "null,null" : "0,1");
	for (i = 0; i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];
		const struct pipa_location *location = &p->locations.items[stack->location];
		uint32_t n = location->n_lines ? location->n_lines : 1;
		uint32_t first = location->n_lines ? location->lines :
						     (uint32_t)p->lines.n + stack->location;

		for (k = n; k--;) { /* callers first */
			pipa_firefox_column_next(&w->to, 1);
			if (!prefix)
				pipa_buf_put_u64(&w->to.buf, w->tables.row_of_frame[first + k]);
			else if (k < n - 1)
				pipa_buf_put_u64(&w->to.buf, w->tables.row_of_stack[i] - k - 1);
			else if (stack->parent != PIPA_NONE)
				pipa_buf_put_u64(&w->to.buf, w->tables.row_of_stack[stack->parent]);
			else
				pipa_firefox_put_number_or_null(
					&w->to.buf, PIPA_FIREFOX_TRUNCATED_ROW,
					stack->cut ? PIPA_NONE : PIPA_FIREFOX_TRUNCATED_ROW);
		}
	}
	pipa_firefox_column_end(&w->to);
}

static enum category category_of(const struct pipa_firefox_writer *w,
				 const struct pipa_location *location)
{
	enum pipa_object_kind kind = location->object < w->p->objects.n ?
					     w->p->objects.items[location->object].kind :
					     PIPA_OBJECT_UNKNOWN;

	if (location->mode == PIPA_MODE_KERNEL || location->mode == PIPA_MODE_GUEST_KERNEL)
		return CATEGORY_KERNEL;
	if (kind == PIPA_OBJECT_JIT)
		return CATEGORY_JIT;
	return location->mode == PIPA_MODE_UNKNOWN && kind == PIPA_OBJECT_UNKNOWN ? CATEGORY_OTHER :
										    CATEGORY_USER;
}

enum frame_column {
	FRAME_ADDRESS,
	FRAME_INLINE_DEPTH,
	FRAME_CATEGORY,
	FRAME_FUNC,
	FRAME_SYMBOL,
	FRAME_LINE,
	FRAME_COLUMN,
	FRAME_COLUMN_NR,
};

static void put_frame_value(struct pipa_firefox_writer *w, enum frame_column column,
			    const struct pipa_firefox_frame *row)
{
	const struct pipa_location *location = &w->p->locations.items[row->location];
	const struct pipa_line none = { 0 }, *line = row->frame < w->p->lines.n ?
							     &w->p->lines.items[row->frame] :
							     &none;

	switch (column) {
	case FRAME_ADDRESS:
		if (location->object >= w->p->objects.n || location->by_lines ||
		    location->unresolved == PIPA_UNRESOLVED_NO_MAPPING)
			pipa_buf_puts(&w->to.buf, "-1");
		else
			pipa_buf_put_u64(&w->to.buf, location->offset);
		break;
	case FRAME_INLINE_DEPTH: pipa_buf_put_u64(&w->to.buf, row->inline_depth); break;
	case FRAME_CATEGORY: pipa_buf_put_u64(&w->to.buf, category_of(w, location)); break;
	case FRAME_FUNC: pipa_buf_put_u64(&w->to.buf, w->t->frame_functions[row->frame]); break;
	case FRAME_SYMBOL:
		pipa_firefox_put_number_or_null(&w->to.buf, row->native_symbol, PIPA_NONE);
		break;
	case FRAME_LINE: pipa_firefox_put_number_or_null(&w->to.buf, line->line, 0); break;
	case FRAME_COLUMN: pipa_firefox_put_number_or_null(&w->to.buf, line->column, 0); break;
	case FRAME_COLUMN_NR: break;
	}
}

static void put_frames(struct pipa_firefox_writer *w)
{
	static const struct {
		const char *name, *fixed; /* values of the first rows; NULL: the functions */
	} columns[FRAME_COLUMN_NR] = {
		[FRAME_ADDRESS] = { "address", "-1,-1" },
		[FRAME_INLINE_DEPTH] = { "inlineDepth", "0,0" },
		[FRAME_CATEGORY] = { "category", "0,0" },
		[FRAME_FUNC] = { "func", NULL },
		[FRAME_SYMBOL] = { "nativeSymbol", "null,null" },
		[FRAME_LINE] = { "line", "null,null" },
		[FRAME_COLUMN] = { "column", "null,null" },
	};
	enum frame_column c;
	size_t i;

	pipa_firefox_table_begin(&w->to, "frameTable", w->tables.n_frames);
	for (c = 0; c < FRAME_COLUMN_NR; c++) {
		pipa_firefox_column_begin(&w->to, columns[c].name);
		if (columns[c].fixed)
			pipa_buf_puts(&w->to.buf, columns[c].fixed);
		else
			pipa_buf_printf(&w->to.buf, "%u,%u", w->t->truncated, w->t->no_stack);
		for (i = PIPA_FIREFOX_FIXED_ROWS; i < w->tables.n_frames; i++) {
			pipa_firefox_column_next(&w->to, i);
			put_frame_value(w, c, &w->tables.frames[i]);
		}
		pipa_firefox_column_end(&w->to);
	}
	pipa_firefox_column_constant(&w->to, "subcategory", "0", w->tables.n_frames);
	pipa_firefox_column_constant(&w->to, "innerWindowID", "null", w->tables.n_frames);
	pipa_buf_puts(&w->to.buf, "}");
}

enum func_column { FUNC_NAME, FUNC_RESOURCE, FUNC_SOURCE, FUNC_LINE, FUNC_COLUMN_NR };

static void put_functions(struct pipa_firefox_writer *w)
{
	static const char *const names[FUNC_COLUMN_NR] = { "name", "resource", "source",
							   "lineNumber" };
	size_t n = w->t->functions.n, i;
	enum func_column c;

	pipa_firefox_table_begin(&w->to, "funcTable", n);
	for (c = 0; c < FUNC_COLUMN_NR; c++) {
		pipa_firefox_column_begin(&w->to, names[c]);
		for (i = 0; i < n; i++) {
			const struct pipa_track_function *f = &w->t->functions.items[i];

			pipa_firefox_column_next(&w->to, i);
			if (c == FUNC_NAME)
				pipa_buf_put_u64(&w->to.buf, f->name);
			else if (c == FUNC_RESOURCE)
				pipa_buf_put_i64(&w->to.buf, f->object < w->p->objects.n ?
								     (int64_t)f->object :
								     -1);
			else if (c == FUNC_SOURCE)
				pipa_firefox_put_number_or_null(
					&w->to.buf,
					f->file ? w->tables.source_of[f->file] : PIPA_NONE,
					PIPA_NONE);
			else
				pipa_firefox_put_number_or_null(&w->to.buf, f->start_line, 0);
		}
		pipa_firefox_column_end(&w->to);
	}
	pipa_firefox_column_constant(&w->to, "isJS", "false", n);
	pipa_firefox_column_constant(&w->to, "relevantForJS", "false", n);
	pipa_firefox_column_constant(&w->to, "columnNumber", "null", n);
	pipa_buf_puts(&w->to.buf, "}");
}

static void put_native_symbols(struct pipa_firefox_writer *w)
{
	size_t i, n = w->tables.symbols.n;

	pipa_firefox_table_begin(&w->to, "nativeSymbols", n);
	pipa_firefox_column_begin(&w->to, "libIndex");
	for (i = 0; i < n; i++) {
		pipa_firefox_column_next(&w->to, i);
		pipa_buf_put_u64(&w->to.buf, w->tables.symbols.items[i].object);
	}
	pipa_firefox_column_end(&w->to);
	pipa_firefox_column_begin(&w->to, "address");
	for (i = 0; i < n; i++) {
		pipa_firefox_column_next(&w->to, i);
		pipa_buf_put_u64(&w->to.buf, w->tables.symbols.items[i].address);
	}
	pipa_firefox_column_end(&w->to);
	pipa_firefox_column_begin(&w->to, "name");
	for (i = 0; i < n; i++) {
		pipa_firefox_column_next(&w->to, i);
		pipa_buf_put_u64(&w->to.buf, w->tables.symbols.items[i].name);
	}
	pipa_firefox_column_end(&w->to);
	pipa_firefox_column_constant(&w->to, "functionSize", "null", n);
	pipa_buf_puts(&w->to.buf, "}");
}

void pipa_firefox_put_shared(struct pipa_firefox_writer *w)
{
	const struct pipa_profile *p = w->p;
	size_t rows = p->stacks.n ? w->tables.row_of_stack[p->stacks.n - 1] + (size_t)1 :
				    PIPA_FIREFOX_FIXED_ROWS;

	pipa_buf_puts(&w->to.buf, ",\"shared\":{");
	put_strings(w);
	pipa_firefox_table_begin(&w->to, "stackTable", rows);
	put_stack_column(w, false);
	put_stack_column(w, true);
	pipa_buf_puts(&w->to.buf, "}");
	put_frames(w);
	put_functions(w);
	pipa_firefox_table_begin(&w->to, "resourceTable", p->objects.n);
	pipa_firefox_column_range(&w->to, "lib", 0, p->objects.n);
	pipa_firefox_column_range(&w->to, "name", object_string(w, 0), p->objects.n);
	pipa_firefox_column_constant(&w->to, "host", "null", p->objects.n);
	pipa_firefox_column_constant(&w->to, "type", "1", p->objects.n); /* a library */
	pipa_buf_puts(&w->to.buf, "}");
	put_native_symbols(w);
	pipa_firefox_table_begin(&w->to, "sources", w->tables.n_sources);
	pipa_firefox_column_constant(&w->to, "uuid", "null", w->tables.n_sources);
	pipa_firefox_column_range(&w->to, "filename", source_string(w, 0), w->tables.n_sources);
	pipa_buf_puts(&w->to.buf, "}}");
}
