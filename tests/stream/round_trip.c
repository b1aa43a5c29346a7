/*
 * round_trip FILE...: each recording is read, written in both byte orders and with the library's own
 * encoder, and read again. Says how many records came, or where the streams part; status 1 then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "lib/stream.h"
#include "load/perf_source.h"
#include "perf/file_read.h"
#include "store/input.h"

/* The first line in which two texts differ; false when there is none. */
static bool differ(const char *what, const struct pipa_buf *a, const struct pipa_buf *b)
{
	const char *one = pipa_buf_str(a), *two = pipa_buf_str(b);
	size_t i, line = 0;

	if (a->len == b->len && memcmp(one, two, a->len) == 0)
		return false;
	for (i = 0; one[i] && one[i] == two[i]; i++)
		line = one[i] == '\n' ? i + 1 : line;
	printf("%s differ:\n< %.*s\n> %.*s\n", what, (int)strcspn(one + line, "\n"), one + line,
	       (int)strcspn(two + line, "\n"), two + line);
	return true;
}

static int read_again(const struct pipa_buf *file, const struct stream *first, const char *what)
{
	struct pipa_memory memory = { (const uint8_t *)pipa_buf_str(file), file->len };
	struct pipa_bytes bytes = pipa_bytes_of_memory(&memory);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf told = { 0 }, again = { 0 };
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *reader = NULL;
	struct pipa_error err = { 0 };
	struct stream second;
	bool bad;

	if (pipa_perf_reader_open(&bytes, &(struct pipa_perf_reader_options){ 0 }, &reader, &err) <
	    0) {
		printf("%s: %s\n", what, err.what);
		return 1;
	}
	stream_init(&second, pipa_perf_reader_events(reader));
	bad = pipa_perf_reader_run(reader, &second.sink, &err) < 0 ||
	      pipa_perf_reader_recording(reader)->damage.count;
	if (bad)
		printf("%s: %s%s\n", what, err.what,
		       pipa_perf_reader_recording(reader)->damage.what);
	bad |= differ(what, &first->others, &second.others);
	bad |= differ(what, &first->samples, &second.samples);
	if (!first->swapped) { /* names are in the features, which are written only in our order */
		stream_tell_events(first->events, &told);
		stream_tell_events(second.events, &again);
		bad |= differ(what, &told, &again);
	}
	stream_done(&second);
	return bad;
}

static int round_trip(const struct pipa_input *input, bool swapped, bool library)
{
	PIPA_AUTO(pipa_perf_source_close) struct pipa_perf_source *source = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { .max = (size_t)1 << 30 };
	struct pipa_error err = { 0 };
	struct stream first;
	int bad = 1;

	if (pipa_perf_source_open(input, false, &source, &err) < 0) {
		printf("%s: %s\n", input->name, err.what);
		return 1;
	}
	stream_init(&first, pipa_perf_reader_events(pipa_perf_source_reader(source)));
	first.swapped = swapped;
	first.library = library;
	if (pipa_perf_reader_run(pipa_perf_source_reader(source), &first.sink, &err) < 0) {
		printf("%s: %s\n", input->name, err.what);
	} else {
		stream_file(&first, &file);
		bad = read_again(&file, &first,
				 swapped ? "the other byte order" :
				 library ? "our encoder" :
					   "our byte order");
		if (!swapped && !library)
			printf("%s: %" PRIu64 " records\n", input->name,
			       pipa_perf_reader_recording(pipa_perf_source_reader(source))
				       ->records);
	}
	stream_done(&first);
	return bad;
}

int main(int argc, char **argv)
{
	struct pipa_error err = { 0 };
	int i, bad = 0;

	for (i = 1; i < argc; i++) {
		PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;

		if (pipa_input_open(argv[i], true, &input, &err) < 0) {
			printf("%s: %s\n", argv[i], err.what);
			return 1;
		}
		bad |= round_trip(input, false, false);
		bad |= round_trip(input, true, false);
		bad |= round_trip(input, false, true);
	}
	return bad;
}
