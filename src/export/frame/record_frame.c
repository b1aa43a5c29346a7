#include "export/frame/record_frame.h"

#include <ctype.h>
#include <string.h>

#include "base/auto.h"
#include "base/utf8.h"
#include "codec/doc.h"

enum record_column {
	RECORD_POSITION,
	RECORD_TYPE,
	RECORD_TIME,
	RECORD_UTC,
	RECORD_CPU,
	RECORD_PID,
	RECORD_TID,
	RECORD_EVENT,
	RECORD_MODE,
	/* MMAP, MMAP2, KSYMBOL */
	RECORD_START,
	RECORD_LENGTH,
	RECORD_FILE_OFFSET,
	RECORD_NAME, /* path, comm or symbol */
	RECORD_BUILD_ID,
	RECORD_MAJOR,
	RECORD_MINOR,
	RECORD_INODE,
	RECORD_GENERATION,
	RECORD_PROTECTION,
	RECORD_FLAGS,
	/* COMM, FORK, EXIT, SWITCH */
	RECORD_EXEC,
	RECORD_PARENT_PID,
	RECORD_PARENT_TID,
	RECORD_OUT,
	RECORD_PREEMPTED,
	RECORD_OTHER_PID,
	RECORD_OTHER_TID,
	/* LOST, KSYMBOL, CGROUP */
	RECORD_LOST,
	RECORD_BPF,
	RECORD_REMOVED,
	RECORD_CGROUP,
	/* SAMPLE */
	RECORD_IP,
	RECORD_ADDRESS,
	RECORD_PERIOD,
	RECORD_CHAIN,
	RECORD_STACK,
	RECORD_BRANCHES,
	RECORD_WEIGHT,
	RECORD_DATA_SOURCE,
	RECORD_TRANSACTION,
	RECORD_PHYSICAL,
	/* all */
	RECORD_TYPE_NUMBER,
	RECORD_SIZE,
	RECORD_MISC,
	/* records without columns of their own */
	RECORD_FIELDS,
	RECORD_RAW,
	RECORD_MALFORMED,
	RECORD_NR,
};

