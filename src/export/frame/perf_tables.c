#include "export/frame/perf_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/index.h"

/* ---- threads -------------------------------------------------------------------------------- */

static bool is_same_thread(const struct pipa_thread *a, const struct pipa_thread *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->process == b->process;
}

int pipa_perf_threads_init(struct pipa_perf_threads *t, const struct pipa_profile *p)
{
	struct pipa_index index = { 0 };
	const struct pipa_index_slot *slot;
	size_t i;
	int rc = 0;

	*t = (struct pipa_perf_threads){ calloc(p->threads.n + 1, sizeof(*t->ids)), p->threads.n };
	if (!t->ids)
		return -ENOMEM;
	for (i = 0; !rc && i < p->threads.n; i++) {
		const struct pipa_thread *thread = &p->threads.items[i];
		const uint64_t words[2] = { (uint64_t)thread->pid << 32 | thread->tid,
					    thread->process };
		uint64_t hash = pipa_hash_words(words, PIPA_COUNT(words), PIPA_HASH_SEED);

		for (slot = pipa_index_start(&index, hash); slot->id;
		     slot = pipa_index_after(&index, slot))
			if (slot->hash == (uint32_t)hash &&
			    is_same_thread(&p->threads.items[slot->id - 1], thread))
				break;
		t->ids[i] = slot->id ? slot->id : (uint32_t)i + 1;
		if (!slot->id)
			rc = pipa_index_add(&index, hash, (uint32_t)i);
	}
	pipa_index_done(&index);
	return rc;
}

void pipa_perf_threads_done(struct pipa_perf_threads *t)
{
	free(t->ids);
	*t = (struct pipa_perf_threads){ 0 };
}

static void put_pid(struct pipa_frame_writer *w, size_t column, uint32_t pid)
{
	if (pid != PIPA_UNKNOWN32)
		w->put(w, column, pid);
}

static const struct pipa_frame_column thread_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "machine_id", PIPA_FRAME_U32, false, NULL },
	{ "process_id", PIPA_FRAME_U32, false, NULL },
	{ "pid", PIPA_FRAME_I64, true, NULL },
	{ "tid", PIPA_FRAME_I64, true, NULL },
};

/* The process of a thread is its main thread: the one whose TID is the PID, else the thread itself. */
static int put_threads(struct pipa_frame_writer *w, const struct pipa_profile *p,
		       const struct pipa_perf_threads *t)
{
	struct pipa_index mains = { 0 };
	const struct pipa_index_slot *slot;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < p->threads.n; i++)
		if (t->ids[i] == i + 1 && p->threads.items[i].pid == p->threads.items[i].tid)
			rc = pipa_index_add(&mains,
					    pipa_hash_u64(p->threads.items[i].pid, PIPA_HASH_SEED),
					    (uint32_t)i);
	for (i = 0; rc >= 0 && i < p->threads.n; i++) {
		const struct pipa_thread *thread = &p->threads.items[i];
		uint64_t hash = pipa_hash_u64(thread->pid, PIPA_HASH_SEED);

		if (t->ids[i] != i + 1)
			continue;
		for (slot = pipa_index_start(&mains, hash); slot->id;
		     slot = pipa_index_after(&mains, slot))
			if (slot->hash == (uint32_t)hash &&
			    p->threads.items[slot->id - 1].pid == thread->pid &&
			    p->threads.items[slot->id - 1].process == thread->process)
				break;
		w->put(w, 0, i + 1);
		w->put(w, 1, 1);
		w->put(w, 2, slot->id ? slot->id : i + 1);
		put_pid(w, 3, thread->pid);
		put_pid(w, 4, thread->tid);
		rc = w->end_row(w);
	}
	if (rc >= 0) {
		w->put(w, 0, 0);
		w->put(w, 1, 0);
		w->put(w, 2, 0);
		w->put(w, 3, (uint64_t)-1);
		w->put(w, 4, (uint64_t)-1);
		rc = w->end_row(w);
	}
	pipa_index_done(&mains);
	return rc;
}

