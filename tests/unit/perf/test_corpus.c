/* Recordings that others made: everything in them is found, by perf's own count. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "lib/test.h"
#include "perf/file_read.h"

static const char *corpus_file(const char *name)
{
	static char path[4096];
	const char *corpus = getenv("PIPA_CORPUS"), *source = getenv("PIPA_SOURCE");

	if (corpus)
		snprintf(path, sizeof(path), "%s/perfdata/%s", corpus, name);
	else
		snprintf(path, sizeof(path), "%s/../shared/corpus/perfdata/%s",
			 source ? source : ".", name);
	return path;
}

struct counts {
	struct pipa_record_sink sink;
	uint64_t samples, event[8], maps, branches, chains;
};

static int count_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			const struct pipa_rec_sample *sample)
{
	struct counts *counts = (struct counts *)(void *)self;

	counts->samples++;
	counts->branches += sample->n_branches;
	counts->chains += sample->chain_len > 0;
	CHECK(id->event < 8);
	counts->event[id->event]++;
	CHECK(id->pid != PIPA_UNKNOWN32);
	return 0;
}

static int count_map(struct pipa_record_sink *self, const struct pipa_rec_id *id PIPA_UNUSED,
		     const struct pipa_rec_map *map)
{
	CHECK(map->path[0]);
	((struct counts *)(void *)self)->maps++;
	return 0;
}

static struct counts counts;
static struct pipa_recording *recording;
static struct pipa_perf_reader *reader;

static void read_file(const char *name, bool ordered)
{
	const struct pipa_perf_reader_options options = { .ordered = ordered, .window = 1 << 18 };
	static struct pipa_buf text;
	static struct pipa_memory memory;
	static struct pipa_bytes bytes;
	struct pipa_error err = { 0 };

	pipa_buf_reset(&text);
	if (pipa_file_read(corpus_file(name), &text, NULL) < 0)
		SKIP("no corpus");
	memory = (struct pipa_memory){ (const uint8_t *)text.data, text.len };
	bytes = pipa_bytes_of_memory(&memory);
	counts = (struct counts){ .sink = { .sample = count_sample, .map = count_map } };
	if (pipa_perf_reader_open(&bytes, &options, &reader, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s: %s", name, err.what);
	CHECK_EQ(pipa_perf_reader_run(reader, &counts.sink, &err), 0);
	recording = pipa_perf_reader_recording(reader);
}

TEST(every_record_and_sample_is_found)
{
	static const struct {
		const char *name;
		uint64_t records, samples;
	} files[] = {
		{ "perf.data.armv7-3.4", 5554, 3893 },
		{ "perf.data.branch-4.14", 50, 13 },
		{ "perf.data.callgraph-3.8", 3798, 1768 },
		{ "perf.data.callgraph_and_branch-3.4", 2643, 923 },
		{ "perf.data.ctx_switch_namespaces-4.14", 42, 2 },
		{ "perf.data.forkexit-3.8", 15464, 10335 },
		{ "perf.data.group_desc-4.14", 50, 13 },
		{ "perf.data.hw_and_sw-3.4", 7533, 4941 },
		{ "perf.data.lost_samples-4.4", 243, 191 },
		{ "perf.data.piped.header_features-4.16", 57, 2 },
		{ "perf.data.piped.target-3.4", 3016, 1414 },
		{ "perf.data.proc.map.timeout-3.18", 696, 8 },
		{ "perf.data.remmap-3.2", 343, 198 },
		{ "perf.data.singleprocess-3.8", 119, 13 },
		{ "perf.data.systemwide.0-3.8", 2053, 28 },
	};
	size_t i, ordered;

	for (i = 0; i < PIPA_COUNT(files); i++)
		for (ordered = 0; ordered < 2; ordered++) {
			read_file(files[i].name, ordered);
			if (recording->records != files[i].records ||
			    counts.samples != files[i].samples || recording->damage.count)
				pipa_test_fail(__FILE__, __LINE__,
					       "%s: %llu records, %llu samples, %s", files[i].name,
					       (unsigned long long)recording->records,
					       (unsigned long long)counts.samples,
					       recording->damage.what);
			CHECK_EQ(recording->counts[9], counts.samples);
			pipa_perf_reader_close(reader);
		}
}