static const struct pipa_frame_column record_columns[RECORD_NR] = {
	[RECORD_POSITION] = { "position", PIPA_FRAME_U64, false, "bytes" },
	[RECORD_TYPE] = { "type", PIPA_FRAME_TEXT, false, NULL },
	[RECORD_TIME] = { "time", PIPA_FRAME_TIME_NS, true, "ns" },
	[RECORD_UTC] = { "time_utc", PIPA_FRAME_UTC_NS, true, "ns" },
	[RECORD_CPU] = { "cpu", PIPA_FRAME_U32, true, NULL },
	[RECORD_PID] = { "pid", PIPA_FRAME_U32, true, NULL },
	[RECORD_TID] = { "tid", PIPA_FRAME_U32, true, NULL },
	[RECORD_EVENT] = { "event", PIPA_FRAME_TEXT, true, NULL },
	[RECORD_MODE] = { "mode", PIPA_FRAME_TEXT, true, NULL },
	[RECORD_START] = { "start", PIPA_FRAME_U64, true, NULL },
	[RECORD_LENGTH] = { "length", PIPA_FRAME_U64, true, "bytes" },
	[RECORD_FILE_OFFSET] = { "file_offset", PIPA_FRAME_U64, true, "bytes" },
	[RECORD_NAME] = { "name", PIPA_FRAME_TEXT, true, NULL },
	[RECORD_BUILD_ID] = { "build_id", PIPA_FRAME_TEXT, true, NULL },
	[RECORD_MAJOR] = { "major", PIPA_FRAME_U32, true, NULL },
	[RECORD_MINOR] = { "minor", PIPA_FRAME_U32, true, NULL },
	[RECORD_INODE] = { "inode", PIPA_FRAME_U64, true, NULL },
	[RECORD_GENERATION] = { "inode_generation", PIPA_FRAME_U64, true, NULL },
	[RECORD_PROTECTION] = { "prot", PIPA_FRAME_U32, true, NULL },
	[RECORD_FLAGS] = { "flags", PIPA_FRAME_U32, true, NULL },
	[RECORD_EXEC] = { "exec", PIPA_FRAME_BOOL, true, NULL },
	[RECORD_PARENT_PID] = { "parent_pid", PIPA_FRAME_U32, true, NULL },
	[RECORD_PARENT_TID] = { "parent_tid", PIPA_FRAME_U32, true, NULL },
	[RECORD_OUT] = { "switch_out", PIPA_FRAME_BOOL, true, NULL },
	[RECORD_PREEMPTED] = { "preempted", PIPA_FRAME_BOOL, true, NULL },
	[RECORD_OTHER_PID] = { "next_prev_pid", PIPA_FRAME_U32, true, NULL },
	[RECORD_OTHER_TID] = { "next_prev_tid", PIPA_FRAME_U32, true, NULL },
	[RECORD_LOST] = { "lost", PIPA_FRAME_U64, true, NULL },
	[RECORD_BPF] = { "bpf", PIPA_FRAME_BOOL, true, NULL },
	[RECORD_REMOVED] = { "unregistered", PIPA_FRAME_BOOL, true, NULL },
	[RECORD_CGROUP] = { "cgroup", PIPA_FRAME_U64, true, NULL },
	[RECORD_IP] = { "ip", PIPA_FRAME_U64, true, NULL },
	[RECORD_ADDRESS] = { "addr", PIPA_FRAME_U64, true, NULL },
	[RECORD_PERIOD] = { "period", PIPA_FRAME_U64, true, NULL },
	[RECORD_CHAIN] = { "callchain_entries", PIPA_FRAME_U64, true, NULL },
	[RECORD_STACK] = { "stack_bytes", PIPA_FRAME_U64, true, "bytes" },
	[RECORD_BRANCHES] = { "branches", PIPA_FRAME_U64, true, NULL },
	[RECORD_WEIGHT] = { "weight", PIPA_FRAME_U64, true, NULL },
	[RECORD_DATA_SOURCE] = { "data_src", PIPA_FRAME_U64, true, NULL },
	[RECORD_TRANSACTION] = { "transaction", PIPA_FRAME_U64, true, NULL },
	[RECORD_PHYSICAL] = { "phys_addr", PIPA_FRAME_U64, true, NULL },
	[RECORD_TYPE_NUMBER] = { "type_number", PIPA_FRAME_U32, false, NULL },
	[RECORD_SIZE] = { "size", PIPA_FRAME_U32, false, "bytes" },
	[RECORD_MISC] = { "misc", PIPA_FRAME_U32, false, NULL },
	[RECORD_FIELDS] = { "fields", PIPA_FRAME_TEXT, true, NULL },
	[RECORD_RAW] = { "raw", PIPA_FRAME_TEXT, true, NULL },
	[RECORD_MALFORMED] = { "malformed", PIPA_FRAME_BOOL, true, NULL },
};

const struct pipa_frame_columns pipa_frame_record_columns = { record_columns, RECORD_NR };

static void put_known(struct pipa_frame_writer *w, size_t column, uint64_t value)
{
	if (value != PIPA_UNKNOWN)
		w->put(w, column, value);
}

static void put_known32(struct pipa_frame_writer *w, size_t column, uint32_t value)
{
	if (value != PIPA_UNKNOWN32)
		w->put(w, column, value);
}

static int on_header(struct pipa_record_sink *self, const struct pipa_rec_header *header)
{
	struct pipa_record_frame *f = (struct pipa_record_frame *)(void *)self;
	size_t i;

	f->type_number = header->type;
	f->size = header->size;
	f->misc = header->misc;
	for (i = 0; header->name[i] && i + 1 < sizeof(f->type); i++)
		f->type[i] = (char)tolower((unsigned char)header->name[i]);
	f->type[i] = '\0';
	return 0;
}

