#include "measure/sample/record_unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "ingest/ingest.h"
#include "ingest/sample_unwind.h"
#include "locate/mapped_files.h"
#include "perf/decode.h"
#include "perf/sample_chain.h"
#include "symbolize/code_files.h"
#include "symbolize/profile_builder.h"
#include "symbolize/unwind_tables.h"

struct pipa_record_unwind {
	struct pipa_record_sink sink; /* first member: the decoder's callbacks cast it */
	const struct pipa_perf_events *events;
	struct pipa_perf_events written;
	struct pipa_perf_decoder *decoder;
	struct pipa_profile profile;
	struct pipa_locate_options locate;
	struct pipa_code_files *files;
	struct pipa_unwind_tables *tables;
	struct pipa_profile_builder *builder;
	struct pipa_ingest *ingest; /* owned by the builder */
	size_t opened;		    /* number of objects whose files were opened */
	/* the current sample */
	const struct pipa_perf_raw *raw;
	struct pipa_buf *out;
};

/* ---- what is learned ------------------------------------------------------------------------------- */

/* Open a file at its first mapping: it can be deleted before the first stack is in it. */
static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	struct pipa_record_unwind *live = (struct pipa_record_unwind *)(void *)self;
	struct pipa_record_sink *sink = pipa_ingest_sink(live->ingest);
	int rc;

	if (map->pid == PIPA_KERNEL_PID)
		return 0;
	rc = sink->map(sink, id, map);
	while (!rc && live->opened < live->profile.objects.n)
		pipa_unwind_tables_get(live->tables, (uint32_t)live->opened++);
	return rc ? rc : pipa_unwind_tables_status(live->tables);
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	struct pipa_record_unwind *live = (struct pipa_record_unwind *)(void *)self;
	struct pipa_record_sink *sink = pipa_ingest_sink(live->ingest);

	return comm->exec ? sink->comm(sink, id, comm) : 0;
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	struct pipa_record_unwind *live = (struct pipa_record_unwind *)(void *)self;
	struct pipa_record_sink *sink = pipa_ingest_sink(live->ingest);

	return task->pid != task->parent_pid ? sink->fork(sink, id, task) : 0;
}

static int on_exit_record(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			  const struct pipa_rec_task *task)
{
	struct pipa_record_unwind *live = (struct pipa_record_unwind *)(void *)self;
	struct pipa_record_sink *sink = pipa_ingest_sink(live->ingest);

	return sink->exit(sink, id, task);
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id PIPA_UNUSED,
		   const struct pipa_rec_lost *lost PIPA_UNUSED)
{
	pipa_ingest_lost(((struct pipa_record_unwind *)(void *)self)->ingest);
	return 0;
}

void pipa_record_unwind_round(struct pipa_record_unwind *live)
{
	pipa_ingest_end_round(live->ingest);
}

/* ---- samples --------------------------------------------------------------------------------------- */

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample)
{
	struct pipa_record_unwind *live = (struct pipa_record_unwind *)(void *)self;
	const struct perf_event_attr *attr = &live->events->items[id->event].attr;
	struct pipa_unwound_chain chain;
	int rc;

	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return 0; /* written unchanged */
	rc = pipa_ingest_unwind(live->ingest, id, sample, &chain);
	if (rc < 0)
		return rc;
	if (!rc) { /* e.g. a kernel thread */
		chain.words = sample->chain;
		chain.n = sample->chain_len;
	}
	return pipa_perf_put_unwound(live->out, attr, live->raw, chain.words, chain.n);
}

static int decode(struct pipa_record_unwind *live, const struct pipa_perf_raw *raw)
{
	struct pipa_rec_id id;
	int rc = pipa_perf_decode_id(live->decoder, raw, &id);

	return rc < 0 ? rc : pipa_perf_decode(live->decoder, raw, &id, &live->sink);
}

int pipa_record_unwind_put(struct pipa_record_unwind *live, const struct pipa_perf_raw *raw,
			   struct pipa_buf *out)
{
	size_t before = out->len;
	int rc;

	live->raw = raw;
	live->out = out;
	rc = decode(live, raw);
	if (rc ==
	    -EBADMSG) /* records of the kernel are complete; a malformed sample does not match its event */
		rc = raw->type == PERF_RECORD_SAMPLE;
	if (!rc && out->len == before)
		pipa_buf_add(out, raw->body - 8, raw->len + 8);
	return rc ? rc : out->status;
}

