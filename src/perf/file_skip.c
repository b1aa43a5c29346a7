/* The part of the reader that finds the next record where one is broken. */
#include "perf/file_read_own.h"

/* Could a record stand there? Its size, or 0. */
static size_t plausible(struct pipa_perf_reader *r, const struct part *part, uint64_t at)
{
	const uint8_t *bytes = at < part->end ?
				       pipa_window_get(&r->window, at, PIPA_PERF_RECORD_HEADER) :
				       NULL;
	struct pipa_perf_raw raw;

	if (!bytes)
		return 0;
	pipa_perf_reader_get_header(r, bytes, at, &raw);
	if (raw.len < PIPA_PERF_RECORD_HEADER || raw.len % 8 || raw.len > part->end - at ||
	    !raw.type || raw.type > USER_LAST ||
	    (raw.type > KERNEL_LAST && raw.type < PIPA_PERF_USER_TYPES))
		return 0;
	return raw.len;
}

/*
 * Behind a broken record: the next place from which several records follow each other, or the end of
 * the part. Of a pipe no further than the window reaches, as it cannot go back.
 */
static uint64_t find_next(struct pipa_perf_reader *r, const struct part *part, uint64_t at)
{
	enum { FAR = 1 << 20, ENOUGH = 4 };
	uint64_t end = part->end - at < FAR ? part->end : at + FAR, next;
	size_t size;
	int found;

	if (part->bytes->size == PIPA_BYTES_ENDLESS)
		return part->end;
	/* a size that was wrong may have led between the places where records stand */
	for (at = at - (at - part->offset) % 8 + 8; at < end; at += 8) {
		next = at;
		for (found = 0; found < ENOUGH && (size = plausible(r, part, next)); found++)
			next += size;
		if (found == ENOUGH || (found && next == part->end))
			return at;
	}
	return part->end;
}

/* The record at `at` is none: noted, once for each such place. */
uint64_t pipa_perf_reader_skip_broken(struct pipa_perf_reader *r, const struct part *part,
				      uint64_t at)
{
	uint64_t next = find_next(r, part, at);

	if (!r->counting)
		return next;
	if (next < part->end) {
		pipa_recording_note_damage(&r->recording, at, "invalid record; skipped %llu bytes",
					   (unsigned long long)(next - at));
	} else {
		pipa_recording_note_damage(&r->recording, at,
					   "invalid record; no valid record follows");
		r->recording.damage.incomplete = true;
	}
	return next;
}
