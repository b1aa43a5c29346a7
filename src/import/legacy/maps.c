#include "import/legacy/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "import/legacy/draft.h"

enum {
	LINE_MAX_BYTES = 64 << 10, /* of a line after replacements */
	ASSIGNMENTS_MAX = 1024,
};

/* Comparisons of a location with a mapping: about a second. */
static const uint64_t steps_max = (uint64_t)1 << 30;

/* A line "NAME=VALUE". */
struct assignment {
	const char *name; /* with the $ */
	size_t name_len;
	const char *value;
	size_t value_len;
};

struct reader {
	struct pipa_draft *draft;
	struct {
		struct assignment *items;
		size_t n, cap;
	} assignments;
	struct pipa_arena texts; /* of assignments */
	struct pipa_buf line;	 /* after replacements */
};

/* Fields of a line, as text. */
struct entry {
	struct pipa_text start, limit, permissions, file, offset, build_id;
};

/* ---- a line ------------------------------------------------------------------------------------ */

/* "0x400000": the digits, and move the text after them. */
static bool take_hex(struct pipa_text *in, struct pipa_text *ret)
{
	struct pipa_text rest = *in;

	if (pipa_text_skip(&rest, "0x") && rest.at < rest.end && pipa_is_xdigit(*rest.at))
		*in = rest;
	*ret = pipa_text_xdigits(in);
	return ret->at < ret->end;
}

/* Two numbers with '-' or spaces between them. */
static bool take_range(struct pipa_text *in, struct entry *e)
{
	struct pipa_text rest = *in;

	pipa_text_skip_spaces(&rest);
	if (!take_hex(&rest, &e->start))
		return false;
	if (rest.at < rest.end && *rest.at == 'x' && pipa_text_len(e->start) > 1 &&
	    e->start.end[-1] == '0')
		rest.at = --e->start.end; /* "4000000x500000" */
	else if (rest.at < rest.end && (*rest.at == '-' || pipa_is_space(*rest.at)))
		rest.at++;
	pipa_text_skip_spaces(&rest);
	if (!take_hex(&rest, &e->limit))
		return false;
	pipa_text_skip(&rest, ":");
	*in = rest;
	return true;
}

/* One number, whose last digit is the second one: pprof permits that nothing is between the two. */
static bool take_joined_range(struct pipa_text *in, struct entry *e)
{
	struct pipa_text rest = *in;

	pipa_text_skip_spaces(&rest);
	if (!take_hex(&rest, &e->start) || pipa_text_len(e->start) < 2)
		return false;
	e->limit = (struct pipa_text){ e->start.end - 1, e->start.end };
	e->start.end--;
	pipa_text_skip(&rest, ":");
	*in = rest;
	return true;
}

static void take_permissions(struct pipa_text *in, struct entry *e)
{
	struct pipa_text rest = *in;

	if (!pipa_text_skip_spaces(&rest))
		return;
	e->permissions.at = rest.at;
	while (rest.at < rest.end && *rest.at && strchr("-rwxp", *rest.at))
		rest.at++;
	e->permissions.end = rest.at;
	if (e->permissions.at < e->permissions.end)
		*in = rest;
}

static void take_word(struct pipa_text *in, struct pipa_text *ret)
{
	struct pipa_text rest = *in;

	if (!pipa_text_skip_spaces(&rest))
		return;
	ret->at = rest.at;
	while (rest.at < rest.end && !pipa_is_space(*rest.at))
		rest.at++;
	ret->end = rest.at;
	*in = rest;
}

/* " 00001000" with a space after it; else it is the device of /proc/PID/maps. */
static void take_proc_offset(struct pipa_text *in, struct entry *e)
{
	struct pipa_text rest = *in, digits;

	if (!pipa_text_skip_spaces(&rest))
		return;
	digits = pipa_text_xdigits(&rest);
	if (digits.at == digits.end || rest.at == rest.end || !pipa_is_space(*rest.at))
		return;
	e->offset = digits;
	*in = rest;
}

/* "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE FILE" after the range. */
static bool parse_proc_rest(struct pipa_text in, struct entry *e)
{
	struct pipa_text digits;

	take_permissions(&in, e);
	take_proc_offset(&in, e);
	if (!pipa_text_skip_spaces(&in))
		return false;
	digits = pipa_text_xdigits(&in);
	if (digits.at == digits.end || !pipa_text_skip(&in, ":"))
		return false;
	digits = pipa_text_xdigits(&in);
	if (digits.at == digits.end || !pipa_text_skip_spaces(&in))
		return false;
	digits = pipa_text_digits(&in);
	if (digits.at == digits.end)
		return false;
	take_word(&in, &e->file);
	return true;
}

