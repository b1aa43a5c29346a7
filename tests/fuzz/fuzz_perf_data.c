/* perf.data: any bytes give records that are consistent, or corruption that is reported. */
#include "base/file/bytes.h"
#include "base/auto.h"
#include "fuzz.h"
#include "ingest/ingest.h"
#include "ingest/sample_unwind.h"
#include "perf/file_read.h"
#include "unwind/arch.h"

static uint32_t event_of(void *ctx, uint32_t event)
{
	(void)event;
	return pipa_profile_event(ctx, "event");
}

static const struct pipa_unwind_arch *arch_of(void *ctx)
{
	(void)ctx;
	return &pipa_unwind_x86_64;
}

/* No file is known: stacks are followed along frame pointers. fuzz_unwind.c has tables. */
static const struct pipa_unwind_table *table_of(void *ctx, uint32_t object, uint64_t offset,
						uint64_t *ret_linked)
{
	const struct pipa_profile *profile = ctx;

	MUST(object < profile->objects.n);
	*ret_linked = offset;
	return NULL;
}

static void read_all(const uint8_t *data, size_t size, bool ordered, bool piped)
{
	const struct pipa_perf_reader_options options = { .ordered = ordered, .window = 1 << 17 };
	struct pipa_memory memory = { data, size };
	struct pipa_bytes bytes = pipa_bytes_of_memory(&memory);
	struct pipa_profile profile = { 0 };
	const struct pipa_unwind_source stacks = { .arch = arch_of,
						   .table = table_of,
						   .ctx = &profile };
	struct pipa_ingest_options ingest_options = { .event = event_of,
						      .unwind = &stacks,
						      .ctx = &profile };
	struct pipa_perf_reader *reader = NULL;
	struct pipa_ingest *ingest;

	if (piped)
		bytes.size = PIPA_BYTES_ENDLESS;
	if (pipa_perf_reader_open(&bytes, &options, &reader, NULL) < 0)
		return;
	ingest = pipa_ingest_new(&profile, &ingest_options);
	MUST(ingest);
	MUST(pipa_perf_reader_run(reader, pipa_ingest_sink(ingest), NULL) == 0);
	if (profile.events.n)
		MUST(profile.events.items[0].count <=
		     pipa_perf_reader_recording(reader)->counts[9]);
	MUST(profile.losses.unwound + profile.losses.chains <=
	     pipa_perf_reader_recording(reader)->counts[9]);
	pipa_ingest_free(ingest);
	pipa_profile_done(&profile);
	pipa_perf_reader_close(reader);
}

static int check_other(struct pipa_record_sink *self PIPA_UNUSED,
		       const struct pipa_rec_id *id PIPA_UNUSED, const struct pipa_rec_other *other)
{
	size_t i;

	for (i = 0; i < other->n_fields; i++) {
		MUST(other->fields[i].name);
		MUST(!other->fields[i].bytes ||
		     (other->fields[i].bytes >= other->body &&
		      other->fields[i].bytes + other->fields[i].len <= other->body + other->len));
	}
	return 0;
}

/* All records, also those that a profile does not need. */
static void read_records(const uint8_t *data, size_t size)
{
	const struct pipa_perf_reader_options options = { .ordered = true, .window = 1 << 17 };
	struct pipa_memory memory = { data, size };
	struct pipa_bytes bytes = pipa_bytes_of_memory(&memory);
	struct pipa_record_sink sink = { .other = check_other };
	struct pipa_perf_reader *reader = NULL;

	if (pipa_perf_reader_open(&bytes, &options, &reader, NULL) < 0)
		return;
	MUST(pipa_perf_reader_run(reader, &sink, NULL) == 0);
	pipa_perf_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size, false, false);
	read_all(data, size, true, false);
	read_all(data, size, false, true);
	read_records(data, size);
	return 0;
}
