/*
 * Write rows of samples as Parquet: frame FILE ROWS prints the CPU time in nanoseconds, which includes making up the
 * rows. For frame.sh.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec/parquet.h"

enum { TIME, CPU, PID, TID, COMM, EVENT, PERIOD, STACK, COLUMNS, COMMS = 40 };

static const struct pipa_frame_column columns[COLUMNS] = {
	[TIME] = { "time", PIPA_FRAME_TIME_NS, false, "ns" },
	[CPU] = { "cpu", PIPA_FRAME_U32, true, NULL },
	[PID] = { "pid", PIPA_FRAME_U32, false, NULL },
	[TID] = { "tid", PIPA_FRAME_U32, false, NULL },
	[COMM] = { "comm", PIPA_FRAME_TEXT, false, NULL },
	[EVENT] = { "event", PIPA_FRAME_TEXT, false, NULL },
	[PERIOD] = { "period", PIPA_FRAME_U64, false, "cycles" },
	[STACK] = { "stack", PIPA_FRAME_U32, true, NULL },
};

static int put(void *ctx, const char *bytes, size_t len)
{
	return fwrite(bytes, 1, len, ctx) == len ? 0 : -1;
}

static int put_rows(struct pipa_frame_writer *w, uint64_t rows)
{
	uint64_t random = UINT64_C(88172645463325252), time = 1000000000, i;
	char comms[COMMS][16];
	int rc = 0;

	for (i = 0; i < COMMS; i++)
		snprintf(comms[i], sizeof(comms[i]), "worker%" PRIu64, i);
	for (i = 0; i < rows && rc >= 0; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		time += random % 300000;
		w->put(w, TIME, time);
		if (random % 100)
			w->put(w, CPU, random % 8);
		w->put(w, PID, 1000 + random % COMMS);
		w->put(w, TID, 1000 + random % 200);
		pipa_frame_put_string(w, COMM, comms[random % COMMS]);
		w->put_text(w, EVENT, "cycles", 6);
		w->put(w, PERIOD, random % 100000 + (random >> 20) % 7777);
		if (random % 3)
			w->put(w, STACK, (random >> 30) % 100000);
		rc = w->end_row(w);
	}
	return rc;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "we") : NULL;
	const struct pipa_frame_options options = { .columns = columns,
						    .n_columns = COLUMNS,
						    .created_by = "pipa bench",
						    .put = put,
						    .ctx = file };
	struct pipa_frame_writer *w = file ? pipa_parquet_new(&options) : NULL;
	struct timespec cpu;

	if (!w || put_rows(w, strtoull(argv[2], NULL, 10)) < 0 || w->finish(w, NULL, 0) < 0 ||
	    fclose(file) != 0)
		return 1;
	w->free(w);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("%" PRIu64 "\n", (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec);
	return 0;
}