/* Set the columns that every record has. */
static struct pipa_frame_writer *begin_row(struct pipa_record_sink *self,
					   const struct pipa_rec_id *id)
{
	struct pipa_record_frame *f = (struct pipa_record_frame *)(void *)self;
	struct pipa_frame_writer *w = f->writer;
	const char *event = id->event != PIPA_UNKNOWN32 ? f->event_name(f->ctx, id->event) : NULL;

	w->put(w, RECORD_POSITION, id->at);
	pipa_frame_put_string(w, RECORD_TYPE, f->type);
	w->put(w, RECORD_TYPE_NUMBER, f->type_number);
	w->put(w, RECORD_SIZE, f->size);
	w->put(w, RECORD_MISC, f->misc);
	put_known(w, RECORD_TIME, id->time);
	if (id->time != PIPA_UNKNOWN)
		put_known(w, RECORD_UTC, f->utc(f->ctx, id->time));
	put_known32(w, RECORD_CPU, id->cpu);
	put_known32(w, RECORD_PID, id->pid);
	put_known32(w, RECORD_TID, id->tid);
	if (event)
		pipa_frame_put_string(w, RECORD_EVENT, event);
	return w;
}

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	put_known32(w, RECORD_PID, map->pid);
	put_known32(w, RECORD_TID, map->tid);
	pipa_frame_put_mode(w, RECORD_MODE, map->mode);
	w->put(w, RECORD_START, map->start);
	w->put(w, RECORD_LENGTH, map->len);
	w->put(w, RECORD_FILE_OFFSET, map->file_offset);
	pipa_frame_put_string(w, RECORD_NAME, map->path);
	pipa_frame_put_build_id(w, RECORD_BUILD_ID, &map->build_id);
	if (map->inode) {
		w->put(w, RECORD_MAJOR, map->major);
		w->put(w, RECORD_MINOR, map->minor);
		w->put(w, RECORD_INODE, map->inode);
		w->put(w, RECORD_GENERATION, map->inode_generation);
	}
	put_known32(w, RECORD_PROTECTION, map->prot);
	put_known32(w, RECORD_FLAGS, map->flags);
	return w->end_row(w);
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	w->put(w, RECORD_PID, comm->pid);
	w->put(w, RECORD_TID, comm->tid);
	w->put(w, RECORD_EXEC, comm->exec);
	pipa_frame_put_string(w, RECORD_NAME, comm->name);
	return w->end_row(w);
}

static int put_task(struct pipa_frame_writer *w, const struct pipa_rec_task *task)
{
	w->put(w, RECORD_PID, task->pid);
	w->put(w, RECORD_TID, task->tid);
	put_known32(w, RECORD_PARENT_PID, task->parent_pid);
	put_known32(w, RECORD_PARENT_TID, task->parent_tid);
	return w->end_row(w);
}

static int on_task_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			const struct pipa_rec_task *task)
{
	return put_task(begin_row(self, id), task);
}

static int on_task_exit(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			const struct pipa_rec_task *task)
{
	return put_task(begin_row(self, id), task);
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *s)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	pipa_frame_put_mode(w, RECORD_MODE, s->mode);
	put_known(w, RECORD_IP, s->ip);
	put_known(w, RECORD_ADDRESS, s->addr);
	put_known(w, RECORD_PERIOD, s->period);
	if (s->chain)
		w->put(w, RECORD_CHAIN, s->chain_len);
	if (s->stack_requested)
		w->put(w, RECORD_STACK, s->stack_len);
	if (s->branches)
		w->put(w, RECORD_BRANCHES, s->n_branches);
	put_known(w, RECORD_WEIGHT, s->weight);
	put_known(w, RECORD_DATA_SOURCE, s->data_source);
	put_known(w, RECORD_TRANSACTION, s->transaction);
	put_known(w, RECORD_PHYSICAL, s->phys_addr);
	put_known(w, RECORD_CGROUP, s->cgroup);
	return w->end_row(w);
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	w->put(w, RECORD_LOST, lost->lost);
	return w->end_row(w);
}

static int on_throttle(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_throttle *throttle PIPA_UNUSED)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	return w->end_row(w);
}

