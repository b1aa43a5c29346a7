#include "export/exchange/firefox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "codec/doc.h"
#include "export/exchange/tracks.h"
#include "model/profile.h"
#include "model/recording.h"

enum {
	TRUNCATED_ROW = 0, /* of the tables of stacks and frames: "[truncated]" */
	NO_STACK_ROW = 1,  /* "[no stack]" */
	FIXED_ROWS,
};

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

/* Kinds of markers: those of enum pipa_track_interval_kind, then this one. */
enum { MARKER_CPU = PIPA_TRACK_THROTTLED + 1, MARKER_NR };

static const char *const marker_names[MARKER_NR] = {
	[PIPA_TRACK_LOST] = "Lost records",
	[PIPA_TRACK_LOST_SAMPLES] = "Lost samples",
	[PIPA_TRACK_THROTTLED] = "Throttled",
	[MARKER_CPU] = "CPU",
};

/* A frame of the file: a line of the profile, or a location without lines. */
struct frame_row {
	uint32_t frame; /* as in struct pipa_frames */
	uint32_t location;
	uint32_t inline_depth;	/* 0: outermost */
	uint32_t native_symbol; /* PIPA_NONE: unknown */
};

struct native_symbol {
	uint64_t address; /* in the object */
	uint32_t object;
	uint32_t name; /* one of the tracks' names */
};

struct writer {
	const struct pipa_tracks *t;
	const struct pipa_profile *p;
	const struct pipa_firefox_format *format;
	struct frame_row *frames;
	size_t n_frames;
	uint32_t *row_of_frame; /* [frame] its row in the file */
	uint32_t *row_of_stack; /* [stack] row of its innermost frame */
	PIPA_TABLE(native_symbol) symbols;
	uint32_t *source_of; /* [string of the profile] PIPA_NONE: not a source file */
	uint32_t *sources;   /* strings of the profile */
	uint32_t n_sources;
	size_t *intervals;	/* numbers of the intervals, by the track that each is shown with */
	size_t *first_interval; /* [track] its first in `intervals`; a last entry has their number */
	uint32_t *processes;	/* main threads, sorted by PID */
	size_t n_processes;
	bool several_events;
	unsigned int same_tid; /* tracks of the same thread before the one that is written */
	struct pipa_pieces to;
};

static void writer_done(struct writer *w)
{
	free(w->frames);
	free(w->row_of_frame);
	free(w->row_of_stack);
	free(w->symbols.items);
	pipa_index_done(&w->symbols.index);
	free(w->source_of);
	free(w->sources);
	free(w->intervals);
	free(w->first_interval);
	free(w->processes);
	pipa_buf_done(&w->to.buf);
}

/* ---- text -------------------------------------------------------------------------------------- */

static void put_text(struct writer *w, const char *text)
{
	pipa_buf_puts(&w->to.buf, text);
}

static void put_quoted(struct writer *w, const char *text)
{
	pipa_doc_put_quoted(&w->to.buf, text);
}

/* Start a column of a table: `"NAME":[`; put_next() precedes each value but the first. */
static void begin_column(struct writer *w, const char *name)
{
	put_text(w, ",\"");
	put_text(w, name);
	put_text(w, "\":[");
}

static void put_next(struct writer *w, size_t i)
{
	if (i) {
		pipa_buf_putc(&w->to.buf, ',');
		pipa_pieces_flush(&w->to);
	}
}

static void put_number(struct writer *w, uint64_t number)
{
	pipa_buf_put_u64(&w->to.buf, number);
}

static void put_number_or_null(struct writer *w, uint64_t number, uint64_t null)
{
	if (number == null)
		put_text(w, "null");
	else
		put_number(w, number);
}

/* Write a column in which all values are equal. */
static void put_constant_column(struct writer *w, const char *name, const char *value, size_t n)
{
	size_t i;

	begin_column(w, name);
	for (i = 0; i < n; i++) {
		put_next(w, i);
		put_text(w, value);
	}
	put_text(w, "]");
}

/* Write nanoseconds as milliseconds, exactly. */
static void put_ms(struct writer *w, uint64_t ns)
{
	uint32_t fraction = (uint32_t)(ns % 1000000);
	char text[8] = ".000000";
	size_t len = 7;

	put_number(w, ns / 1000000);
	if (!fraction)
		return;
	for (; len > 1; fraction /= 10)
		text[--len] = (char)('0' + fraction % 10);
	for (len = 7; text[len - 1] == '0';)
		len--;
	pipa_buf_add(&w->to.buf, text, len);
}