/* ---- names ---------------------------------------------------------------------------------- */

static void put_string(struct pipa_frame_writer *w, size_t column, const struct pipa_profile *p,
		       uint32_t string)
{
	pipa_frame_put_string(w, column, pipa_profile_string(p, string));
}

static const struct pipa_frame_column name_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "name", PIPA_FRAME_TEXT, false, NULL },
};

static int put_events(struct pipa_frame_writer *w, const struct pipa_profile *p,
		      const struct pipa_perf_threads *t PIPA_UNUSED)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i <= p->events.n; i++) {
		w->put(w, 0, i);
		pipa_frame_put_string(
			w, 1, i ? pipa_profile_string(p, p->events.items[i - 1].name) : "unknown");
		rc = w->end_row(w);
	}
	return rc;
}

/* Flags of perf's branches and their names. */
static int put_branch_types(struct pipa_frame_writer *w, const struct pipa_profile *p PIPA_UNUSED,
			    const struct pipa_perf_threads *t PIPA_UNUSED)
{
	enum {
		BRANCH = 1,
		CALL = 2,
		RETURN = 4,
		CONDITIONAL = 8,
		SYSCALL = 16,
		ASYNC = 32,
		INTERRUPT = 64,
		ABORT = 128,
		BEGIN = 256,
		END = 512
	};
	static const struct {
		unsigned int flags;
		const char *name;
	} types[] = {
		{ 0, "no branch" },
		{ BRANCH | CALL, "call" },
		{ BRANCH | RETURN, "return" },
		{ BRANCH | CONDITIONAL, "conditional jump" },
		{ BRANCH, "unconditional jump" },
		{ BRANCH | CALL | INTERRUPT, "software interrupt" },
		{ BRANCH | RETURN | INTERRUPT, "return from interrupt" },
		{ BRANCH | CALL | SYSCALL, "system call" },
		{ BRANCH | RETURN | SYSCALL, "return from system call" },
		{ BRANCH | ASYNC, "asynchronous branch" },
		{ BRANCH | CALL | ASYNC | INTERRUPT, "hardware interrupt" },
		{ BRANCH | ABORT, "transaction abort" },
		{ BRANCH | BEGIN, "trace begin" },
		{ BRANCH | END, "trace end" },
	};
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i < PIPA_COUNT(types); i++) {
		w->put(w, 0, types[i].flags);
		pipa_frame_put_string(w, 1, types[i].name);
		rc = w->end_row(w);
	}
	return rc;
}

static const struct pipa_frame_column machine_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "pid", PIPA_FRAME_I64, false, NULL },
	{ "root_dir", PIPA_FRAME_TEXT, false, NULL },
};

/* The host has the PID -1, as in perf. */
static int put_machines(struct pipa_frame_writer *w, const struct pipa_profile *p PIPA_UNUSED,
			const struct pipa_perf_threads *t PIPA_UNUSED)
{
	uint64_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i < 2; i++) {
		w->put(w, 0, i);
		w->put(w, 1, 0 - i);
		pipa_frame_put_string(w, 2, i ? "" : "unknown");
		rc = w->end_row(w);
	}
	return rc;
}

static const struct pipa_frame_column comm_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "comm", PIPA_FRAME_TEXT, false, NULL },
	{ "c_thread_id", PIPA_FRAME_U32, false, NULL },
	{ "c_time", PIPA_FRAME_TIME_NS, true, "ns" },
	{ "exec_flag", PIPA_FRAME_BOOL, true, NULL },
};

/* A comm is the name of one thread: perf has a row for each pair too. */
static int put_comms(struct pipa_frame_writer *w, const struct pipa_profile *p,
		     const struct pipa_perf_threads *t)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i <= p->threads.n; i++) {
		w->put(w, 0, i);
		pipa_frame_put_string(
			w, 1, i ? pipa_profile_string(p, p->threads.items[i - 1].comm) : "unknown");
		w->put(w, 2, i ? t->ids[i - 1] : 0);
		rc = w->end_row(w);
	}
	return rc;
}

