/*
 * Records of a recording, live or from a file, independent of the format. A source passes each
 * record to a sink; a sink sets the callbacks that it needs.
 *
 * Pointers in a record are valid until the callback returns. Numbers that the source does not have
 * are PIPA_UNKNOWN or PIPA_UNKNOWN32.
 */
#ifndef PIPA_MODEL_RECORD_H
#define PIPA_MODEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIPA_UNKNOWN UINT64_MAX
#define PIPA_UNKNOWN32 UINT32_MAX

/* CPU mode of a sample. */
enum pipa_mode {
	PIPA_MODE_UNKNOWN,
	PIPA_MODE_KERNEL,
	PIPA_MODE_USER,
	PIPA_MODE_HYPERVISOR,
	PIPA_MODE_GUEST_KERNEL,
	PIPA_MODE_GUEST_USER,
};

/*
 * Context markers in a call chain: the following addresses are of that mode. The values are the
 * kernel's PERF_CONTEXT_*.
 */
#define PIPA_CHAIN_CONTEXT UINT64_C(0xfffffffffffff001) /* this and above: not an address */
#define PIPA_CHAIN_HYPERVISOR ((uint64_t)-32)
#define PIPA_CHAIN_KERNEL ((uint64_t)-128)
#define PIPA_CHAIN_USER ((uint64_t)-512)
#define PIPA_CHAIN_USER_DEFERRED ((uint64_t)-640)
#define PIPA_CHAIN_GUEST ((uint64_t)-2048)
#define PIPA_CHAIN_GUEST_KERNEL ((uint64_t)-2176)
#define PIPA_CHAIN_GUEST_USER ((uint64_t)-2560)

/* Return the mode after a marker; `now` for markers without a mode. */
static inline enum pipa_mode pipa_chain_mode(uint64_t mark, enum pipa_mode now)
{
	switch (mark) {
	case PIPA_CHAIN_HYPERVISOR: return PIPA_MODE_HYPERVISOR;
	case PIPA_CHAIN_KERNEL: return PIPA_MODE_KERNEL;
	case PIPA_CHAIN_USER: return PIPA_MODE_USER;
	case PIPA_CHAIN_GUEST_KERNEL: return PIPA_MODE_GUEST_KERNEL;
	case PIPA_CHAIN_GUEST_USER: return PIPA_MODE_GUEST_USER;
	default: return now;
	}
}

/*
 * Is the address after marker words[i] a return address? After one marker it is exact: it was
 * interrupted and did not call. After two PIPA_CHAIN_USER, which only pipa writes, it is a return
 * address: see ingest/sample_unwind.h.
 */
static inline bool pipa_chain_calls(const uint64_t *words, size_t i, bool before)
{
	return i && !before && words[i] == PIPA_CHAIN_USER && words[i - 1] == PIPA_CHAIN_USER;
}

#define PIPA_KERNEL_PID UINT32_MAX /* pid of mappings of the kernel's address space */

enum { PIPA_BUILD_ID_MAX = 20 };

struct pipa_build_id {
	uint8_t len; /* 0: unknown */
	uint8_t bytes[PIPA_BUILD_ID_MAX];
};

/* Identification of a record, passed with every record. */
struct pipa_rec_id {
	uint32_t pid, tid;
	uint64_t time; /* ns, of the recording's clock */
	/* sort key: the time, or the position in the file if only samples have a time */
	uint64_t order;
	uint64_t id, stream_id;
	uint32_t cpu;
	uint32_t event; /* index of the event, PIPA_UNKNOWN32: none */
	uint64_t at;	/* position in the file */
};

struct pipa_rec_map {
	uint32_t pid, tid; /* PIPA_KERNEL_PID: the kernel and its modules */
	uint64_t start, len, file_offset;
	uint32_t major, minor; /* device numbers; 0 if the record has a build id instead */
	uint64_t inode, inode_generation;
	uint32_t prot, flags;
	bool executable;
	enum pipa_mode mode;
	struct pipa_build_id build_id;
	const char *path;
};

struct pipa_rec_comm {
	uint32_t pid, tid;
	bool exec; /* by execve(2): the address space is new */
	const char *name;
};