/* ---- tables ------------------------------------------------------------------------------------ */

static bool same_symbol(const struct native_symbol *a, const struct native_symbol *b)
{
	return a && a->object == b->object && a->address == b->address;
}

/* Return the symbol of a location's code; PIPA_NONE if it is unknown. Failures are kept in status. */
static uint32_t find_symbol(struct writer *w, const struct pipa_location *location)
{
	uint32_t outermost = location->lines + location->n_lines - 1, number;
	struct native_symbol symbol = { .object = location->object };

	if (!location->n_lines || location->unresolved || location->by_lines ||
	    location->object >= w->p->objects.n || location->symbol_offset > location->offset)
		return PIPA_NONE;
	symbol.address = location->offset - location->symbol_offset;
	symbol.name = w->t->functions.items[w->t->frame_functions[outermost]].name;
	number = PIPA_INTERN(&w->symbols, pipa_hash_u64(symbol.address, symbol.object), same_symbol,
			     &symbol);
	if (number == PIPA_NONE)
		w->to.status = -ENOMEM;
	return number;
}

static void add_frame(struct writer *w, uint32_t frame, uint32_t location, uint32_t depth,
		      uint32_t symbol)
{
	w->row_of_frame[frame] = (uint32_t)w->n_frames;
	w->frames[w->n_frames++] = (struct frame_row){ frame, location, depth, symbol };
}

/* Return the thread of a track, NULL if it is unknown. */
static const struct pipa_thread *thread_of_track(const struct writer *w, size_t track)
{
	uint32_t number = w->t->items[track].thread;

	return number == PIPA_NONE ? NULL : &w->p->threads.items[number];
}

/* Return the first track of a thread, the first of all if it has none. Tracks are sorted by PID and TID. */
static size_t track_of_thread(const struct writer *w, uint32_t pid, uint32_t tid)
{
	size_t from = 0, until = w->t->n;
	const struct pipa_thread *thread;

	while (from < until) {
		size_t middle = from + (until - from) / 2;

		thread = thread_of_track(w, middle);
		if (thread && (thread->pid < pid || (thread->pid == pid && thread->tid < tid)))
			from = middle + 1;
		else
			until = middle;
	}
	thread = from < w->t->n ? thread_of_track(w, from) : NULL;
	return thread && thread->pid == pid && thread->tid == tid ? from : 0;
}