static const struct pipa_frame_column comm_thread_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "comm_id", PIPA_FRAME_U32, false, NULL },
	{ "thread_id", PIPA_FRAME_U32, false, NULL },
};

static int put_comm_threads(struct pipa_frame_writer *w, const struct pipa_profile *p,
			    const struct pipa_perf_threads *t)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i <= p->threads.n; i++) {
		w->put(w, 0, i);
		w->put(w, 1, i);
		w->put(w, 2, i ? t->ids[i - 1] : 0);
		rc = w->end_row(w);
	}
	return rc;
}

/* ---- code ----------------------------------------------------------------------------------- */

static const struct pipa_frame_column dso_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "machine_id", PIPA_FRAME_U32, false, NULL },
	{ "short_name", PIPA_FRAME_TEXT, false, NULL },
	{ "long_name", PIPA_FRAME_TEXT, false, NULL },
	{ "build_id", PIPA_FRAME_TEXT, true, NULL },
};

static int put_dsos(struct pipa_frame_writer *w, const struct pipa_profile *p,
		    const struct pipa_perf_threads *t PIPA_UNUSED)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i <= p->objects.n; i++) {
		const struct pipa_object *object = i ? &p->objects.items[i - 1] : NULL;
		const char *path = object ? pipa_profile_string(p, object->path) : "unknown";
		const char *slash = strrchr(path, '/');

		w->put(w, 0, i);
		w->put(w, 1, object != NULL);
		pipa_frame_put_string(w, 2, slash && slash[1] ? slash + 1 : path);
		pipa_frame_put_string(w, 3, path);
		if (object)
			pipa_frame_put_build_id(w, 4, &object->build_id);
		rc = w->end_row(w);
	}
	return rc;
}

static const struct pipa_frame_column symbol_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },	     { "dso_id", PIPA_FRAME_U32, false, NULL },
	{ "sym_start", PIPA_FRAME_U64, true, NULL }, { "sym_end", PIPA_FRAME_U64, true, NULL },
	{ "binding", PIPA_FRAME_U32, true, NULL },   { "name", PIPA_FRAME_TEXT, false, NULL },
};

/* Functions, also inlined ones; a profile does not have their addresses. */
static int put_symbols(struct pipa_frame_writer *w, const struct pipa_profile *p,
		       const struct pipa_perf_threads *t PIPA_UNUSED)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && i <= p->functions.n; i++) {
		w->put(w, 0, i);
		w->put(w, 1, i ? p->functions.items[i - 1].object + 1 : 0);
		if (i)
			put_string(w, 5, p, p->functions.items[i - 1].name);
		else
			pipa_frame_put_string(w, 5, "unknown");
		rc = w->end_row(w);
	}
	return rc;
}

static const struct pipa_frame_column call_path_columns[] = {
	{ "id", PIPA_FRAME_U32, false, NULL },
	{ "parent_id", PIPA_FRAME_U32, false, NULL },
	{ "symbol_id", PIPA_FRAME_U32, false, NULL },
	{ "ip", PIPA_FRAME_U64, true, NULL },
};

static int put_call_paths(struct pipa_frame_writer *w, const struct pipa_profile *p,
			  const struct pipa_perf_threads *t PIPA_UNUSED)
{
	size_t i;
	int rc;

	w->put(w, 0, 0);
	w->put(w, 1, 0);
	w->put(w, 2, 0);
	rc = w->end_row(w);
	for (i = 0; rc >= 0 && i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];
		const struct pipa_location *l = &p->locations.items[stack->location];

		w->put(w, 0, i + 1);
		w->put(w, 1, stack->parent == PIPA_NONE ? 0 : stack->parent + 1);
		w->put(w, 2, l->n_lines ? p->lines.items[l->lines].function + 1 : 0);
		if (!l->by_lines)
			w->put(w, 3, l->address);
		rc = w->end_row(w);
	}
	return rc;
}