int pipa_record_unwind_learn(struct pipa_record_unwind *live, const uint8_t *bytes, size_t len)
{
	struct pipa_perf_raw raw = { 0 };
	uint16_t size;
	size_t at = 0;
	int rc = 0;

	while (rc != -ENOMEM && len - at >= 8) {
		memcpy(&raw.type, bytes + at, 4);
		memcpy(&raw.misc, bytes + at + 4, 2);
		memcpy(&size, bytes + at + 6, 2);
		if (size < 8 || size > len - at)
			break;
		raw.body = bytes + at + 8;
		raw.len = size - 8;
		if (raw.type != PERF_RECORD_SAMPLE)
			rc = decode(live, &raw);
		at += size;
	}
	return rc == -ENOMEM ? rc : 0;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

/* Copy the events as they are written, without the dropped fields. 0 or -ENOMEM. */
static int copy_written_events(const struct pipa_perf_events *from, struct pipa_perf_events *to)
{
	int rc = pipa_perf_events_copy(to, from);
	size_t i;

	for (i = 0; !rc && i < to->n; i++)
		if (to->items[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			pipa_perf_attr_unwound(&to->items[i].attr);
	return rc;
}

static int init_unwind(struct pipa_record_unwind *live, const struct pipa_mapped_files *mapped)
{
	struct pipa_profile_builder_options options = { .ingest.live = true, .join = true };
	size_t i;

	if (pipa_perf_decoder_new(live->events, &live->decoder) < 0 ||
	    copy_written_events(live->events, &live->written) < 0)
		return -ENOMEM;
	live->locate.mapped = mapped;
	live->files = pipa_code_files_new(&live->locate, &live->profile, NULL);
	live->tables = live->files ? pipa_unwind_tables_new(live->files) : NULL;
	if (!live->tables)
		return -ENOMEM;
	for (i = 0; i < live->events->n; i++)
		if (live->profile.losses.stack_bytes <
		    live->events->items[i].attr.sample_stack_user)
			live->profile.losses.stack_bytes =
				live->events->items[i].attr.sample_stack_user;
	options.tables = live->tables;
	live->builder = pipa_profile_builder_new(&live->profile, &options);
	if (!live->builder)
		return -ENOMEM;
	live->ingest = pipa_profile_builder_ingest(live->builder);
	return 0;
}

int pipa_record_unwind_new(const struct pipa_perf_events *events,
			   const struct pipa_mapped_files *mapped, struct pipa_record_unwind **ret)
{
	struct pipa_record_unwind *live = calloc(1, sizeof(*live));

	if (!live)
		return -ENOMEM;
	live->events = events;
	live->sink = (struct pipa_record_sink){ .map = on_map,
						.comm = on_comm,
						.fork = on_fork,
						.exit = on_exit_record,
						.lost = on_lost,
						.sample = on_sample };
	if (init_unwind(live, mapped) < 0) {
		pipa_record_unwind_free(live);
		return -ENOMEM;
	}
	*ret = live;
	return 0;
}

void pipa_record_unwind_free(struct pipa_record_unwind *live)
{
	if (!live)
		return;
	pipa_profile_builder_free(live->builder);
	pipa_unwind_tables_free(live->tables);
	pipa_code_files_free(live->files);
	pipa_profile_done(&live->profile);
	pipa_perf_decoder_free(live->decoder);
	pipa_perf_events_done(&live->written);
	free(live);
}

bool *pipa_record_unwind_used(const struct pipa_record_unwind *live,
			      const struct pipa_mapped_files *files)
{
	const struct pipa_mapped_file *file;
	const struct pipa_object *object;
	bool *used;
	size_t i;

	for (i = 0; i + 1 < live->events->n; i++) /* the last is the side-band event */
		if (!(live->events->items[i].attr.sample_type & PERF_SAMPLE_STACK_USER))
			return NULL;
	used = calloc(pipa_mapped_files_count(files) + 1, sizeof(*used));
	for (i = 0; used && i < live->profile.objects.n; i++) {
		object = &live->profile.objects.items[i];
		if (!pipa_unwind_tables_used(live->tables, (uint32_t)i))
			continue;
		file = pipa_mapped_files_find(
			files, pipa_profile_string(&live->profile, object->path),
			(struct pipa_span){ object->build_id.bytes, object->build_id.len },
			&object->file);
		if (file)
			used[file - pipa_mapped_files_get(files, 0)] = true;
	}
	return used;
}

const struct pipa_perf_events *pipa_record_unwind_events(const struct pipa_record_unwind *live)
{
	return &live->written;
}

const struct pipa_profile *pipa_record_unwind_profile(const struct pipa_record_unwind *live)
{
	return &live->profile;
}
