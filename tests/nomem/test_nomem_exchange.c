/*
 * Profiles of other tools without memory: each allocation while they are read, filtered, merged and written fails
 * once. The result is -ENOMEM with a message, never an incomplete profile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/file.h"
#include "job/exchange/export.h"
#include "job/exchange/frame.h"
#include "job/exchange/merge.h"
#include "lib/nomem.h"
#include "lib/test.h"

enum { MOST_ALLOCATIONS = 20000 };

/* Fail allocation 0, 1, 2... until none is left. `what` is part of the message. */
static void exhaust(int (*run)(struct pipa_error *err), const char *what)
{
	size_t n;

	for (n = 0; n < MOST_ALLOCATIONS; n++) {
		struct pipa_error err = { 0 };
		bool happened;
		int rc;

		pipa_nomem_after(n);
		rc = run(&err);
		happened = pipa_nomem_happened();
		if (!happened) {
			if (rc)
				pipa_test_fail(__FILE__, __LINE__, "%s: %d, '%s'", what, rc,
					       err.what);
			CHECK(n > 10); /* or nothing was tried */
			return;
		}
		if (rc != -ENOMEM || !err.what[0])
			pipa_test_fail(__FILE__, __LINE__,
				       "%s: allocation %zu failed with %d, '%s'", what, n, rc,
				       err.what);
	}
	pipa_test_fail(__FILE__, __LINE__, "%s: more than %d allocations", what, MOST_ALLOCATIONS);
}

/* ---- a profile with every kind of attribute ------------------------------------------------------ */