/* Sort the intervals by track: that of their thread, the first if it is unknown. */
static int assign_intervals(struct writer *w)
{
	const struct pipa_track_interval *intervals = w->t->intervals.items;
	size_t n = w->t->intervals.n, i, sum = 0, *track_of = calloc(n + 1, sizeof(*track_of));

	w->intervals = calloc(n + 1, sizeof(*w->intervals));
	w->first_interval = calloc(w->t->n + 2, sizeof(*w->first_interval));
	if (!track_of || !w->intervals || !w->first_interval) {
		free(track_of);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		track_of[i] = track_of_thread(w, intervals[i].pid, intervals[i].tid);
		w->first_interval[track_of[i]]++;
	}
	for (i = 0; i <= w->t->n; i++) {
		size_t count = w->first_interval[i];

		w->first_interval[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++) /* moves each start to the start of the next track */
		w->intervals[w->first_interval[track_of[i]]++] = i;
	memmove(w->first_interval + 1, w->first_interval, w->t->n * sizeof(*w->first_interval));
	w->first_interval[0] = 0;
	free(track_of);
	for (i = 1; i < w->t->n; i++)
		w->several_events |= w->t->items[i].event != w->t->items[0].event;
	return 0;
}

static int compare_pids(const void *a, const void *b, void *ctx)
{
	const struct pipa_thread *threads = ctx;
	const uint32_t *first = a, *second = b;

	if (threads[*first].pid != threads[*second].pid)
		return threads[*first].pid < threads[*second].pid ? -1 : 1;
	return *first < *second ? -1 : *first > *second;
}

/* List the main threads by PID. */
static int list_processes(struct writer *w)
{
	size_t i;

	w->processes = malloc((w->p->threads.n + 1) * sizeof(*w->processes));
	if (!w->processes)
		return -ENOMEM;
	for (i = 0; i < w->p->threads.n; i++)
		if (w->p->threads.items[i].pid == w->p->threads.items[i].tid)
			w->processes[w->n_processes++] = (uint32_t)i;
	qsort_r(w->processes, w->n_processes, sizeof(*w->processes), compare_pids,
		w->p->threads.items);
	return 0;
}

/* Number the frames, stacks and source files of the file. */
static int make_tables(struct writer *w)
{
	const struct pipa_profile *p = w->p;
	uint32_t i, k, row = FIXED_ROWS;

	w->frames = malloc((w->t->frames.n + FIXED_ROWS) * sizeof(*w->frames));
	w->row_of_frame = malloc((w->t->frames.n + 1) * sizeof(*w->row_of_frame));
	w->row_of_stack = malloc((p->stacks.n + 1) * sizeof(*w->row_of_stack));
	w->source_of = malloc((p->strings.n + 1) * sizeof(*w->source_of));
	w->sources = malloc((w->t->functions.n + 1) * sizeof(*w->sources));
	if (!w->frames || !w->row_of_frame || !w->row_of_stack || !w->source_of || !w->sources)
		return -ENOMEM;
	w->n_frames = FIXED_ROWS;
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];
		uint32_t symbol = find_symbol(w, location);

		if (!location->n_lines)
			add_frame(w, (uint32_t)p->lines.n + i, i, 0, symbol);
		for (k = 0; k < location->n_lines; k++)
			add_frame(w, location->lines + k, i, location->n_lines - 1 - k, symbol);
	}
	for (i = 0; i < p->stacks.n; i++) {
		uint32_t n = p->locations.items[p->stacks.items[i].location].n_lines;

		row += n ? n : 1;
		w->row_of_stack[i] = row - 1;
	}
	memset(w->source_of, 0xff, (p->strings.n + 1) * sizeof(*w->source_of));
	for (i = 0; i < w->t->functions.n; i++) {
		uint32_t file = w->t->functions.items[i].file;

		if (file && w->source_of[file] == PIPA_NONE) {
			w->source_of[file] = w->n_sources;
			w->sources[w->n_sources++] = file;
		}
	}
	return w->to.status;
}

/* Numbers of strings: names of functions, of objects, of source files, of markers. */
static uint64_t object_string(const struct writer *w, size_t object)
{
	return w->t->names.n + object;
}

static uint64_t source_string(const struct writer *w, size_t source)
{
	return object_string(w, w->p->objects.n) + source;
}

static uint64_t marker_string(const struct writer *w, size_t kind)
{
	return source_string(w, w->n_sources) + kind;
}

static void put_strings(struct writer *w)
{
	size_t i, n = 0;

	put_text(w, "\"stringArray\":[");
	for (i = 0; i < w->t->names.n; i++) {
		put_next(w, n++);
		put_quoted(w, pipa_strings_get(&w->t->names, (uint32_t)i));
	}
	for (i = 0; i < w->p->objects.n; i++) {
		put_next(w, n++);
		put_quoted(w, pipa_object_short(w->p, (uint32_t)i));
	}
	for (i = 0; i < w->n_sources; i++) {
		put_next(w, n++);
		put_quoted(w, pipa_profile_string(w->p, w->sources[i]));
	}
	for (i = 0; i < MARKER_NR; i++) {
		put_next(w, n++);
		put_quoted(w, marker_names[i]);
	}
	put_text(w, "]");
}

static void put_table_head(struct writer *w, const char *name, size_t length)
{
	put_text(w, ",\"");
	put_text(w, name);
	put_text(w, "\":{\"length\":");
	put_number(w, length);
}

/* Write the frame, or the prefix, of each row of the table of stacks. */
static void put_stack_column(struct writer *w, bool prefix)
{
	const struct pipa_profile *p = w->p;
	uint32_t i, k;

	begin_column(w, prefix ? "prefix" : "frame");
	put_text(w, prefix ? "null,null" : "0,1");
	for (i = 0; i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];
		const struct pipa_location *location = &p->locations.items[stack->location];
		uint32_t n = location->n_lines ? location->n_lines : 1;
		uint32_t first = location->n_lines ? location->lines :
						     (uint32_t)p->lines.n + stack->location;

		for (k = n; k--;) { /* callers first */
			put_next(w, 1);
			if (!prefix)
				put_number(w, w->row_of_frame[first + k]);
			else if (k < n - 1)
				put_number(w, w->row_of_stack[i] - k - 1);
			else if (stack->parent != PIPA_NONE)
				put_number(w, w->row_of_stack[stack->parent]);
			else
				put_number_or_null(w, TRUNCATED_ROW,
						   stack->cut ? PIPA_NONE : TRUNCATED_ROW);
		}
	}
	put_text(w, "]");
}