#define COLUMNS(columns) columns, PIPA_COUNT(columns)

const struct pipa_perf_table pipa_perf_tables[PIPA_PERF_TABLES] = {
	{ "selected_events", COLUMNS(name_columns), put_events },
	{ "machines", COLUMNS(machine_columns), put_machines },
	{ "threads", COLUMNS(thread_columns), put_threads },
	{ "comms", COLUMNS(comm_columns), put_comms },
	{ "comm_threads", COLUMNS(comm_thread_columns), put_comm_threads },
	{ "dsos", COLUMNS(dso_columns), put_dsos },
	{ "symbols", COLUMNS(symbol_columns), put_symbols },
	{ "branch_types", COLUMNS(name_columns), put_branch_types },
	{ "call_paths", COLUMNS(call_path_columns), put_call_paths },
};

/* ---- SQL ------------------------------------------------------------------------------------ */

#define HOST_OR_GUEST                                                                              \
	"CASE (SELECT pid FROM machines WHERE id = machine_id) WHEN 0 THEN 'unknown' "             \
	"WHEN -1 THEN 'host' ELSE 'guest' END AS host_or_guest"
#define SYMBOL(id) "(SELECT name FROM symbols WHERE id = " id ")"
#define DSO_OF(id)                                                                                 \
	"(SELECT short_name FROM dsos WHERE id = (SELECT dso_id FROM symbols WHERE id = " id "))"

const char pipa_perf_views[] =
	"CREATE VIEW selected_events_view AS SELECT id, name FROM selected_events;"
	"CREATE VIEW branch_types_view AS SELECT id, name FROM branch_types;"
	"CREATE VIEW machines_view AS SELECT id, pid, root_dir, CASE WHEN id = 0 THEN 'unknown' "
	"WHEN pid = -1 THEN 'host' ELSE 'guest' END AS host_or_guest FROM machines;"
	"CREATE VIEW dsos_view AS SELECT id, machine_id, " HOST_OR_GUEST
	", short_name, long_name, build_id FROM dsos;"
	"CREATE VIEW symbols_view AS SELECT id, name, (SELECT short_name FROM dsos "
	"WHERE id = dso_id) AS dso, dso_id, sym_start, sym_end, CASE binding WHEN 0 THEN 'local' "
	"WHEN 1 THEN 'global' WHEN 2 THEN 'weak' END AS binding FROM symbols;"
	"CREATE VIEW threads_view AS SELECT id, machine_id, " HOST_OR_GUEST
	", process_id, pid, tid FROM threads;"
	"CREATE VIEW comms_view AS SELECT id, comm, c_thread_id, (SELECT pid FROM threads "
	"WHERE id = c_thread_id) AS pid, (SELECT tid FROM threads WHERE id = c_thread_id) AS tid, "
	"c_time, exec_flag FROM comms;"
	"CREATE VIEW comm_threads_view AS SELECT id, comm_id, (SELECT comm FROM comms "
	"WHERE id = comm_id) AS command, thread_id, (SELECT pid FROM threads WHERE id = thread_id) "
	"AS pid, (SELECT tid FROM threads WHERE id = thread_id) AS tid FROM comm_threads;"
	"CREATE VIEW call_paths_view AS SELECT c.id, printf('%x', c.ip) AS ip, "
	"c.symbol_id, " SYMBOL(
		"c.symbol_id") " AS symbol, (SELECT dso_id FROM symbols "
			       "WHERE id = c.symbol_id) AS dso_id, " DSO_OF(
				       "c.symbol_id") " AS dso_short_name, "
						      "c.parent_id, printf('%x', p.ip) AS parent_ip, p.symbol_id AS parent_symbol_id, " SYMBOL(
							      "p.symbol_id") " AS parent_symbol, (SELECT dso_id FROM symbols WHERE id = "
									     "p.symbol_id) AS parent_dso_id, " DSO_OF(
										     "p.symbol_id") " AS parent_dso_short_name "
												    "FROM call_paths c LEFT JOIN call_paths p ON p.id = c.parent_id;"
												    "CREATE VIEW samples_view AS SELECT id, time, cpu, (SELECT pid FROM threads "
												    "WHERE id = thread_id) AS pid, (SELECT tid FROM threads WHERE id = thread_id) AS tid, "
												    "(SELECT comm FROM comms WHERE id = comm_id) AS command, (SELECT name FROM selected_events "
												    "WHERE id = evsel_id) AS event, printf('%x', ip) AS ip_hex, " SYMBOL(
													    "symbol_id") " AS "
															 "symbol, sym_offset, (SELECT short_name FROM dsos WHERE id = dso_id) AS dso_short_name, "
															 "printf('%x', to_ip) AS to_ip_hex, " SYMBOL(
																 "to_symbol_id") " AS to_symbol, to_sym_offset, "
																		 "(SELECT short_name FROM dsos WHERE id = to_dso_id) AS to_dso_short_name, (SELECT name "
																		 "FROM branch_types WHERE id = branch_type) AS branch_type_name, in_tx, insn_count, "
																		 "cyc_count, CASE WHEN cyc_count = 0 THEN CAST(0 AS REAL) ELSE ROUND(CAST(insn_count AS "
																		 "REAL) / cyc_count, 2) END AS IPC, flags FROM samples;";

