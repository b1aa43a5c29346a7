/*
 * What flows: the records of a recording, live or from a file, in one shape for every dialect. A
 * source hands each record to a sink; a sink fills in the callbacks it cares for.
 *
 * Everything a record points to is valid until the callback returns. Numbers that the source did
 * not give are PIPA_UNKNOWN (or 32 bits of it).
 */
#ifndef PIPA_MODEL_RECORD_H
#define PIPA_MODEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIPA_UNKNOWN UINT64_MAX
#define PIPA_UNKNOWN32 UINT32_MAX

/* Where the processor was. */
enum pipa_mode {
	PIPA_MODE_UNKNOWN,
	PIPA_MODE_KERNEL,
	PIPA_MODE_USER,
	PIPA_MODE_HYPERVISOR,
	PIPA_MODE_GUEST_KERNEL,
	PIPA_MODE_GUEST_USER,
};

/* Markers in a call chain: what follows was seen in that mode. As the kernel writes them. */
#define PIPA_CHAIN_CONTEXT UINT64_C(0xfffffffffffff001) /* and above: not an address */
#define PIPA_CHAIN_HYPERVISOR ((uint64_t)-32)
#define PIPA_CHAIN_KERNEL ((uint64_t)-128)
#define PIPA_CHAIN_USER ((uint64_t)-512)
#define PIPA_CHAIN_USER_DEFERRED ((uint64_t)-640)
#define PIPA_CHAIN_GUEST ((uint64_t)-2048)
#define PIPA_CHAIN_GUEST_KERNEL ((uint64_t)-2176)
#define PIPA_CHAIN_GUEST_USER ((uint64_t)-2560)

/* The mode after a marker; those that say none leave it as it is. */
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
 * Is an address after this mark a caller's? Behind one mark it was interrupted and did not call.
 * Behind two of the user's, which only we write, it is: see ingest/sample_unwind.h.
 */
static inline bool pipa_chain_calls(const uint64_t *words, size_t i, bool before)
{
	return i && !before && words[i] == PIPA_CHAIN_USER && words[i - 1] == PIPA_CHAIN_USER;
}

#define PIPA_KERNEL_PID UINT32_MAX /* of a map record: the kernel's own address space */

enum { PIPA_BUILD_ID_MAX = 20 };

struct pipa_build_id {
	uint8_t len; /* 0: not known */
	uint8_t bytes[PIPA_BUILD_ID_MAX];
};

/* Whose record it is and when; on every record. */
struct pipa_rec_id {
	uint32_t pid, tid;
	uint64_t time;	/* ns, the recording's clock */
	uint64_t order; /* when, compared with all other records: its time, or where no record but
			   samples has one, its place */
	uint64_t id, stream_id;
	uint32_t cpu;
	uint32_t event; /* number of the event, PIPA_UNKNOWN32 for the recording as a whole */
	uint64_t at;	/* where in the file it stood */
};

struct pipa_rec_map {
	uint32_t pid, tid; /* PIPA_KERNEL_PID: the kernel and its modules */
	uint64_t start, len, file_offset;
	uint32_t major, minor; /* of the device; 0 where the record gives a build id instead */
	uint64_t inode, inode_generation;
	uint32_t prot, flags;
	bool executable;
	enum pipa_mode mode;
	struct pipa_build_id build_id;
	const char *path;
};

struct pipa_rec_comm {
	uint32_t pid, tid;
	bool exec; /* by execve(): the address space is new */
	const char *name;
};

/* A task was made, or ended. */
struct pipa_rec_task {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
	bool made_up; /* told of what was there before: no address space is handed down */
};

struct pipa_rec_lost {
	uint64_t lost;
	bool samples; /* samples alone: what the kernel says of them is of its own record type */
};

struct pipa_rec_throttle {
	bool on;
};

struct pipa_rec_switch {
	bool out, preempted;
	uint32_t other_pid, other_tid; /* who goes or comes, PIPA_UNKNOWN32 if not said */
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

/* One taken branch. */
struct pipa_branch {
	uint64_t from, to, flags;
};

/* A counter of the group that was read with the sample. */
struct pipa_rec_value {
	uint64_t value, id, lost;
};

struct pipa_rec_regs {
	uint64_t abi, mask;
	const uint64_t *values; /* one for each bit of the mask, lowest first */
};

struct pipa_trace_link;

struct pipa_rec_sample {
	uint64_t ip, addr, period;
	uint64_t count; /* samples that were aggregated into it, period is of all; 0: it is one */
	const struct pipa_trace_link *link; /* span of a trace, for the timeline; NULL: none */
	enum pipa_mode mode;
	const uint64_t *chain; /* innermost first, markers among them */
	size_t chain_len;
	const struct pipa_branch *branches;
	size_t n_branches;
	const uint8_t *raw;
	size_t raw_len;
	struct pipa_rec_regs user_regs, interrupt_regs;
	const uint8_t *stack; /* of the user's stack, from its pointer on */
	size_t stack_len;     /* that are valid */
	size_t stack_asked;   /* that were requested */
	const struct pipa_rec_value *values;
	size_t n_values;
	uint64_t enabled_ns, running_ns;
	uint64_t weight, data_source, transaction, phys_addr, cgroup, data_page_size,
		code_page_size, aux_size;
};

struct pipa_record_sink {
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
	/* everything up to here that was before the last round's end has been returned */
	int (*round)(struct pipa_record_sink *self);
};

#endif
