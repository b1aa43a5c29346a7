#include "symbolize/unwind_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/auto.h"
#include "base/buf.h"
#include "locate/process_files.h"
#include "symbol/table/go_table.h"
#include "symbol/table/image.h"
#include "symbol/table/perf_map.h"
#include "symbol/table/table.h"
#include "unwind/unwind.h"

enum { MAP_MOST = 1 << 30, WAIT_LEAST_NS = 200000000, WAIT_TIMES = 20 };

struct pipa_unwind_functions {
	/* for a file */
	const struct pipa_image *image; /* NULL: none */
	struct pipa_go_table go;
	bool is_go;
	/* for a process */
	const struct pipa_locate_options *locate;
	uint32_t pid;
	bool live;
	struct pipa_buf text;
	struct pipa_symbols *map;
	int64_t again; /* earliest time of the next read */
	int status;    /* -ENOMEM: the functions are incomplete */
};

struct pipa_unwind_functions *pipa_unwind_functions_of_file(const struct pipa_image *image,
							    struct pipa_span main)
{
	struct pipa_unwind_functions *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->image = image;
	f->is_go = pipa_go_table_find_in(&f->go, main);
	return f;
}

struct pipa_unwind_functions *pipa_unwind_functions_of_process(
	const struct pipa_locate_options *locate, uint32_t pid, bool live)
{
	struct pipa_unwind_functions *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->locate = locate;
	f->pid = pid;
	f->live = live;
	return f;
}

static void drop_map(struct pipa_unwind_functions *f)
{
	pipa_symbols_free(PIPA_TAKE(f->map));
	pipa_buf_done(&f->text);
}

void pipa_unwind_functions_free(struct pipa_unwind_functions *f)
{
	if (!f)
		return;
	drop_map(f);
	free(f);
}

/* ---- Go -------------------------------------------------------------------------------------- */

/* Is it an outermost function: the start of a goroutine or thread, or a switch of stacks? */
static bool is_outermost(const char *name)
{
	static const char *const names[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go",
					     "runtime.mcall" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool find_go(const struct pipa_unwind_functions *f, uint64_t addr,
		    struct pipa_unwind_function *ret)
{
	struct pipa_go_function function;
	uint32_t depth;

	if (!f->is_go || !pipa_go_table_depth(&f->go, addr, &function, &depth))
		return false;
	*ret = (struct pipa_unwind_function){
		.start = function.start,
		.end = function.start + function.size,
		.has_depth = true,
		.depth = depth,
		.outermost = is_outermost(pipa_go_table_name(&f->go, &function)),
	};
	return true;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool find_symbol(const struct pipa_symbols *symbols, uint64_t addr,
			struct pipa_unwind_function *ret)
{
	uint32_t number = symbols ? pipa_symbols_find(symbols, addr) : PIPA_SYMBOL_NONE;
	struct pipa_symbol symbol;

	if (number == PIPA_SYMBOL_NONE)
		return false;
	symbol = pipa_symbols_get(symbols, number);
	if (memmem(symbol.name, symbol.name_len, ".cold", 5)) /* starts inside another function */
		return false;
	*ret = (struct pipa_unwind_function){ .start = symbol.start,
					      .end = symbol.start + symbol.size };
	return symbol.size > 0;
}

static int64_t monotonic_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Read the perf map, which grows while code is compiled, at intervals that limit the cost to a
 * small share of the time.
 */
static void read_map(struct pipa_unwind_functions *f)
{
	int64_t begin = monotonic_now(), took;
	int rc;

	if (begin < f->again)
		return;
	drop_map(f);
	f->text = (struct pipa_buf){ .max = MAP_MOST };
	rc = pipa_locate_perf_map(f->locate, NULL, f->pid, &f->text);
	if (!rc)
		rc = pipa_perf_map_decode(pipa_buf_str(&f->text), f->text.len, &f->map, NULL);
	if (rc < 0)
		f->map = NULL;
	if (rc == -ENOMEM)
		f->status = rc;
	took = monotonic_now() - begin;
	f->again = !f->live			     ? INT64_MAX :
		   took * WAIT_TIMES > WAIT_LEAST_NS ? begin + took * WAIT_TIMES :
						       begin + WAIT_LEAST_NS;
}

int pipa_unwind_functions_find(struct pipa_unwind_functions *f, uint64_t addr,
			       struct pipa_unwind_function *ret)
{
	if (f->status)
		return f->status;
	if (!f->pid)
		return find_go(f, addr, ret) ||
		       find_symbol(f->image ? pipa_image_symbols(f->image) : NULL, addr, ret);
	if (find_symbol(f->map, addr, ret))
		return 1;
	read_map(f);
	return f->status ? f->status : find_symbol(f->map, addr, ret);
}
