/*
 * A store of results under stress, for cli/test_results_store.sh:
 *
 *	results_store write FILE          upload from several threads until it is killed; a line on standard output for each
 *	                                  change that was acknowledged: "run HASH" or "recording HASH ID"
 *	results_store hold FILE N         upload N results, print "ready", wait for the end of standard input, close
 *	results_store full FILE FILLER    fill the disk, remove FILLER, upload again
 *	results_store csv FILE            write the table as CSV; the peak RSS in KiB is the last line of standard error
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "job/results/results_service.h"
#include "rpc/message.h"
#include "rpc/store_messages.h"
#include "store/results/recording_files.h"
#include "store/results/results_sqlite.h"

enum { THREADS = 8, COMMENT = 3000, RECORDING = 40000 };

static struct pipa_results *store;
static atomic_uint_fast64_t next_number;

__attribute__((noreturn)) static void die(const char *what, const struct pipa_error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->what);
	exit(1);
}

static struct pipa_span span(const char *text)
{
	return (struct pipa_span){ (const uint8_t *)text, strlen(text) };
}

static void open_store(const char *path)
{
	struct pipa_results_sqlite_options options = { .path = path, .table = "example" };
	struct pipa_error err;

	if (pipa_results_sqlite_open(&options, &store, &err) < 0)
		die("open", &err);
}

static void close_store(void)
{
	struct pipa_error err;

	if (pipa_results_close(store, &err) < 0)
		die("close", &err);
}

/* Fill a result that no other call has made; all the fields, and a comment of some pages. */
static void fill(struct pipa_result *result, char comment[static COMMENT + 1])
{
	static const uint32_t cpus[] = { 0, 1, 2, 3 };
	uint64_t number = atomic_fetch_add(&next_number, 1);
	int i;

	memset(comment, 'c', COMMENT);
	comment[COMMENT] = '\0';
	*result = (struct pipa_result){ 0 };
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT:
			pipa_result_set_string(result, (enum pipa_result_field)i, "some text");
			break;
		case PIPA_RESULT_UINT64:
			pipa_result_set_number(result, (enum pipa_result_field)i, number + 1);
			break;
		case PIPA_RESULT_DOUBLE:
			pipa_result_set_real(result, (enum pipa_result_field)i, (double)i / 3);
			break;
		case PIPA_RESULT_LIST: pipa_result_set_list(result, cpus, 4);
		}
	pipa_result_set_string(result, PIPA_RESULT_COMMENT, comment);
}

/* ---- write --------------------------------------------------------------------------------------- */

static void print_line(const char *kind, const char *hash, const char *id)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s %s%s%s\n", kind, hash, id ? " " : "",
			 id ? id : "");

	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		exit(1);
}

static void attach(const char *hash, unsigned int *seed)
{
	struct pipa_recording_upload *upload;
	struct pipa_recording_info info;
	struct pipa_error err;
	uint8_t bytes[RECORDING];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rand_r(seed);
	if (pipa_recording_begin(store, (struct pipa_span){ 0 }, span(hash), span("perf.data"),
				 &upload, &err) < 0 ||
	    pipa_recording_add(upload, (struct pipa_span){ bytes, sizeof(bytes) }, &err) < 0 ||
	    pipa_recording_commit(upload, (struct pipa_span){ 0 }, 0, &info, &err) < 0)
		die("attach", &err);
	pipa_recording_end(upload);
	print_line("recording", hash, info.id);
}

static void *write_results(void *ctx)
{
	unsigned int seed = (unsigned int)(pipa_clock_wall_ns() + (uintptr_t)ctx);
	char comment[COMMENT + 1];
	struct pipa_results_label label = { span("k"), span("v") };
	struct pipa_result result;
	struct pipa_results_upload upload = { .result = &result, .labels = &label };
	struct pipa_results_answer answer;
	struct pipa_error err;

	for (;;) {
		fill(&result, comment);
		upload.n_labels = rand_r(&seed) % 4 == 0;
		if (pipa_results_upload_wait(store, &upload, &answer, &err) < 0)
			die("upload", &err);
		print_line("run", answer.hash, NULL);
		if (rand_r(&seed) % 16 == 0)
			attach(answer.hash, &seed);
	}
	return NULL;
}