static int on_switch(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_switch *change)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	w->put(w, RECORD_OUT, change->out);
	w->put(w, RECORD_PREEMPTED, change->preempted);
	put_known32(w, RECORD_OTHER_PID, change->other_pid);
	put_known32(w, RECORD_OTHER_TID, change->other_tid);
	return w->end_row(w);
}

static int on_ksymbol(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_ksymbol *symbol)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	w->put(w, RECORD_START, symbol->start);
	w->put(w, RECORD_LENGTH, symbol->len);
	w->put(w, RECORD_BPF, symbol->bpf);
	w->put(w, RECORD_REMOVED, symbol->removed);
	pipa_frame_put_string(w, RECORD_NAME, symbol->name);
	return w->end_row(w);
}

static int on_cgroup(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_cgroup *cgroup)
{
	struct pipa_frame_writer *w = begin_row(self, id);

	w->put(w, RECORD_CGROUP, cgroup->id);
	pipa_frame_put_string(w, RECORD_NAME, cgroup->path);
	return w->end_row(w);
}

static void put_hex(struct pipa_buf *out, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *room = pipa_buf_room(out, 2 * len);
	size_t i;

	if (!room)
		return;
	for (i = 0; i < len; i++) {
		room[2 * i] = digits[bytes[i] >> 4];
		room[2 * i + 1] = digits[bytes[i] & 15];
	}
	pipa_buf_wrote(out, 2 * len);
}

/* Is it a name, not binary data such as a build id? */
static bool is_name(const struct pipa_rec_field *field)
{
	return strcmp(field->name, "name") == 0 || strcmp(field->name, "filename") == 0;
}

/* Write the fields as a JSON object: numbers, names, and other bytes in hexadecimal. */
static void put_fields(struct pipa_record_frame *f, const struct pipa_rec_other *other)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf hex = { .max = 1 << 20 };
	struct pipa_doc doc;
	size_t i;

	pipa_buf_reset(&f->text);
	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &f->text);
	for (i = 0; i < other->n_fields; i++) {
		const struct pipa_rec_field *field = &other->fields[i];

		if (!field->bytes) {
			pipa_doc_u64(&doc, field->name, field->value);
			continue;
		}
		pipa_buf_reset(&hex);
		if (is_name(field))
			pipa_utf8_put_clean(&hex, (const char *)field->bytes, field->len);
		else
			put_hex(&hex, field->bytes, field->len);
		pipa_doc_str(&doc, field->name, pipa_buf_str(&hex));
	}
	pipa_doc_finish(&doc);
	if (f->text.len && f->text.data[f->text.len - 1] == '\n')
		f->text.len--;
	f->writer->put_text(f->writer, RECORD_FIELDS, pipa_buf_str(&f->text), f->text.len);
}

static int on_other(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		    const struct pipa_rec_other *other)
{
	struct pipa_record_frame *f = (struct pipa_record_frame *)(void *)self;
	struct pipa_frame_writer *w = begin_row(self, id);

	if (other->n_fields)
		put_fields(f, other);
	if (!other->complete) {
		pipa_buf_reset(&f->text);
		put_hex(&f->text, other->body, other->len);
		w->put_text(w, RECORD_RAW, pipa_buf_str(&f->text), f->text.len);
	}
	if (other->malformed)
		w->put(w, RECORD_MALFORMED, true);
	return f->text.status ? f->text.status : w->end_row(w);
}

void pipa_record_frame_done(struct pipa_record_frame *frame)
{
	pipa_buf_done(&frame->text);
}

void pipa_record_frame_init(struct pipa_record_frame *frame)
{
	frame->sink = (struct pipa_record_sink){
		.header = on_header,
		.other = on_other,
		.map = on_map,
		.comm = on_comm,
		.fork = on_task_fork,
		.exit = on_task_exit,
		.sample = on_sample,
		.lost = on_lost,
		.throttle = on_throttle,
		.switched = on_switch,
		.ksymbol = on_ksymbol,
		.cgroup = on_cgroup,
	};
}
