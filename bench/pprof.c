/*
 * Time pipa's pprof encoder and its decoder to arrays, once each: pprof FILE writes the encoded profile to FILE and
 * prints "encode NS decode NS bytes N". For pprof.sh.
 */
#include "bench/pprof.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "codec/pprof_schema.h"
#include "export/exchange/pprof.h"
#include "model/profile.h"

static void make_functions(struct pipa_profile *p, uint32_t object)
{
	char name[64];
	uint32_t i;

	for (i = 0; i < FUNCTIONS; i++) {
		struct pipa_function function = { .object = object };

		snprintf(name, sizeof(name), "namespace_%u::function_%u", i % 50, i);
		function.name = pipa_profile_text(p, name);
		snprintf(name, sizeof(name), "/src/part_%u/file.cc", i % 200);
		function.file = pipa_profile_text(p, name);
		pipa_profile_function(p, &function);
	}
}

static void make_profile(struct pipa_profile *p)
{
	struct pipa_object object = { .path = pipa_profile_text(p, "/usr/bin/program") };
	uint32_t number = pipa_profile_object(p, &object), i, depth;
	uint32_t event = pipa_profile_event_of(
		p, &(struct pipa_event_type){ .name = "cpu-clock", .unit = PIPA_VALUE_NS });

	make_functions(p, number);
	for (i = 0; i < LOCATIONS; i++) {
		struct pipa_location location = { .object = number, .offset = 4096 + 16 * i };

		location.address = 0x555500000000 + location.offset;
		pipa_profile_location(p, &location);
		pipa_profile_name(p, i, i % FUNCTIONS, i % 1000 + 1);
	}
	for (i = 0; i < SAMPLES; i++) {
		struct pipa_sample sample = { .event = event,
					      .thread = PIPA_NONE,
					      .cpu = PIPA_NONE,
					      .stack = PIPA_NONE,
					      .weight = 1000000,
					      .count = 1 };

		for (depth = 0; depth < FRAMES; depth++)
			sample.stack = pipa_profile_stack(p, sample.stack,
							  bench_location(i, depth));
		pipa_profile_add(p, &sample);
	}
}

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Take the bytes as a compressor would, and do nothing with them. */
static int count(void *ctx, const char *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)ctx += len;
	return 0;
}

int main(int argc, char **argv)
{
	const struct pipa_pprof_format format = { 0 };
	struct pipa_profile profile = { 0 };
	struct pipa_buf out = { .max = (size_t)1 << 30 };
	struct pipa_proto_memory memory = { 0 };
	struct pipa_pprof_profile decoded;
	struct pipa_proto_error err;
	uint64_t start, encode, decode;
	FILE *file = argc == 2 ? fopen(argv[1], "we") : NULL;
	size_t n = 0;
	int rc;

	make_profile(&profile);
	start = bench_now();
	rc = pipa_pprof_write(&profile, &format, count, &n);
	encode = bench_now() - start;
	if (!rc)
		rc = pipa_pprof_write(&profile, &format, put, &out);
	start = bench_now();
	if (!rc)
		rc = pipa_proto_decode(&pipa_pprof_profile_message,
				       (struct pipa_span){ (const uint8_t *)out.data, out.len },
				       &memory, &decoded, &err);
	decode = bench_now() - start;
	if (rc || out.status || n != out.len || !file ||
	    fwrite(out.data, 1, out.len, file) != out.len || fclose(file))
		return 1;
	printf("encode %" PRIu64 " decode %" PRIu64 " bytes %zu\n", encode, decode, out.len);
	return 0;
}