static const char profiles[] =
	"{\"resourceProfiles\": [{\"resource\": {\"attributes\": ["
	"{\"key\": \"process.pid\", \"value\": {\"intValue\": \"12\"}},"
	"{\"key\": \"process.executable.path\", \"value\": {\"stringValue\": \"/usr/bin/prog\"}},"
	"{\"key\": \"process.executable.name\", \"value\": {\"stringValue\": \"prog\"}},"
	"{\"key\": \"service.name\", \"value\": {\"stringValue\": \"shop\"}},"
	"{\"key\": \"host\", \"value\": {\"kvlistValue\": {\"values\": ["
	"{\"key\": \"cores\", \"value\": {\"intValue\": \"4\"}}]}}}]},"
	"\"scopeProfiles\": [{\"scope\": {\"name\": \"test\", \"attributes\": ["
	"{\"key\": \"pprof.scope.default_sample_type\", \"value\": {\"stringValue\": \"cpu\"}}]},"
	"\"profiles\": ["
	"{\"sampleType\": {\"typeStrindex\": 1, \"unitStrindex\": 2}, \"timeUnixNano\": \"5000\","
	"\"periodType\": {\"typeStrindex\": 3, \"unitStrindex\": 4}, \"period\": \"10\","
	"\"attributeIndices\": [8, 9, 12], \"samples\": ["
	"{\"stackIndex\": 1, \"attributeIndices\": [1, 2, 3, 4], \"linkIndex\": 1, \"values\": [\"2\"]},"
	"{\"stackIndex\": 2, \"attributeIndices\": [1, 5, 6, 7], \"values\": [\"1\"]}]},"
	"{\"sampleType\": {\"typeStrindex\": 3, \"unitStrindex\": 4},"
	"\"periodType\": {\"typeStrindex\": 3, \"unitStrindex\": 4}, \"period\": \"10\", \"samples\": ["
	"{\"stackIndex\": 1, \"attributeIndices\": [1, 2, 3, 4], \"linkIndex\": 1,"
	" \"values\": [\"10\", \"10\"], \"timestampsUnixNano\": [\"5100\", \"5200\"]},"
	"{\"stackIndex\": 2, \"attributeIndices\": [1, 5, 6, 7], \"values\": [\"10\"],"
	" \"timestampsUnixNano\": [\"5300\"]}]}]}]}],"
	"\"dictionary\": {"
	"\"mappingTable\": [{}, {\"memoryStart\": \"4096\", \"memoryLimit\": \"8192\", \"filenameStrindex\": 5,"
	" \"attributeIndices\": [10, 11]}, {\"filenameStrindex\": 13}],"
	"\"locationTable\": [{}, {\"mappingIndex\": 1, \"address\": \"4100\", \"lines\": ["
	"{\"functionIndex\": 1, \"line\": \"7\", \"column\": \"2\"}, {\"functionIndex\": 2, \"line\": \"9\"}]},"
	"{\"mappingIndex\": 1, \"address\": \"4200\", \"lines\": [{\"functionIndex\": 3, \"line\": \"3\"}]},"
	"{\"mappingIndex\": 2, \"address\": \"18446744071578845184\"},"
	"{\"lines\": [{\"functionIndex\": 4}]}],"
	"\"functionTable\": [{}, {\"nameStrindex\": 6, \"systemNameStrindex\": 7, \"filenameStrindex\": 8,"
	" \"startLine\": \"5\"}, {\"nameStrindex\": 9, \"filenameStrindex\": 8}, {\"nameStrindex\": 10},"
	"{\"nameStrindex\": 28}],"
	"\"linkTable\": [{}, {\"traceId\": \"0102030405060708090a0b0c0d0e0f10\", \"spanId\": \"0102030405060708\"}],"
	"\"stackTable\": [{}, {\"locationIndices\": [1, 2]}, {\"locationIndices\": [3, 1, 2, 4]}],"
	"\"stringTable\": [\"\", \"samples\", \"count\", \"cpu\", \"nanoseconds\", \"/usr/bin/prog\", \"one::two\","
	"\"_ZN3one3twoEv\", \"prog.cc\", \"three\", \"main\", \"thread.id\", \"thread.name\", \"[kernel.kallsyms]\","
	"\"cpu.logical_number\", \"worker\", \"request\", \"bytes\", \"route\", \"weights\", \"ratio\","
	"\"pprof.profile.comment\", \"pprof.profile.doc_url\", \"process.executable.build_id.gnu\","
	"\"pprof.mapping.has_functions\", \"tree\", \"flag\", \"pprof.profile.drop_frames\", \"[truncated]\"],"
	"\"attributeTable\": [{}, {\"keyStrindex\": 11, \"value\": {\"intValue\": \"13\"}},"
	"{\"keyStrindex\": 12, \"value\": {\"stringValueStrindex\": 15}},"
	"{\"keyStrindex\": 16, \"value\": {\"intValue\": \"512\"}, \"unitStrindex\": 17},"
	"{\"keyStrindex\": 18, \"value\": {\"arrayValue\": {\"values\": [{\"stringValue\": \"/a\"},"
	" {\"stringValueStrindex\": 9}]}}},"
	"{\"keyStrindex\": 14, \"value\": {\"intValue\": \"3\"}},"
	"{\"keyStrindex\": 25, \"value\": {\"kvlistValue\": {\"values\": [{\"keyStrindex\": 9,"
	" \"value\": {\"arrayValue\": {\"values\": [{\"stringValueStrindex\": 10}]}}}]}}},"
	"{\"keyStrindex\": 20, \"value\": {\"doubleValue\": 0.5}},"
	"{\"keyStrindex\": 21, \"value\": {\"arrayValue\": {\"values\": [{\"stringValue\": \"lost samples: 3\"}]}}},"
	"{\"keyStrindex\": 22, \"value\": {\"stringValue\": \"https://example.org\"}},"
	"{\"keyStrindex\": 23, \"value\": {\"stringValue\": \"0123456789abcdef0123456789abcdef01234567\"}},"
	"{\"keyStrindex\": 24, \"value\": {\"boolValue\": true}},"
	"{\"keyStrindex\": 27, \"value\": {\"stringValue\": \"three\"}}]}}\n";

static char input[300], other[300], output[300];
static struct pipa_export_options export_options;

static void name_files(void)
{
	snprintf(input, sizeof(input), "%s/input.json", pipa_test_dir());
	snprintf(other, sizeof(other), "%s/other", pipa_test_dir());
	snprintf(output, sizeof(output), "%s/output", pipa_test_dir());
	pipa_test_file(pipa_test_dir(), "input.json", profiles);
}

static int run_export(struct pipa_error *err)
{
	return pipa_export_run(&export_options, err);
}