static enum category category_of(const struct writer *w, const struct pipa_location *location)
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

static void put_frame_value(struct writer *w, enum frame_column column, const struct frame_row *row)
{
	const struct pipa_location *location = &w->p->locations.items[row->location];
	const struct pipa_line none = { 0 }, *line = row->frame < w->p->lines.n ?
							     &w->p->lines.items[row->frame] :
							     &none;

	switch (column) {
	case FRAME_ADDRESS:
		if (location->object >= w->p->objects.n || location->by_lines ||
		    location->unresolved == PIPA_UNRESOLVED_NO_MAPPING)
			put_text(w, "-1");
		else
			put_number(w, location->offset);
		break;
	case FRAME_INLINE_DEPTH: put_number(w, row->inline_depth); break;
	case FRAME_CATEGORY: put_number(w, category_of(w, location)); break;
	case FRAME_FUNC: put_number(w, w->t->frame_functions[row->frame]); break;
	case FRAME_SYMBOL: put_number_or_null(w, row->native_symbol, PIPA_NONE); break;
	case FRAME_LINE: put_number_or_null(w, line->line, 0); break;
	case FRAME_COLUMN: put_number_or_null(w, line->column, 0); break;
	case FRAME_COLUMN_NR: break;
	}
}

static void put_frames(struct writer *w)
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

	put_table_head(w, "frameTable", w->n_frames);
	for (c = 0; c < FRAME_COLUMN_NR; c++) {
		begin_column(w, columns[c].name);
		if (columns[c].fixed)
			put_text(w, columns[c].fixed);
		else
			pipa_buf_printf(&w->to.buf, "%u,%u", w->t->truncated, w->t->no_stack);
		for (i = FIXED_ROWS; i < w->n_frames; i++) {
			put_next(w, i);
			put_frame_value(w, c, &w->frames[i]);
		}
		put_text(w, "]");
	}
	put_constant_column(w, "subcategory", "0", w->n_frames);
	put_constant_column(w, "innerWindowID", "null", w->n_frames);
	put_text(w, "}");
}

enum func_column { FUNC_NAME, FUNC_RESOURCE, FUNC_SOURCE, FUNC_LINE, FUNC_COLUMN_NR };

static void put_functions(struct writer *w)
{
	static const char *const names[FUNC_COLUMN_NR] = { "name", "resource", "source",
							   "lineNumber" };
	size_t n = w->t->functions.n, i;
	enum func_column c;

	put_table_head(w, "funcTable", n);
	for (c = 0; c < FUNC_COLUMN_NR; c++) {
		begin_column(w, names[c]);
		for (i = 0; i < n; i++) {
			const struct pipa_track_function *f = &w->t->functions.items[i];

			put_next(w, i);
			if (c == FUNC_NAME)
				put_number(w, f->name);
			else if (c == FUNC_RESOURCE)
				pipa_buf_put_i64(&w->to.buf, f->object < w->p->objects.n ?
								     (int64_t)f->object :
								     -1);
			else if (c == FUNC_SOURCE)
				put_number_or_null(w, f->file ? w->source_of[f->file] : PIPA_NONE,
						   PIPA_NONE);
			else
				put_number_or_null(w, f->start_line, 0);
		}
		put_text(w, "]");
	}
	put_constant_column(w, "isJS", "false", n);
	put_constant_column(w, "relevantForJS", "false", n);
	put_constant_column(w, "columnNumber", "null", n);
	put_text(w, "}");
}

/* Write a column of consecutive numbers. */
static void put_range_column(struct writer *w, const char *name, uint64_t first, size_t n)
{
	size_t i;

	begin_column(w, name);
	for (i = 0; i < n; i++) {
		put_next(w, i);
		put_number(w, first + i);
	}
	put_text(w, "]");
}

