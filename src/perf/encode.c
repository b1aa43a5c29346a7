#include "perf/encode.h"

#include <string.h>

#include "base/buf.h"
#include "perf/sample.h"

enum {
	RECORD_CGROUP = 19,
	USER_FINISHED_ROUND = 68,
	USER_COMPRESSED = 81,
	USER_FINISHED_INIT = 82,
	MISC_13 = 1 << 13,
	MISC_14 = 1 << 14,
};

static void put_u16(struct pipa_buf *out, uint16_t value)
{
	pipa_buf_add(out, &value, sizeof(value));
}

static void put_u32(struct pipa_buf *out, uint32_t value)
{
	pipa_buf_add(out, &value, sizeof(value));
}

static void put_u64(struct pipa_buf *out, uint64_t value)
{
	pipa_buf_add(out, &value, sizeof(value));
}

/* A header whose size is not known yet; returns where it stands. */
static size_t begin(struct pipa_buf *out, uint32_t type, uint16_t misc)
{
	size_t at = out->len;

	put_u32(out, type);
	put_u16(out, misc);
	put_u16(out, 0);
	return at;
}

static void end(struct pipa_buf *out, size_t at)
{
	uint16_t size = (uint16_t)(out->len - at);

	if (!out->status)
		memcpy(out->data + at + 6, &size, sizeof(size));
}

/* With its NUL, up to a multiple of 8. */
static void put_text(struct pipa_buf *out, const char *text)
{
	size_t len = strlen(text);

	len = len < 4096 ? len : 4096;
	pipa_buf_add(out, text, len);
	pipa_buf_fill(out, '\0', 8 - len % 8);
}

static uint64_t known(uint64_t value)
{
	return value == PIPA_UNKNOWN ? 0 : value;
}

static void put_trailer(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id)
{
	uint64_t type = attr->sample_id_all ? attr->sample_type : 0;

	if (type & PERF_SAMPLE_TID) {
		put_u32(out, id->pid == PIPA_UNKNOWN32 ? 0 : id->pid);
		put_u32(out, id->tid == PIPA_UNKNOWN32 ? 0 : id->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put_u64(out, known(id->time));
	if (type & PERF_SAMPLE_ID)
		put_u64(out, known(id->id));
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(out, known(id->stream_id));
	if (type & PERF_SAMPLE_CPU) {
		put_u32(out, id->cpu == PIPA_UNKNOWN32 ? 0 : id->cpu);
		put_u32(out, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, known(id->id));
}

static uint16_t misc_of(enum pipa_mode mode)
{
	static const uint16_t bits[] = {
		[PIPA_MODE_UNKNOWN] = PERF_RECORD_MISC_CPUMODE_UNKNOWN,
		[PIPA_MODE_KERNEL] = PERF_RECORD_MISC_KERNEL,
		[PIPA_MODE_USER] = PERF_RECORD_MISC_USER,
		[PIPA_MODE_HYPERVISOR] = PERF_RECORD_MISC_HYPERVISOR,
		[PIPA_MODE_GUEST_KERNEL] = PERF_RECORD_MISC_GUEST_KERNEL,
		[PIPA_MODE_GUEST_USER] = PERF_RECORD_MISC_GUEST_USER,
	};

	return bits[mode];
}

void pipa_perf_put_map(struct pipa_buf *out, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_map *map)
{
	bool with_id = map->build_id.len > 0;
	size_t at = begin(out, PERF_RECORD_MMAP2,
			  (uint16_t)(misc_of(map->mode) | (map->executable ? 0 : MISC_13) |
				     (with_id ? MISC_14 : 0)));

	put_u32(out, map->pid);
	put_u32(out, map->tid);
	put_u64(out, map->start);
	put_u64(out, map->len);
	put_u64(out, map->file_offset);
	if (with_id) {
		put_u32(out, map->build_id.len);
		pipa_buf_add(out, map->build_id.bytes, PIPA_BUILD_ID_MAX);
	} else {
		put_u32(out, map->major);
		put_u32(out, map->minor);
		put_u64(out, map->inode);
		put_u64(out, map->inode_generation);
	}
	put_u32(out, map->prot);
	put_u32(out, map->flags);
	put_text(out, map->path);
	put_trailer(out, attr, id);
	end(out, at);
}

void pipa_perf_put_comm(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_comm *comm)
{
	size_t at = begin(out, PERF_RECORD_COMM, comm->exec ? MISC_13 : 0);

	put_u32(out, comm->pid);
	put_u32(out, comm->tid);
	put_text(out, comm->name);
	put_trailer(out, attr, id);
	end(out, at);
}

void pipa_perf_put_fork(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_task *task)
{
	size_t at = begin(out, PERF_RECORD_FORK, task->synthesized ? MISC_13 : 0);

	put_u32(out, task->pid);
	put_u32(out, task->parent_pid);
	put_u32(out, task->tid);
	put_u32(out, task->parent_tid);
	put_u64(out, task->time);
	put_trailer(out, attr, id);
	end(out, at);
}

void pipa_perf_put_lost(struct pipa_buf *out, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_lost *lost)
{
	size_t at = begin(out, lost->samples ? PERF_RECORD_LOST_SAMPLES : PERF_RECORD_LOST, 0);

	if (!lost->samples)
		put_u64(out, known(id->id));
	put_u64(out, lost->lost);
	put_trailer(out, attr, id);
	end(out, at);
}

void pipa_perf_put_ksymbol(struct pipa_buf *out, const struct perf_event_attr *attr,
			   const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol)
{
	size_t at = begin(out, PERF_RECORD_KSYMBOL, 0);

	put_u64(out, symbol->start);
	put_u32(out, symbol->len);
	put_u16(out, symbol->bpf ? PERF_RECORD_KSYMBOL_TYPE_BPF : 0);
	put_u16(out, symbol->removed ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0);
	put_text(out, symbol->name);
	put_trailer(out, attr, id);
	end(out, at);
}

/* u16 type, u16 flags, u32 id, u8 tag[8] */
void pipa_perf_put_bpf(struct pipa_buf *out, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, uint32_t program, const uint8_t tag[8])
{
	size_t at = begin(out, PERF_RECORD_BPF_EVENT, 0);

	put_u16(out, PERF_BPF_EVENT_PROG_LOAD);
	put_u16(out, 0);
	put_u32(out, program);
	pipa_buf_add(out, tag, 8);
	put_trailer(out, attr, id);
	end(out, at);
}

void pipa_perf_put_cgroup(struct pipa_buf *out, const struct perf_event_attr *attr,
			  const struct pipa_rec_id *id, const struct pipa_rec_cgroup *cgroup)
{
	size_t at = begin(out, RECORD_CGROUP, 0);

	put_u64(out, cgroup->id);
	put_text(out, cgroup->path);
	put_trailer(out, attr, id);
	end(out, at);
}

void pipa_perf_put_round(struct pipa_buf *out)
{
	end(out, begin(out, USER_FINISHED_ROUND, 0));
}

void pipa_perf_put_init_end(struct pipa_buf *out)
{
	end(out, begin(out, USER_FINISHED_INIT, 0));
}

void pipa_perf_put_compressed(struct pipa_buf *out, const void *bytes, size_t len)
{
	size_t at = begin(out, USER_COMPRESSED, 0);

	pipa_buf_add(out, bytes, len);
	end(out, at);
}
