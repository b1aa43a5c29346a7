#include "import/pprof.h"

#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "codec/pprof_schema.h"
#include "import/pprof_build.h"

struct reader {
	struct pipa_error *err;
	struct pipa_span file;
	struct pipa_pprof_profile tables; /* all but the samples */
	struct pipa_proto_memory table_memory, sample_memory;
	struct pipa_pprof_builder *builder;
};

static int refuse_wire(const struct reader *r, const struct pipa_proto_error *e, uint64_t base)
{
	return pipa_refuse(r->err, -EBADMSG,
			   "malformed pprof profile: %s%s%s: %s at offset %" PRIu64,
			   e->message ? e->message->name : "Profile", e->field ? "." : "",
			   e->field ? e->field->name : "", e->what, base + e->offset);
}

static int add_sample(struct reader *r, struct pipa_span bytes)
{
	struct pipa_pprof_sample s;
	struct pipa_proto_error e;
	int rc;

	pipa_proto_reset(&r->sample_memory);
	rc = pipa_proto_decode(&pipa_pprof_sample_message, bytes, &r->sample_memory, &s, &e);
	if (rc == -EBADMSG)
		return refuse_wire(r, &e, (uint64_t)(bytes.data - r->file.data));
	if (!rc && s.value.n != r->tables.sample_type.n)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed pprof profile: the sample at offset %" PRIu64
				   " has %zu values, expected %zu",
				   (uint64_t)(bytes.data - r->file.data), s.value.n,
				   r->tables.sample_type.n);
	return rc ? rc : pipa_pprof_build_sample(r->builder, &s);
}

static int add_samples(struct reader *r)
{
	struct pipa_cursor in = pipa_span_cursor(r->file, false);
	struct pipa_proto_item item;
	struct pipa_proto_error e = { 0 };
	int rc;

	while ((rc = pipa_proto_next(&in, &item, &e)) > 0) {
		if (item.number != PIPA_PPROF_SAMPLE)
			continue;
		if (item.wire != PIPA_WIRE_BYTES)
			return pipa_refuse(
				r->err, -EBADMSG,
				"malformed pprof profile: Profile.sample: wrong wire type");
		rc = add_sample(r, item.bytes);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? refuse_wire(r, &e, (uint64_t)(in.pos - r->file.data)) : 0;
}

int pipa_pprof_read(struct pipa_profile *profile, struct pipa_span file, struct pipa_error *err)
{
	struct reader r = { .err = err, .file = file };
	struct pipa_proto_error e;
	int rc;

	/* entries of tables need at most eight times their encoded size; empty messages would need more */
	r.table_memory.max = 16 * (uint64_t)file.size + (1 << 20);
	rc = pipa_proto_decode(&pipa_pprof_tables_message, file, &r.table_memory, &r.tables, &e);
	if (rc == -EBADMSG)
		rc = refuse_wire(&r, &e, 0);
	else if (rc == -E2BIG)
		rc = pipa_refuse(err, rc, "malformed pprof profile: its tables are mostly empty");
	if (!rc)
		rc = pipa_pprof_build(profile, &r.tables, err, &r.builder);
	if (!rc)
		rc = add_samples(&r);
	pipa_pprof_builder_free(r.builder);
	pipa_proto_memory_done(&r.table_memory);
	pipa_proto_memory_done(&r.sample_memory);
	return rc;
}

bool pipa_pprof_is(struct pipa_span start)
{
	return pipa_proto_matches(&pipa_pprof_profile_message, start, false);
}