static void put_native_symbols(struct writer *w)
{
	size_t i, n = w->symbols.n;

	put_table_head(w, "nativeSymbols", n);
	begin_column(w, "libIndex");
	for (i = 0; i < n; i++) {
		put_next(w, i);
		put_number(w, w->symbols.items[i].object);
	}
	put_text(w, "]");
	begin_column(w, "address");
	for (i = 0; i < n; i++) {
		put_next(w, i);
		put_number(w, w->symbols.items[i].address);
	}
	put_text(w, "]");
	begin_column(w, "name");
	for (i = 0; i < n; i++) {
		put_next(w, i);
		put_number(w, w->symbols.items[i].name);
	}
	put_text(w, "]");
	put_constant_column(w, "functionSize", "null", n);
	put_text(w, "}");
}

static void put_shared(struct writer *w)
{
	const struct pipa_profile *p = w->p;
	size_t rows = p->stacks.n ? w->row_of_stack[p->stacks.n - 1] + (size_t)1 : FIXED_ROWS;

	put_text(w, ",\"shared\":{");
	put_strings(w);
	put_table_head(w, "stackTable", rows);
	put_stack_column(w, false);
	put_stack_column(w, true);
	put_text(w, "}");
	put_frames(w);
	put_functions(w);
	put_table_head(w, "resourceTable", p->objects.n);
	put_range_column(w, "lib", 0, p->objects.n);
	put_range_column(w, "name", object_string(w, 0), p->objects.n);
	put_constant_column(w, "host", "null", p->objects.n);
	put_constant_column(w, "type", "1", p->objects.n); /* a library */
	put_text(w, "}");
	put_native_symbols(w);
	put_table_head(w, "sources", w->n_sources);
	put_constant_column(w, "uuid", "null", w->n_sources);
	put_range_column(w, "filename", source_string(w, 0), w->n_sources);
	put_text(w, "}}");
}

/* ---- libraries --------------------------------------------------------------------------------- */

/* Write a build id as Breakpad does: its first 16 bytes as a GUID, and the age 0. */
static void put_breakpad_id(struct writer *w, const struct pipa_build_id *id)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	size_t i;

	put_text(w, "\"");
	for (i = 0; i < sizeof(order); i++)
		pipa_buf_printf(&w->to.buf, "%02X", order[i] < id->len ? id->bytes[order[i]] : 0);
	put_text(w, "0\"");
}

static void put_libs(struct writer *w)
{
	const char *arch = w->format->recording->arch;
	size_t i, k;

	put_text(w, ",\"libs\":[");
	for (i = 0; i < w->p->objects.n; i++) {
		const struct pipa_object *object = &w->p->objects.items[i];
		const char *path = pipa_profile_string(w->p, object->path);
		const char *name = pipa_object_short(w->p, (uint32_t)i);

		put_next(w, i);
		put_text(w, "{\"arch\":");
		if (arch)
			put_quoted(w, arch);
		else
			put_text(w, "null");
		put_text(w, ",\"name\":");
		put_quoted(w, name);
		put_text(w, ",\"path\":");
		put_quoted(w, path);
		put_text(w, ",\"debugName\":");
		put_quoted(w, name);
		put_text(w, ",\"debugPath\":");
		put_quoted(w, path);
		put_text(w, ",\"breakpadId\":");
		put_breakpad_id(w, &object->build_id);
		put_text(w, ",\"codeId\":");
		if (object->build_id.len) {
			put_text(w, "\"");
			for (k = 0; k < object->build_id.len; k++)
				pipa_buf_printf(&w->to.buf, "%02x", object->build_id.bytes[k]);
			put_text(w, "\"}");
		} else {
			put_text(w, "null}");
		}
	}
	put_text(w, "]");
}

/* ---- markers ----------------------------------------------------------------------------------- */

struct marker {
	unsigned int kind;
	uint64_t start, end;
	uint64_t lost;
	uint32_t cpu; /* PIPA_NONE: unknown */
};

/* Iterator over the markers of a track: its lost and throttled intervals, then its CPUs. */
struct marker_walk {
	const struct pipa_track *track;
	size_t interval, sample;
};