/* "START-END PERMISSIONS FILE (@OFFSET) BUILD_ID" after the range; each may be missing. */
static void parse_brief_rest(struct pipa_text in, struct entry *e)
{
	struct pipa_text rest, digits;

	take_permissions(&in, e);
	take_word(&in, &e->file);
	rest = in;
	if (pipa_text_skip_spaces(&rest) && pipa_text_skip(&rest, "(@")) {
		digits = pipa_text_xdigits(&rest);
		if (digits.at < digits.end && pipa_text_skip(&rest, ")")) {
			e->offset = digits;
			in = rest;
		}
	}
	if (pipa_text_skip_spaces(&in))
		e->build_id = pipa_text_xdigits(&in);
}

static bool parse_entry(struct pipa_text line, struct entry *e)
{
	static bool (*const take_ranges[])(struct pipa_text *,
					   struct entry *) = { take_range, take_joined_range };
	size_t i;

	for (i = 0; i < PIPA_COUNT(take_ranges); i++) {
		struct pipa_text rest = line;

		*e = (struct entry){ 0 };
		if (take_ranges[i](&rest, e) && parse_proc_rest(rest, e))
			return true;
	}
	for (i = 0; i < PIPA_COUNT(take_ranges); i++) {
		struct pipa_text rest = line;

		*e = (struct entry){ 0 };
		if (take_ranges[i](&rest, e)) {
			parse_brief_rest(rest, e);
			return true;
		}
	}
	return false;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* "I0102 03:04:05 file.cc:123] text": return the text. */
static struct pipa_text skip_log_prefix(struct pipa_text line)
{
	const char *at = line.at, *digit;

	while (at < line.end && *at != '[' && *at != ']')
		at++;
	if (at == line.end || *at != ']' || at + 1 == line.end || !pipa_is_space(at[1]))
		return line;
	for (digit = at; digit > line.at && pipa_is_digit(digit[-1]);)
		digit--;
	if (digit == at || digit - line.at < 2 || digit[-1] != ':')
		return line;
	return (struct pipa_text){ at + 2, line.end };
}

/* Return the first assignment whose $NAME the text starts with. */
static const struct assignment *find_assignment(const struct reader *r, struct pipa_text text)
{
	size_t i;

	for (i = 0; i < r->assignments.n; i++) {
		const struct assignment *a = &r->assignments.items[i];

		if (pipa_text_len(text) >= a->name_len &&
		    memcmp(text.at, a->name, a->name_len) == 0)
			return a;
	}
	return NULL;
}

/* Replace the names of assignments by their values. The result is valid until the next line. */
static int replace_names(struct reader *r, const struct pipa_line_reader *lines,
			 struct pipa_text *line)
{
	struct pipa_text rest = *line;

	if (!r->assignments.n || !memchr(rest.at, '$', pipa_text_len(rest)))
		return 0;
	pipa_buf_reset(&r->line);
	while (rest.at < rest.end) {
		const struct assignment *a = *rest.at == '$' ? find_assignment(r, rest) : NULL;

		pipa_buf_add(&r->line, a ? a->value : rest.at, a ? a->value_len : 1);
		rest.at += a ? a->name_len : 1;
		if (r->line.len > LINE_MAX_BYTES)
			return pipa_draft_refuse_line(
				r->draft, lines, "the line exceeds 64 KiB with values for $names");
	}
	if (r->line.status)
		return r->line.status;
	*line = (struct pipa_text){ pipa_buf_str(&r->line), pipa_buf_str(&r->line) + r->line.len };
	return 0;
}

static int add_assignment(struct reader *r, struct pipa_text line)
{
	const char *equals = memchr(line.at, '=', pipa_text_len(line));
	struct pipa_text name, value;
	struct assignment *a;
	char *copy;

	if (!equals || r->assignments.n >= ASSIGNMENTS_MAX)
		return 0;
	name = pipa_text_trim((struct pipa_text){ line.at, equals });
	value = pipa_text_trim((struct pipa_text){ equals + 1, line.end });
	a = PIPA_VEC_ADD(&r->assignments);
	copy = pipa_arena_take(&r->texts, 1 + pipa_text_len(name) + pipa_text_len(value) + 1);
	if (!a || !copy)
		return -ENOMEM;
	*a = (struct assignment){ copy, 1 + pipa_text_len(name), copy + 1 + pipa_text_len(name),
				  pipa_text_len(value) };
	copy[0] = '$';
	memcpy(copy + 1, name.at, pipa_text_len(name));
	memcpy(copy + 1 + pipa_text_len(name), value.at, pipa_text_len(value));
	return 0;
}

static int add_mapping(struct pipa_draft *d, const struct pipa_draft_mapping *numbers,
		       const struct entry *e)
{
	struct pipa_draft_mapping *mapping = PIPA_VEC_ADD(&d->mappings);

	if (!mapping)
		return -ENOMEM;
	*mapping = *numbers;
	mapping->file = pipa_draft_string(d, e->file);
	mapping->build_id = pipa_draft_string(d, e->build_id);
	return mapping->file == PIPA_NO_STRING || mapping->build_id == PIPA_NO_STRING ? -ENOMEM : 0;
}

static int read_line(struct reader *r, const struct pipa_line_reader *lines)
{
	struct pipa_text line = skip_log_prefix(lines->line);
	struct pipa_draft_mapping m = { 0 };
	struct entry e;
	bool skipped;
	int rc = replace_names(r, lines, &line);

	if (rc)
		return rc;
	if (!parse_entry(line, &e))
		return add_assignment(r, line);
	skipped = e.permissions.at < e.permissions.end &&
		  !memchr(e.permissions.at, 'x', pipa_text_len(e.permissions));
	if (skipped)
		return 0;
	if (!pipa_text_hex(e.start, &m.start) || !pipa_text_hex(e.limit, &m.limit) ||
	    (e.offset.at < e.offset.end && !pipa_text_hex(e.offset, &m.offset)))
		return add_assignment(r, line);
	return add_mapping(r->draft, &m, &e);
}

/* ---- corrections ------------------------------------------------------------------------------- */

/* Are they parts of one mapping? An offset of 0 is unknown. */
static bool are_adjacent(const struct pipa_draft_mapping *a, const struct pipa_draft_mapping *b)
{
	if (a->file && b->file && a->file != b->file)
		return false;
	if (a->build_id && b->build_id && a->build_id != b->build_id)
		return false;
	return a->limit == b->start &&
	       (!a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset);
}

static void join_adjacent(struct pipa_draft *d)
{
	struct pipa_draft_mapping *items = d->mappings.items;
	size_t i, n = d->mappings.n ? 1 : 0;

	for (i = 1; i < d->mappings.n; i++) {
		struct pipa_draft_mapping *last = &items[n - 1];

		if (!are_adjacent(last, &items[i])) {
			items[n++] = items[i];
			continue;
		}
		last->limit = items[i].limit;
		if (items[i].file)
			last->file = items[i].file;
		if (items[i].build_id)
			last->build_id = items[i].build_id;
	}
	d->mappings.n = n;
}

/* ".so" at the end, or ".so." and ".so_" with a digit anywhere. */
static bool is_library(struct pipa_text file)
{
	const char *at;

	if (pipa_text_len(file) >= 3 && memcmp(file.end - 3, ".so", 3) == 0)
		return true;
	while ((at = pipa_text_find(file, ".so"))) {
		file.at = at + 3;
		if (pipa_text_len(file) >= 2 && (*file.at == '.' || *file.at == '_') &&
		    pipa_is_digit(file.at[1]))
			return true;
	}
	return false;
}

/* Is it a mapping of the program itself? "(deleted)" is not part of the name. */
static bool is_program(const struct pipa_draft *d, const struct pipa_draft_mapping *m)
{
	const struct pipa_string *s = &d->strings.items[m->file];
	struct pipa_text file = { s->text, s->text + s->len };
	const char *deleted;

	/* the name is one word, so that a note can only be all of it or a part at an end */
	while ((deleted = pipa_text_find(file, "(deleted)"))) {
		if (deleted == file.at)
			file.at += strlen("(deleted)");
		else
			file.end = deleted;
	}
	return file.at < file.end && !is_library(file) && *file.at != '[';
}

/* Exchange the first mapping with the program's: pprof takes the first one for the main binary. */
static void move_program_first(struct pipa_draft *d)
{
	size_t i;

	for (i = 0; i < d->mappings.n; i++)
		if (is_program(d, &d->mappings.items[i])) {
			struct pipa_draft_mapping program = d->mappings.items[i];

			d->mappings.items[i] = d->mappings.items[0];
			d->mappings.items[0] = program;
			return;
		}
}

/* Correct mappings of programs whose text was moved to huge pages, and of those that are linked at 4 MiB. */
static void correct_program(struct pipa_draft *d)
{
	static const char huge[] = "/anon_hugepage";
	static const uint64_t usual_start = 0x400000;
	struct pipa_draft_mapping *first = d->mappings.items;

	if (d->mappings.n > 1 && first->limit == first[1].start &&
	    strncmp(pipa_strings_get(&d->strings, first->file), huge, strlen(huge)) == 0) {
		d->mappings.n--;
		memmove(first, first + 1, d->mappings.n * sizeof(*first));
	}
	if (d->mappings.n && first->start - first->offset == usual_start) {
		first->start = usual_start;
		first->offset = 0;
	}
}

/* ---- mappings of locations --------------------------------------------------------------------- */

/* The mappings by address, as long as none overlap. */
struct lookup {
	uint32_t *by_start;
	size_t n;
	bool overlap;
	uint64_t steps;
};

static int compare_starts(const void *a, const void *b, void *ctx)
{
	const struct pipa_draft_mapping *mappings = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (mappings[x].start != mappings[y].start)
		return mappings[x].start < mappings[y].start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_mappings(struct lookup *l, struct pipa_draft *d)
{
	const struct pipa_draft_mapping *items = d->mappings.items;
	uint32_t i;

	for (i = 0; i < l->n; i++)
		l->by_start[i] = i;
	qsort_r(l->by_start, l->n, sizeof(*l->by_start), compare_starts, d->mappings.items);
	l->overlap = false;
	for (i = 1; i < l->n; i++)
		if (items[l->by_start[i]].start < items[l->by_start[i - 1]].limit ||
		    items[l->by_start[i - 1]].limit < items[l->by_start[i - 1]].start)
			l->overlap = true;
	l->steps += 16 * (uint64_t)l->n;
}

static bool has_address(const struct pipa_draft_mapping *m, uint64_t address)
{
	return m->start <= address && address < m->limit;
}

/* Return the number, from 1 on, of the first mapping that has an address; 0 if there is none. */
static uint32_t find_mapping(struct lookup *l, const struct pipa_draft *d, uint64_t address)
{
	const struct pipa_draft_mapping *items = d->mappings.items;
	size_t low = 0, high = l->n;
	uint32_t i;

	if (l->overlap) {
		l->steps += l->n;
		for (i = 0; i < l->n; i++)
			if (has_address(&items[i], address))
				return i + 1;
		return 0;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[l->by_start[middle]].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && has_address(&items[l->by_start[low - 1]], address) ?
		       l->by_start[low - 1] + 1 :
		       0;
}

/* Return the first mapping whose missing start, by its offset, has an address, and extend it; 0 if there is none. */
static uint32_t extend_mapping(struct lookup *l, struct pipa_draft *d, uint64_t address)
{
	uint32_t i;

	l->steps += l->n;
	for (i = 0; i < l->n; i++) {
		struct pipa_draft_mapping *m = &d->mappings.items[i];

		if (!m->offset || m->start - m->offset > address || address >= m->start)
			continue;
		m->start -= m->offset;
		m->offset = 0;
		sort_mappings(l, d);
		return i + 1;
	}
	return 0;
}

static int assign_mappings(struct lookup *l, struct pipa_draft *d)
{
	uint32_t nameless = 0;
	size_t i;

	for (i = 0; i < d->n_ids; i++) {
		struct pipa_draft_location *location = &d->locations.items[d->by_id[i]];

		if (!location->address)
			continue;
		location->mapping = find_mapping(l, d, location->address);
		/* the mapping without a name is the last one, and has all other addresses from then on */
		if (!location->mapping && nameless &&
		    has_address(&d->mappings.items[nameless - 1], location->address))
			location->mapping = nameless;
		if (!location->mapping)
			location->mapping = extend_mapping(l, d, location->address);
		if (!location->mapping && !nameless) {
			struct pipa_draft_mapping *m = PIPA_VEC_ADD(&d->mappings);

			if (!m)
				return -ENOMEM;
			m->limit = UINT64_MAX;
			nameless = (uint32_t)d->mappings.n;
		}
		if (!location->mapping)
			location->mapping = nameless;
		if (l->steps > steps_max)
			return pipa_refuse(d->err, -EBADMSG,
					   "malformed pprof profile: %zu mappings that overlap, "
					   "for %" PRIu32 " addresses",
					   l->n, d->n_ids);
	}
	return 0;
}

int pipa_maps_assign(struct pipa_draft *d)
{
	PIPA_AUTO(free) uint32_t *by_start = NULL;
	struct lookup lookup = { 0 };

	correct_program(d);
	lookup.n = d->mappings.n;
	by_start = malloc(lookup.n * sizeof(*by_start) + 1);
	if (!by_start)
		return -ENOMEM;
	lookup.by_start = by_start;
	sort_mappings(&lookup, d);
	return assign_mappings(&lookup, d);
}

int pipa_maps_read(struct pipa_draft *draft, struct pipa_line_reader *lines)
{
	struct reader r = { .draft = draft };
	int rc = 0;

	while (!rc && pipa_line_reader_next(lines))
		rc = read_line(&r, lines);
	free(r.assignments.items);
	pipa_arena_done(&r.texts);
	pipa_buf_done(&r.line);
	if (rc)
		return rc;
	join_adjacent(draft);
	move_program_first(draft);
	rc = pipa_draft_number(draft);
	return rc ? rc : pipa_maps_assign(draft);
}