#define THREAD(column) "coalesce((SELECT min(id) FROM threads WHERE tid = " column "), 0)"
#define COMM(column) "coalesce((SELECT min(id) FROM comms WHERE c_thread_id = " column "), 0)"

const char pipa_perf_context_switches[] =
	"CREATE INDEX threads_tid ON threads (tid); CREATE INDEX comms_thread ON comms (c_thread_id);"
	"CREATE TABLE context_switches (id INTEGER PRIMARY KEY, machine_id INTEGER, time INTEGER, "
	"cpu INTEGER, thread_out_id INTEGER, comm_out_id INTEGER, thread_in_id INTEGER, comm_in_id "
	"INTEGER, flags INTEGER);"
	"INSERT INTO context_switches SELECT NULL, 1, time, cpu, o, " COMM("o") ", i, " COMM("i") ", flags FROM (SELECT time, cpu, " THREAD(
		"CASE WHEN switch_out THEN tid ELSE "
		"next_prev_tid END") " AS o, " THREAD("CASE WHEN switch_out THEN next_prev_tid ELSE tid END") " AS i, switch_out + 2 * "
													      "preempted AS flags FROM records WHERE switch_out IS NOT NULL ORDER BY position);"
													      "CREATE VIEW context_switches_view AS SELECT s.id, s.time, s.cpu, o.pid AS pid_out, o.tid AS "
													      "tid_out, (SELECT comm FROM comms WHERE id = comm_out_id) AS comm_out, i.pid AS pid_in, "
													      "i.tid AS tid_in, (SELECT comm FROM comms WHERE id = comm_in_id) AS comm_in, CASE flags "
													      "WHEN 0 THEN 'in' WHEN 1 THEN 'out' WHEN 3 THEN 'out preempt' ELSE flags END AS flags FROM "
													      "context_switches s JOIN threads o ON o.id = thread_out_id JOIN threads i ON i.id = "
													      "thread_in_id;";

const char pipa_frame_indexes[] =
	"CREATE INDEX samples_time ON samples (time); CREATE INDEX samples_stack ON samples (stack);"
	"CREATE INDEX stacks_stack ON stacks (stack, frame);"
	"CREATE INDEX stacks_location ON stacks (location);"
	"CREATE INDEX locations_location ON locations (location, inlined);"
	"CREATE INDEX locations_function ON locations (function);"
	"CREATE INDEX functions_function ON functions (function);"
	"CREATE INDEX call_paths_parent ON call_paths (parent_id);";