static bool next_marker(const struct writer *w, struct marker_walk *walk, struct marker *ret)
{
	const struct pipa_track *track = walk->track;
	struct pipa_track_sample sample;

	if (walk->interval < w->first_interval[track - w->t->items + 1]) {
		const struct pipa_track_interval *interval =
			&w->t->intervals.items[w->intervals[walk->interval++]];

		*ret = (struct marker){ interval->kind, interval->start, interval->end,
					interval->lost, interval->cpu };
		return true;
	}
	if (!w->t->timed || walk->sample >= track->n)
		return false;
	pipa_tracks_sample(w->t, track, walk->sample, &sample);
	if (sample.cpu == PIPA_NONE)
		return false;
	*ret = (struct marker){ MARKER_CPU, sample.time, sample.time, 0, sample.cpu };
	while (++walk->sample < track->n) {
		pipa_tracks_sample(w->t, track, walk->sample, &sample);
		if (sample.cpu != ret->cpu)
			break;
		ret->end = sample.time;
	}
	return true;
}

enum marker_column {
	MARKER_NAME,
	MARKER_START,
	MARKER_END,
	MARKER_PHASE,
	MARKER_DATA,
	MARKER_COLUMNS
};

static uint64_t since_start(const struct writer *w, uint64_t time)
{
	return time > w->t->start ? time - w->t->start : 0;
}

static void put_marker_value(struct writer *w, enum marker_column column, const struct marker *m)
{
	bool instant = m->start == m->end;

	switch (column) {
	case MARKER_NAME: put_number(w, marker_string(w, m->kind)); break;
	case MARKER_START: put_ms(w, since_start(w, m->start)); break;
	case MARKER_END:
		if (instant)
			put_text(w, "null");
		else
			put_ms(w, since_start(w, m->end));
		break;
	case MARKER_PHASE: put_number(w, !instant); break; /* 0: instant, 1: interval */
	case MARKER_DATA:
		put_text(w, m->kind == MARKER_CPU ? "{\"type\":\"CPU\"" : "{\"type\":\"Loss\"");
		if (m->lost)
			pipa_buf_printf(&w->to.buf, ",\"lost\":%" PRIu64, m->lost);
		if (m->cpu != PIPA_NONE)
			pipa_buf_printf(&w->to.buf, ",\"cpu\":%" PRIu32, m->cpu);
		put_text(w, "}");
		break;
	case MARKER_COLUMNS: break;
	}
}

static void put_markers(struct writer *w, const struct pipa_track *track)
{
	static const char *const names[MARKER_COLUMNS] = { "name", "startTime", "endTime", "phase",
							   "data" };
	const struct marker_walk start = { track, w->first_interval[track - w->t->items], 0 };
	struct marker_walk walk = start;
	enum marker_column c;
	struct marker m;
	size_t n = 0, i;

	while (next_marker(w, &walk, &m))
		n++;
	put_table_head(w, "markers", n);
	for (c = 0; c < MARKER_COLUMNS; c++) {
		begin_column(w, names[c]);
		walk = start;
		for (i = 0; next_marker(w, &walk, &m); i++) {
			put_next(w, i);
			put_marker_value(w, c, &m);
		}
		put_text(w, "]");
	}
	put_constant_column(w, "category", "0", n);
	put_text(w, "}");
}

/* ---- threads ----------------------------------------------------------------------------------- */

/* Write the weights: null if each sample counts 1. */
static void put_weights(struct writer *w, const struct pipa_track *track)
{
	const struct pipa_profile_event *event = &w->p->events.items[track->event];
	const char *unit = pipa_profile_string(w->p, event->unit);
	bool is_time = !event->counted && strcmp(unit, PIPA_VALUE_NS) == 0;
	bool is_bytes = !event->counted && strcmp(unit, PIPA_VALUE_BYTES) == 0;
	struct pipa_track_sample sample;
	size_t i;

	put_text(w, ",\"weightType\":");
	put_quoted(w, is_time ? "tracing-ms" : is_bytes ? "bytes" : "samples");
	if (event->counted && track->count == track->n) {
		put_text(w, ",\"weight\":null");
		return;
	}
	begin_column(w, "weight");
	for (i = 0; i < track->n; i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		put_next(w, i);
		if (is_time)
			put_ms(w, sample.weight);
		else
			put_number(w, event->counted ? sample.count : sample.weight);
	}
	put_text(w, "]");
}

