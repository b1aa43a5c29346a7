#include "symbol/table/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "symbol/table/sort.h"
#include "symbol/table/table_build.h"

enum {
	POOLS_MAX = 8,
	OWN = 0,	/* pool of copied names */
	DEPTH_MAX = 64, /* limit of nested symbols; real tables have two or three levels */
	PAGE = 4096,
	/* limit of a name; only corrupt ones are longer, and are truncated */
	NAME_MAX_LEN = 1 << 16,
	UNDERSCORES_MAX = 1 << 8, /* limit of counted underscores */
	OWN_MAX = 64 << 20,	  /* limit of copied names, in bytes */
};

struct pool {
	const char *bytes;
	size_t size;
	enum pipa_name_end end;
};

struct module {
	const char *name;
	size_t len;
};

struct rest {
	uint32_t size;
	uint32_t name;
	uint32_t module;
	uint32_t pool : 3;
	uint32_t up : 29; /* distance to the preceding symbol that ends after this one; 0: none */
};

struct pipa_symbols {
	size_t n;
	uint64_t *starts; /* separate array: a search touches only this one */
	struct rest *rests;
	struct pool pools[POOLS_MAX];
	unsigned int n_pools;
	struct pipa_buf own;
	struct {
		struct module *items;
		size_t n, cap;
	} modules;
	struct { /* only until pipa_symbols_finish() */
		struct pipa_symbol_row *items;
		size_t n, cap;
	} rows;
	struct {
		uint64_t *items;
		size_t n, cap;
	} bounds;
};

struct pipa_symbols *pipa_symbols_new(void)
{
	struct pipa_symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols) {
		symbols->n_pools = OWN + 1;
		symbols->own.max = OWN_MAX;
	}
	return symbols;
}

void pipa_symbols_free(struct pipa_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->starts);
	free(symbols->rests);
	free(symbols->modules.items);
	free(symbols->rows.items);
	free(symbols->bounds.items);
	pipa_buf_done(&symbols->own);
	free(symbols);
}

int pipa_symbols_reserve(struct pipa_symbols *symbols, size_t n)
{
	struct pipa_symbol_row *items;

	if (n <= symbols->rows.cap)
		return 0;
	if (n > SIZE_MAX / sizeof(*items))
		return -ENOMEM;
	items = realloc(symbols->rows.items, n * sizeof(*items));
	if (!items)
		return -ENOMEM;
	symbols->rows.items = items;
	symbols->rows.cap = n;
	return 0;
}

int pipa_symbols_add_pool(struct pipa_symbols *symbols, const void *bytes, size_t size,
			  enum pipa_name_end end)
{
	if (symbols->n_pools == POOLS_MAX)
		return -ENOSPC;
	symbols->pools[symbols->n_pools] = (struct pool){ bytes, size, end };
	return (int)symbols->n_pools++;
}

int pipa_symbols_add(struct pipa_symbols *symbols, const struct pipa_symbol_row *row)
{
	struct pipa_symbol_row *added;

	if (symbols->rows.n < symbols->rows.cap) { /* usual case after pipa_symbols_reserve() */
		symbols->rows.items[symbols->rows.n++] = *row;
		return 0;
	}
	added = PIPA_VEC_ADD(&symbols->rows);
	if (!added)
		return -ENOMEM;
	*added = *row;
	return 0;
}

int pipa_symbols_add_copy(struct pipa_symbols *symbols, const struct pipa_symbol_row *row,
			  const char *name, size_t len, const char *suffix)
{
	struct pipa_symbol_row copy = *row;

	copy.pool = OWN;
	copy.name = (uint32_t)symbols->own.len;
	pipa_buf_add(&symbols->own, name, len);
	pipa_buf_puts(&symbols->own, suffix);
	pipa_buf_putc(&symbols->own, '\0');
	if (symbols->own.status)
		return symbols->own.status;
	return pipa_symbols_add(symbols, &copy);
}