/* Write input.json to `other` in another format. */
static void convert_input(enum pipa_export_format format)
{
	struct pipa_error err = { 0 };

	export_options = (struct pipa_export_options){
		.path = input, .output = other, .format = format, .has_format = true
	};
	if (pipa_export_run(&export_options, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
}

TEST(reading_pprof_and_otlp_survives_every_failed_allocation)
{
	static const enum pipa_export_format formats[] = { PIPA_EXPORT_PPROF, PIPA_EXPORT_OTLP,
							   PIPA_EXPORT_OTLP_JSON };
	size_t i;

	name_files();
	for (i = 0; i < PIPA_COUNT(formats); i++) {
		convert_input(formats[i]);
		export_options = (struct pipa_export_options){ .path = other,
							       .output = output,
							       .format = PIPA_EXPORT_FOLDED };
		exhaust(run_export, pipa_export_format_name(formats[i]));
	}
}

TEST(writing_each_format_survives_every_failed_allocation)
{
	unsigned int format;

	name_files();
	for (format = 0; format < PIPA_EXPORT_FORMAT_NR; format++) {
		export_options = (struct pipa_export_options){
			.path = input, .output = output, .format = format, .has_format = true
		};
		exhaust(run_export, pipa_export_format_name(format));
	}
	export_options.format = PIPA_EXPORT_OTLP;
	export_options.otlp_1_9 = true;
	exhaust(run_export, "otlp 1.9");
}

TEST(filtering_survives_every_failed_allocation)
{
	name_files();
	export_options = (struct pipa_export_options){
		.path = input,
		.output = output,
		.format = PIPA_EXPORT_PPROF,
		.selection.filter = { .focus = "one::two",
				      .hide = "kernel",
				      .show_from = "main",
				      .tids = "13",
				      .comms = "worker,prog",
				      .labels = { { "request=512b", "route=/a" }, 2 } },
	};
	exhaust(run_export, "filter");
}

static int run_merge(struct pipa_error *err)
{
	const char *const paths[] = { input, other, input };

	return pipa_merge_run(&(struct pipa_merge_options){ .paths = paths,
							    .n = PIPA_COUNT(paths),
							    .out = export_options },
			      err);
}

TEST(merging_survives_every_failed_allocation)
{
	name_files();
	convert_input(PIPA_EXPORT_PPROF);
	export_options = (struct pipa_export_options){ .output = output,
						       .format = PIPA_EXPORT_PPROF,
						       .selection.filter.ignore = "nothing" };
	exhaust(run_merge, "merge");
}

static struct pipa_frame_job frame;

static int run_frame(struct pipa_error *err)
{
	return pipa_frame_run(&frame, err);
}

TEST(writing_tables_survives_every_failed_allocation)
{
	unsigned int kind, format;

	name_files();
	for (kind = PIPA_FRAME_SAMPLES; kind <= PIPA_FRAME_FUNCTIONS; kind++) {
		if (kind == PIPA_FRAME_RECORDS) /* only of perf.data files */
			continue;
		for (format = 0; format < PIPA_FRAME_FORMAT_NR; format++) {
			if (format ==
			    PIPA_FRAME_SQLITE) /* SQLite can do without some allocations */
				continue;
			frame = (struct pipa_frame_job){ .load.path = input,
							 .kind = kind,
							 .format = format,
							 .created_by = "test",
							 .output = output };
			exhaust(run_frame, "table");
		}
	}
}

TEST(reading_legacy_profiles_survives_every_failed_allocation)
{
	static char path[400];
	const char *source = getenv("PIPA_SOURCE");
	struct dirent *entry;
	char dir[300];
	DIR *files;

	if (!source)
		SKIP("PIPA_SOURCE is not set: run through ctest");
	name_files();
	snprintf(dir, sizeof(dir), "%s/tests/data/pprof", source);
	files = opendir(dir);
	CHECK(files);
	while ((entry = readdir(files))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		export_options = (struct pipa_export_options){ .path = path,
							       .output = output,
							       .format = PIPA_EXPORT_FOLDED };
		exhaust(run_export, entry->d_name);
	}
	closedir(files);
}