/* PERF_RECORD_FORK or PERF_RECORD_EXIT. */
struct pipa_rec_task {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
	bool synthesized; /* of a thread that existed before: no address space is inherited */
};

struct pipa_rec_lost {
	uint64_t lost;
	bool samples; /* PERF_RECORD_LOST_SAMPLES: only samples were lost */
};

struct pipa_rec_throttle {
	bool on;
};

struct pipa_rec_switch {
	bool out, preempted;
	uint32_t other_pid, other_tid; /* next or previous task, PIPA_UNKNOWN32: unknown */
};

struct pipa_rec_ksymbol {
	uint64_t start;
	uint32_t len;
	bool bpf, removed;
	const char *name;
};

struct pipa_rec_cgroup {
	uint64_t id;
	const char *path;
};

/* An entry of a branch stack. */
struct pipa_branch {
	uint64_t from, to, flags;
};

/* A counter of the group, read with the sample. */
struct pipa_rec_value {
	uint64_t value, id, lost;
};

struct pipa_rec_regs {
	uint64_t abi, mask;
	const uint64_t *values; /* one per bit of the mask, lowest first */
};

struct pipa_trace_link;

struct pipa_rec_sample {
	uint64_t ip, addr, period;
	uint64_t count; /* samples aggregated in this one, with their total period; 0: one */
	const struct pipa_trace_link *link; /* trace span, for the timeline; NULL: none */
	enum pipa_mode mode;
	const uint64_t *chain; /* innermost first, with context markers */
	size_t chain_len;
	const struct pipa_branch *branches;
	size_t n_branches;
	const uint8_t *raw;
	size_t raw_len;
	struct pipa_rec_regs user_regs, interrupt_regs;
	const uint8_t *stack;	/* stack dump, from the user stack pointer on */
	size_t stack_len;	/* valid bytes of the dump */
	size_t stack_requested; /* requested size of the dump; 0: no dump was requested */
	const struct pipa_rec_value *values;
	size_t n_values;
	uint64_t enabled_ns, running_ns;
	uint64_t weight, data_source, transaction, phys_addr, cgroup, data_page_size,
		code_page_size, aux_size;
};

/* Header of a record, in the order of the file or of times, whatever the record is. */
struct pipa_rec_header {
	uint32_t type;	  /* PERF_RECORD_*; from 64 on of perf and pipa */
	uint32_t size;	  /* bytes with the header */
	uint16_t misc;	  /* PERF_RECORD_MISC_* */
	const char *name; /* "SAMPLE", "MMAP2", "type 99" */
};

/* A field of a record without a callback of its own. */
struct pipa_rec_field {
	const char *name;
	uint64_t value;
	const uint8_t *bytes; /* not NULL: bytes instead of the value */
	size_t len;
};

/* A record without a callback of its own, or of an unknown type, or malformed. */
struct pipa_rec_other {
	const uint8_t *body; /* without the header */
	size_t len;
	bool malformed;
	bool complete; /* the fields are the whole content */
	const struct pipa_rec_field *fields;
	size_t n_fields;
};

struct pipa_record_sink {
	/* Receives the header of each record before its callback, also if the type has none. */
	int (*header)(struct pipa_record_sink *self, const struct pipa_rec_header *header);
	/* Receives all records that no other callback is for. */
	int (*other)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_other *other);
	int (*map)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_map *map);
	int (*comm)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		    const struct pipa_rec_comm *comm);
	int (*fork)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		    const struct pipa_rec_task *task);
	int (*exit)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		    const struct pipa_rec_task *task);
	int (*sample)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_sample *sample);
	int (*lost)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		    const struct pipa_rec_lost *lost);
	int (*throttle)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			const struct pipa_rec_throttle *throttle);
	int (*switched)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			const struct pipa_rec_switch *change);
	int (*ksymbol)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_ksymbol *symbol);
	int (*cgroup)(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_cgroup *cgroup);
	/*
	 * End of a round (PERF_RECORD_FINISHED_ROUND): all records before the end of the previous
	 * round have been passed.
	 */
	int (*round)(struct pipa_record_sink *self);
};

#endif