int pipa_symbols_module(struct pipa_symbols *symbols, const char *name, size_t len, uint32_t *ret)
{
	struct module *module = PIPA_VEC_ADD(&symbols->modules);

	if (!module)
		return -ENOMEM;
	*module = (struct module){ name, len };
	*ret = (uint32_t)symbols->modules.n;
	return 0;
}

int pipa_symbols_bound(struct pipa_symbols *symbols, uint64_t end)
{
	uint64_t *bound = PIPA_VEC_ADD(&symbols->bounds);

	if (!bound)
		return -ENOMEM;
	*bound = end;
	return 0;
}

/* Return a name in its string pool, and its length. */
static const char *name_of(const struct pipa_symbols *symbols, unsigned int pool, uint32_t name,
			   size_t *len)
{
	static const uint64_t stops[PIPA_NAME_END_NR] = {
		[PIPA_NAME_NUL] = 1,
		[PIPA_NAME_LINE] = 1 | 1 << '\n' | 1 << '\r',
		[PIPA_NAME_WORD] = 1 | 1 << '\n' | 1 << '\r' | 1 << '\t' | UINT64_C(1) << ' ',
	};
	const struct pool *from = &symbols->pools[pool];
	size_t i, most;

	*len = 0;
	if (name >= from->size)
		return "";
	most = from->size - name < NAME_MAX_LEN ? from->size - name : NAME_MAX_LEN;
	if (from->end == PIPA_NAME_NUL) {
		*len = strnlen(from->bytes + name, most);
		return from->bytes + name;
	}
	for (i = 0; i < most; i++) {
		unsigned char c = (unsigned char)from->bytes[name + i];

		if (c < 64 && stops[from->end] >> c & 1)
			break;
	}
	*len = i;
	return from->bytes + name;
}

/*
 * Count the leading underscores of a name. Those of a mangled name mean nothing, and __vdso_time is
 * told apart from time of the C library, which calls it.
 */