static int run_write(const char *path)
{
	pthread_t threads[THREADS];
	size_t i;

	next_number = pipa_clock_wall_ns(); /* never again that of another writer */
	open_store(path);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_results, (void *)i) != 0)
			return 1;
	pthread_join(threads[0], NULL);
	return 1;
}

/* ---- hold ---------------------------------------------------------------------------------------- */

static atomic_uint_fast64_t answered;

static void count(void *ctx, const struct pipa_results_outcome *outcome)
{
	(void)ctx;
	if (outcome->status < 0)
		die("upload", &outcome->err);
	atomic_fetch_add(&answered, 1);
}

static int run_hold(const char *path, uint64_t n)
{
	char comment[COMMENT + 1], byte;
	struct pipa_result result;
	struct pipa_results_upload upload = { .result = &result };
	struct pipa_error err;
	uint64_t i;
	int rc;

	open_store(path);
	for (i = 0; i < n; i++) {
		fill(&result, comment);
		pipa_result_set_string(&result, PIPA_RESULT_COMMENT, "short");
		while ((rc = pipa_results_upload(store, &upload, count, NULL, &err)) == -EAGAIN)
			usleep(1000);
		if (rc < 0)
			die("upload", &err);
	}
	while (atomic_load(&answered) < n)
		usleep(1000);
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	close_store();
	return 0;
}

/* ---- full ---------------------------------------------------------------------------------------- */

static int run_full(const char *path, const char *filler)
{
	char comment[COMMENT + 1];
	struct pipa_result result;
	struct pipa_results_upload upload = { .result = &result };
	struct pipa_results_answer answer;
	struct pipa_error err;
	unsigned int after = 0;
	int rc;

	open_store(path);
	do {
		fill(&result, comment);
		rc = pipa_results_upload_wait(store, &upload, &answer, &err);
		if (!rc)
			print_line("run", answer.hash, NULL);
	} while (!rc);
	fprintf(stderr, "full: %d %s\n", rc, err.what);
	if (rc != -ENOSPC || pipa_results_ready(store, &err) != -ENOSPC)
		die("not the error of a full disk", &err);
	if (unlink(filler) < 0)
		return 1;
	if (pipa_results_ready(store, &err) < 0)
		die("ready", &err);
	do { /* the same result as was refused, then others */
		if (pipa_results_upload_wait(store, &upload, &answer, &err) < 0)
			die("upload after the full disk", &err);
		print_line("run", answer.hash, NULL);
		fill(&result, comment);
	} while (++after < 100);
	close_store();
	return 0;
}

/* ---- csv ----------------------------------------------------------------------------------------- */

static int write_message(void *ctx, struct pipa_span message)
{
	static struct pipa_proto_memory memory;
	struct pipa_store_download_response response;

	(void)ctx;
	pipa_proto_reset(&memory);
	if (pipa_rpc_decode(&pipa_store_download_response_message, message, &memory, &response,
			    NULL) < 0)
		return -EBADMSG;
	return fwrite(response.chunk.data, 1, response.chunk.size, stdout) == response.chunk.size ?
		       0 :
		       -EIO;
}

static int run_csv(const char *path)
{
	struct pipa_error err;
	struct rusage usage;

	open_store(path);
	if (pipa_results_download(store, (struct pipa_span){ 0 }, write_message, NULL, &err) < 0)
		die("download", &err);
	close_store();
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%ld\n", usage.ru_maxrss);
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "write") == 0)
		return run_write(argv[2]);
	if (argc == 4 && strcmp(argv[1], "hold") == 0)
		return run_hold(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "full") == 0)
		return run_full(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "csv") == 0)
		return run_csv(argv[2]);
	fprintf(stderr, "usage: results_store write|hold|full|csv FILE [N|FILLER]\n");
	return 2;
}