static void put_samples(struct writer *w, const struct pipa_track *track)
{
	struct pipa_track_sample sample;
	size_t i;

	put_table_head(w, "samples", track->n);
	begin_column(w, "stack");
	for (i = 0; i < track->n; i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		put_next(w, i);
		put_number(w, sample.stack == PIPA_NONE ? NO_STACK_ROW :
							  w->row_of_stack[sample.stack]);
	}
	put_text(w, "]");
	begin_column(w, "time");
	for (i = 0; i < track->n; i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		put_next(w, i);
		if (w->t->timed)
			put_ms(w, since_start(w, sample.time));
		else /* in the order of the file, a millisecond apart */
			put_number(w, i);
	}
	put_text(w, "]");
	put_weights(w, track);
	put_text(w, "}");
}

static uint32_t pid_of(const struct pipa_thread *thread)
{
	uint32_t pid = thread->pid == PIPA_UNKNOWN32 ? thread->tid : thread->pid;

	return pid == PIPA_UNKNOWN32 ? 0 : pid;
}

/* Return the name of a thread's process: that of its first thread, else of its executable. */
static const char *process_name(const struct writer *w, const struct pipa_thread *thread)
{
	const struct pipa_profile *p = w->p;
	const char *name = pipa_profile_string(p, thread->comm), *slash;
	size_t from = 0, until = w->n_processes;

	while (thread->tid != thread->pid && from < until) {
		size_t middle = from + (until - from) / 2;

		if (p->threads.items[w->processes[middle]].pid < thread->pid)
			from = middle + 1;
		else
			until = middle;
	}
	if (thread->tid != thread->pid && from < w->n_processes &&
	    p->threads.items[w->processes[from]].pid == thread->pid)
		return pipa_profile_string(p, p->threads.items[w->processes[from]].comm);
	if (thread->tid != thread->pid && thread->process && thread->process < p->processes.n &&
	    p->processes.items[thread->process].exe)
		name = pipa_profile_string(p, p->processes.items[thread->process].exe);
	slash = strrchr(name, '/');
	return slash ? slash + 1 : *name ? name : "[unknown]";
}

/* Write the TID; another track of the same thread gets a suffix, because viewers tell threads apart by it. */
static void put_tid(struct writer *w, size_t number, uint32_t pid, uint32_t tid)
{
	const struct pipa_track *before = number ? &w->t->items[number - 1] : NULL;
	bool same = before && before->thread != PIPA_NONE &&
		    w->p->threads.items[before->thread].pid == pid &&
		    w->p->threads.items[before->thread].tid == tid;

	w->same_tid = same ? w->same_tid + 1 : 0; /* tracks are sorted by PID and TID */
	if (same)
		pipa_buf_printf(&w->to.buf, ",\"tid\":\"%" PRIu32 ".%u\"", tid, w->same_tid);
	else
		pipa_buf_printf(&w->to.buf, ",\"tid\":%" PRIu32, tid == PIPA_UNKNOWN32 ? 0 : tid);
}

