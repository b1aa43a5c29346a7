/*
 * The same by protobuf-c: build the messages and pack them, then unpack FILE. Prints as pprof.c does. Compiled by
 * pprof.sh with the code that protoc-c makes of pprof.proto.
 */
#include "pprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.pb-c.h"

static void *need(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		exit(1);
	return memory;
}

static uint64_t locations[SAMPLES][FRAMES]; /* innermost first */

static Sample *build_sample(uint32_t i)
{
	Sample *sample = need(sizeof(*sample));

	sample__init(sample);
	sample->n_location_id = FRAMES;
	sample->location_id = need(FRAMES * sizeof(*sample->location_id));
	memcpy(sample->location_id, locations[i], sizeof(locations[i]));
	sample->n_value = 2;
	sample->value = need(2 * sizeof(*sample->value));
	sample->value[0] = 1;
	sample->value[1] = 1000000;
	return sample;
}

int main(int argc, char **argv)
{
	Profile profile = PROFILE__INIT, *unpacked;
	uint64_t start, encode, decode;
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	uint8_t *packed, *read;
	size_t size, n;
	uint32_t i, depth;

	for (i = 0; i < SAMPLES; i++)
		for (depth = 0; depth < FRAMES; depth++)
			locations[i][FRAMES - 1 - depth] = bench_location(i, depth) + 1;
	/* only the samples: tables are small beside them */
	start = bench_now();
	profile.n_sample = SAMPLES;
	profile.sample = need(SAMPLES * sizeof(*profile.sample));
	for (i = 0; i < SAMPLES; i++)
		profile.sample[i] = build_sample(i);
	packed = need(profile__get_packed_size(&profile));
	size = profile__pack(&profile, packed);
	encode = bench_now() - start;

	if (!file || fseek(file, 0, SEEK_END))
		return 1;
	n = (size_t)ftell(file);
	rewind(file);
	read = need(n);
	if (fread(read, 1, n, file) != n)
		return 1;
	start = bench_now();
	unpacked = profile__unpack(NULL, n, read);
	decode = bench_now() - start;
	if (!unpacked || unpacked->n_sample != SAMPLES)
		return 1;
	printf("encode %" PRIu64 " decode %" PRIu64 " bytes %zu\n", encode, decode, size);
	return 0;
}