static size_t underscores(const char *name, size_t len)
{
	size_t n = 0;

	if (len > 2 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		return 0;
	if (len > 7 && memcmp(name, "__vdso_", 7) == 0)
		return 0;
	while (n < len && n < UNDERSCORES_MAX && name[n] == '_')
		n++;
	return n;
}

/*
 * Return the length of a name without the version that ld appends to it in .symtab:
 * "malloc@@GLIBC_2.2.5" is what programs are linked with today. "memcpy@GLIBC_2.2.5" is another
 * function than memcpy, kept for programs that were linked long ago: its version stays, and
 * *ret_old is true.
 */
static size_t unversioned_len(const char *name, size_t len, bool *ret_old)
{
	const char *at = memchr(name, '@', len);
	size_t before = at ? (size_t)(at - name) : len;

	*ret_old = false;
	if (!at || !before)
		return len;
	if (len - before > 2 && at[1] == '@')
		return before;
	*ret_old = len - before != 4 || memcmp(at, "@plt", 4) != 0;
	return len;
}

/* Is it an alias of a system call in kernels before 4.17? */
static bool is_syscall_alias(const char *name, size_t len)
{
	return (len >= 3 && memcmp(name, "SyS", 3) == 0) ||
	       (len >= 10 && memcmp(name, "compat_SyS", 10) == 0);
}

/*
 * Is b the better name for their address? perf asks for size, binding, underscores and the longest
 * name, and so takes __GI___poll for poll and cfree@GLIBC_2.2.5 for free. Here the name that
 * programs call comes first.
 */
static bool is_better(const struct pipa_symbols *symbols, const struct pipa_symbol_row *a,
		      const struct pipa_symbol_row *b)
{
	size_t len_a, len_b, bars_a, bars_b;
	const char *name_a, *name_b;
	bool old_a, old_b;

	if (!a->size != !b->size)
		return b->size > 0;
	if (a->resolver != b->resolver)
		return a->resolver;
	name_a = name_of(symbols, a->pool, a->name, &len_a);
	name_b = name_of(symbols, b->pool, b->name, &len_b);
	len_a = unversioned_len(name_a, len_a, &old_a);
	len_b = unversioned_len(name_b, len_b, &old_b);
	if (old_a != old_b)
		return old_a;
	bars_a = underscores(name_a, len_a);
	bars_b = underscores(name_b, len_b);
	if (bars_a != bars_b)
		return bars_b < bars_a;
	if ((a->binding == PIPA_BIND_WEAK) != (b->binding == PIPA_BIND_WEAK))
		return a->binding == PIPA_BIND_WEAK;
	if (a->binding != b->binding)
		return b->binding == PIPA_BIND_GLOBAL;
	if (len_a != len_b)
		return len_b < len_a;
	return is_syscall_alias(name_a, len_a);
}

static void drop_aliases(struct pipa_symbols *symbols, enum pipa_alias_rule rule)
{
	struct pipa_symbol_row *rows = symbols->rows.items;
	size_t i, kept = 0;

	for (i = 0; i < symbols->rows.n; i++)
		if (!kept || rows[kept - 1].start != rows[i].start)
			rows[kept++] = rows[i];
		else if (rule == PIPA_ALIAS_LAST || is_better(symbols, &rows[kept - 1], &rows[i]))
			rows[kept - 1] = rows[i];
	symbols->rows.n = kept;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Return the maximum end of a symbol without a size: the next bound, else a page or two further. */
static uint64_t limit_of(const struct pipa_symbols *symbols, uint64_t start)
{
	const uint64_t *bounds = symbols->bounds.items;
	size_t low = 0, high = symbols->bounds.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (bounds[middle] > start)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < symbols->bounds.n)
		return bounds[low];
	if (start >= UINT64_MAX - UINT64_C(2) * PAGE)
		return UINT64_MAX;
	return (start + UINT64_C(2) * PAGE - 1) / PAGE * PAGE;
}

static void give_sizes(struct pipa_symbols *symbols)
{
	struct pipa_symbol_row *rows = symbols->rows.items;
	size_t i, n = symbols->rows.n;

	if (symbols->bounds.n)
		qsort(symbols->bounds.items, symbols->bounds.n, sizeof(*symbols->bounds.items),
		      by_value);
	for (i = 0; i < n; i++) {
		bool same = i + 1 < n && rows[i + 1].module == rows[i].module;
		uint64_t end;

		if (rows[i].size)
			continue;
		if (same && !symbols->bounds.n) {
			end = rows[i + 1].start;
		} else {
			end = limit_of(symbols, rows[i].start);
			if (i + 1 < n && rows[i + 1].start < end)
				end = rows[i + 1].start;
		}
		end -= rows[i].start;
		rows[i].size = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
	}
}

static uint64_t end_of(const struct pipa_symbols *symbols, size_t i)
{
	uint64_t start = symbols->starts[i];
	uint32_t size = symbols->rests[i].size;

	return start > UINT64_MAX - size ? UINT64_MAX : start + size;
}

/*
 * Return the distance to the nearest symbol before i that ends later; symbols in between do not end
 * after i.
 */
static uint32_t find_up(const struct pipa_symbols *symbols, size_t i)
{
	uint64_t end = end_of(symbols, i);
	size_t j = i;

	while (j > 0) {
		if (j == i)
			j = i - 1;
		else if (symbols->rests[j].up)
			j -= symbols->rests[j].up;
		else
			return 0;
		if (end_of(symbols, j) > end)
			return i - j < 1U << 29 ? (uint32_t)(i - j) : 0;
	}
	return 0;
}

int pipa_symbols_finish(struct pipa_symbols *symbols, enum pipa_alias_rule rule)
{
	struct pipa_symbol_row *row;
	size_t i;

	symbols->pools[OWN] = (struct pool){ pipa_buf_str(&symbols->own), symbols->own.len,
					     PIPA_NAME_NUL };
	if (symbols->rows.n >= PIPA_SYMBOL_NONE)
		return -EFBIG;
	if (rule != PIPA_ALIAS_NONE) {
		if (pipa_symbol_rows_sort(symbols->rows.items, symbols->rows.n) < 0)
			return -ENOMEM;
		drop_aliases(symbols, rule);
		give_sizes(symbols);
	}
	symbols->starts = malloc((symbols->rows.n + 1) * sizeof(*symbols->starts));
	symbols->rests = malloc((symbols->rows.n + 1) * sizeof(*symbols->rests));
	if (!symbols->starts || !symbols->rests)
		return -ENOMEM;
	for (i = 0; i < symbols->rows.n; i++) {
		row = &symbols->rows.items[i];
		symbols->starts[i] = row->start;
		symbols->rests[i] = (struct rest){ .size = row->size,
						   .name = row->name,
						   .module = row->module,
						   .pool = row->pool & 7U };
		symbols->rests[i].up = find_up(symbols, i) & ((1U << 29) - 1);
	}
	symbols->n = symbols->rows.n;
	free(symbols->rows.items);
	symbols->rows.items = NULL;
	symbols->rows.n = symbols->rows.cap = 0;
	return 0;
}

size_t pipa_symbols_count(const struct pipa_symbols *symbols)
{
	return symbols->n;
}

struct pipa_symbol pipa_symbols_get(const struct pipa_symbols *symbols, uint32_t index)
{
	const struct rest *rest = &symbols->rests[index];
	struct pipa_symbol symbol = { .start = symbols->starts[index], .size = rest->size };
	bool old;

	symbol.name = name_of(symbols, rest->pool, rest->name, &symbol.name_len);
	if (symbols->pools[rest->pool].end == PIPA_NAME_NUL)
		symbol.name_len = unversioned_len(symbol.name, symbol.name_len, &old);
	if (rest->module) {
		symbol.module = symbols->modules.items[rest->module - 1].name;
		symbol.module_len = symbols->modules.items[rest->module - 1].len;
	}
	return symbol;
}

/*
 * Return the symbol that contains the address, starting at the last one that starts at or before
 * it.
 */
static uint32_t containing_symbol(const struct pipa_symbols *symbols, size_t i, uint64_t addr)
{
	unsigned int depth;

	for (depth = 0; depth < DEPTH_MAX; depth++) {
		if (addr < end_of(symbols, i))
			return (uint32_t)i;
		if (!symbols->rests[i].up)
			break;
		i -= symbols->rests[i].up;
	}
	return PIPA_SYMBOL_NONE;
}

/*
 * Return the number of symbols that start at or before the address; the result is in [low, high].
 */
static size_t count_to(const struct pipa_symbols *symbols, size_t low, size_t high, uint64_t addr)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->starts[middle] <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t pipa_symbols_find(const struct pipa_symbols *symbols, uint64_t addr)
{
	size_t n = count_to(symbols, 0, symbols->n, addr);

	return n ? containing_symbol(symbols, n - 1, addr) : PIPA_SYMBOL_NONE;
}

void pipa_symbols_gap(const struct pipa_symbols *symbols, uint64_t addr, uint64_t *ret_start,
		      uint64_t *ret_end)
{
	size_t n = count_to(symbols, 0, symbols->n, addr), i;
	unsigned int depth;

	*ret_start = 0;
	*ret_end = n < symbols->n ? symbols->starts[n] : UINT64_MAX;
	if (!n)
		return;
	/* those that reach further than the last one, outwards */
	for (i = n - 1, depth = 0; depth < DEPTH_MAX; depth++, i -= symbols->rests[i].up) {
		*ret_start = end_of(symbols, i) > *ret_start ? end_of(symbols, i) : *ret_start;
		if (!symbols->rests[i].up)
			break;
	}
}

void pipa_symbols_resolve(const struct pipa_symbols *symbols, const uint64_t *addrs, size_t n,
			  uint32_t *out)
{
	size_t i, at = 0; /* symbols before `at` start at or before the address */

	for (i = 0; i < n; i++) {
		size_t step = 1, low = at;

		/* the next one is usually near: exponential, then binary search */
		while (step < symbols->n - low && symbols->starts[low + step] <= addrs[i]) {
			low += step;
			step *= 2;
		}
		if (step > symbols->n - low)
			step = symbols->n - low;
		at = count_to(symbols, low, low + step, addrs[i]);
		out[i] = at ? containing_symbol(symbols, at - 1, addrs[i]) : PIPA_SYMBOL_NONE;
	}
}