static void put_thread(struct writer *w, size_t number)
{
	const struct pipa_track *track = &w->t->items[number];
	const struct pipa_thread unknown = { .pid = 0, .tid = 0 };
	const struct pipa_thread *thread = track->thread == PIPA_NONE ?
						   &unknown :
						   &w->p->threads.items[track->thread];
	struct pipa_buf name = { 0 };

	pipa_buf_puts(&name, pipa_profile_string(w->p, thread->comm));
	if (w->several_events || !name.len) {
		const char *event = pipa_profile_string(w->p,
							w->p->events.items[track->event].name);

		pipa_buf_printf(&name, name.len ? " (%s)" : "%s", *event ? event : "samples");
	}
	put_text(w, "{\"name\":");
	put_quoted(w, pipa_buf_str(&name));
	if (name.status)
		w->to.status = name.status;
	pipa_buf_done(&name);
	put_text(w, ",\"isMainThread\":");
	put_text(w, pid_of(thread) == thread->tid ? "true" : "false");
	put_text(w, ",\"processType\":\"default\",\"processName\":");
	put_quoted(w, process_name(w, thread));
	put_text(w, ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":");
	put_ms(w, w->t->timed ? since_start(w, track->start) : 0);
	put_text(w, ",\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":");
	pipa_buf_printf(&w->to.buf, "\"%" PRIu32 "\"", pid_of(thread));
	put_tid(w, number, thread->pid, thread->tid);
	put_samples(w, track);
	put_markers(w, track);
	put_text(w, "}");
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* Return the wall-clock time of the first sample in nanoseconds since 1970; 0: unknown. */
static uint64_t wall_start(const struct writer *w)
{
	const struct pipa_recording *recording = w->format->recording;

	if (w->t->timed && recording->has_clock)
		return recording->clock_wall_ns + (w->t->start - recording->clock_ns);
	return w->p->start_ns;
}

static void put_extra(struct writer *w)
{
	const struct pipa_losses *losses = &w->p->losses;
	const struct {
		const char *label;
		uint64_t n;
	} rows[] = {
		{ "Lost samples", losses->lost_samples },
		{ "Lost records", losses->lost_records },
		{ "Throttled", losses->throttled },
		{ "Malformed records", losses->damaged },
		{ "Truncated stacks", losses->cut_stacks + losses->unwound_truncated },
	};
	size_t i;

	put_text(w, ",\"extra\":[{\"label\":\"Losses\",\"entries\":[");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_next(w, i);
		pipa_buf_printf(&w->to.buf,
				"{\"label\":\"%s\",\"format\":\"integer\",\"value\":%" PRIu64 "}",
				rows[i].label, rows[i].n);
	}
	put_text(w, "]}]");
}

static void put_meta(struct writer *w)
{
	const struct pipa_recording *recording = w->format->recording;
	const char *command = pipa_recording_fact(recording, "cmdline");
	const struct pipa_track *first = w->t->n ? w->t->items : NULL;
	uint32_t frequency = first ? w->p->events.items[first->event].frequency : 0;
	uint64_t step = frequency ? 1000000000 / frequency : first ? first->step_ns : 0;

	put_text(w, "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":60,\"interval\":");
	put_ms(w, step ? step : 1000000);
	put_text(w, ",\"startTime\":");
	put_ms(w, wall_start(w));
	put_text(w, ",\"importedFrom\":");
	pipa_buf_printf(&w->to.buf, "\"pipa %s\"", w->format->version ? w->format->version : "");
	put_text(w, ",\"product\":");
	put_quoted(w, first && first->thread != PIPA_NONE ?
			      process_name(w, &w->p->threads.items[first->thread]) :
			      "pipa");
	if (command) {
		put_text(w, ",\"arguments\":");
		put_quoted(w, command);
	}
	if (recording->arch) {
		struct pipa_buf text = { 0 };

		pipa_buf_printf(&text, "Linux %s", recording->arch);
		put_text(w, ",\"oscpu\":");
		put_quoted(w, pipa_buf_str(&text));
		if (text.status && !w->to.buf.status)
			w->to.buf.status = text.status;
		pipa_buf_done(&text);
	}
	put_text(w,
		 ",\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,\"categories\":["
		 "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		 "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		 "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		 "{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],"
		 "\"markerSchema\":["
		 "{\"name\":\"Loss\",\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":["
		 "{\"key\":\"lost\",\"label\":\"Lost\",\"format\":\"integer\"},"
		 "{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]},"
		 "{\"name\":\"CPU\",\"display\":[\"marker-chart\",\"marker-table\"],"
		 "\"chartLabel\":\"{marker.data.cpu}\",\"fields\":["
		 "{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]}]");
	put_extra(w);
	put_text(w, "}");
}

int pipa_firefox_write(const struct pipa_tracks *tracks, const struct pipa_firefox_format *format,
		       pipa_put_fn *put, void *ctx)
{
	struct writer w = { .t = tracks,
			    .p = tracks->profile,
			    .format = format,
			    .to = { .put = put, .ctx = ctx } };
	int rc = make_tables(&w);
	size_t i;

	if (!rc)
		rc = assign_intervals(&w);
	if (!rc)
		rc = list_processes(&w);
	if (!rc) {
		put_meta(&w);
		put_libs(&w);
		put_shared(&w);
		put_text(&w, ",\"threads\":[");
		for (i = 0; i < tracks->n && w.to.status >= 0; i++) {
			put_next(&w, i);
			put_thread(&w, i);
		}
		put_text(&w, "]}\n");
		rc = pipa_pieces_end(&w.to);
	}
	writer_done(&w);
	return rc;
}
