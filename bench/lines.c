/*
 * Answers addresses on stdin as `addr2line -a -f -i -C -e FILE` does: the helper of lines.sh, and of the
 * test that compares both.
 *
 *	lines [-m] [-t] FILE < ADDRESSES
 *
 * -m: names as they are, mangled. -t: how long it took on stderr, without reading and printing.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "elf/elf.h"
#include "elf/identity.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/table/lines.h"
#include "symbol/text/demangle.h"

struct question {
	uint64_t addr;
	size_t turn;
};

/* Of the question that came at this turn. */
struct answer {
	size_t frames, n;
};

enum { PIECE = 64 << 10 }; /* of output */

static bool mangled;

struct readable {
	const char *name, *text;
};

struct answers {
	const struct question *asked; /* by address */
	struct answer *items;	      /* by turn */
	struct {
		struct pipa_dwarf_frame *items;
		size_t n, cap;
	} frames;
	struct {
		struct readable *items;
		size_t n, cap;
	} names;
	struct pipa_index index; /* of names, by their pointer */
	struct pipa_arena arena;
};

static struct pipa_span map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return (struct pipa_span){ NULL, 0 };
	return (struct pipa_span){ map, (size_t)st.st_size };
}

static struct pipa_span find_debug(struct pipa_span file, char *path, size_t size)
{
	struct pipa_elf elf;
	struct pipa_span id;
	size_t i, n;

	if (pipa_elf_init(&elf, file, NULL) < 0 || !pipa_elf_build_id(&elf, &id))
		return (struct pipa_span){ NULL, 0 };
	n = (size_t)snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", id.data[0]);
	for (i = 1; i < id.size; i++)
		n += (size_t)snprintf(path + n, size - n, "%02x", id.data[i]);
	snprintf(path + n, size - n, ".debug");
	return map_file(path);
}

static struct pipa_span find_alt(struct pipa_span file, const char *path)
{
	struct pipa_elf_altlink link;
	struct pipa_elf elf;
	char alt[2 * PATH_MAX];
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) + 1 : 0;

	if (pipa_elf_init(&elf, file, NULL) < 0 || !pipa_elf_altlink(&elf, &link))
		return (struct pipa_span){ NULL, 0 };
	if (link.name[0] == '/')
		len = 0;
	snprintf(alt, sizeof(alt), "%.*s%s", len, path, link.name);
	return map_file(alt);
}

static bool fetch(PIPA_UNUSED void *ctx, const struct pipa_dwarf_split *wanted,
		  struct pipa_span *ret)
{
	char path[2 * PATH_MAX];

	if (wanted->name[0] == '/' || !wanted->comp_dir)
		snprintf(path, sizeof(path), "%s", wanted->name);
	else
		snprintf(path, sizeof(path), "%s/%s", wanted->comp_dir, wanted->name);
	*ret = map_file(path);
	return ret->data;
}

static const char *readable(struct answers *answers, const char *name)
{
	uint64_t hash = pipa_hash_u64((uint64_t)(uintptr_t)name, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot;
	char text[PIPA_DEMANGLE_MAX];
	struct readable *kept;
	size_t len;

	if (!name || name[0] != '_' || !pipa_is_mangled(name, strlen(name)))
		return name;
	for (slot = pipa_index_start(&answers->index, hash); slot->id;
	     slot = pipa_index_after(&answers->index, slot))
		if (answers->names.items[slot->id - 1].name == name)
			return answers->names.items[slot->id - 1].text;
	kept = PIPA_VEC_ADD(&answers->names);
	if (!kept || pipa_index_add(&answers->index, hash, (uint32_t)answers->names.n - 1) < 0)
		return name;
	len = pipa_demangle(name, strlen(name), PIPA_DEMANGLE_PARAMS, text, sizeof(text));
	kept->name = name;
	kept->text = len ? pipa_arena_text(&answers->arena, text, len) : name;
	return kept->text;
}

static int keep(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct answers *answers = ctx;
	struct answer *answer = &answers->items[answers->asked[index].turn];
	struct pipa_dwarf_frame *kept;
	size_t i;

	*answer = (struct answer){ answers->frames.n, n };
	for (i = 0; i < n; i++) {
		kept = PIPA_VEC_ADD(&answers->frames);
		if (!kept)
			return -ENOMEM;
		*kept = frames[i];
		if (!mangled)
			kept->function = readable(answers, frames[i].function);
	}
	return 0;
}

static void put_addr(struct pipa_buf *out, uint64_t addr)
{
	char text[19] = "0x";
	int i;

	for (i = 17; i > 1; i--, addr >>= 4)
		text[i] = "0123456789abcdef"[addr & 15];
	pipa_buf_add(out, text, 18);
}

static void put_line(struct pipa_buf *out, uint32_t line)
{
	char text[12];
	size_t n = sizeof(text);

	text[--n] = '\n';
	if (!line)
		text[--n] = '?';
	for (; line; line /= 10)
		text[--n] = (char)('0' + line % 10);
	text[--n] = ':';
	pipa_buf_add(out, text + n, sizeof(text) - n);
}

static void print_one(struct pipa_buf *out, uint64_t addr, const struct pipa_dwarf_frame *frames,
		      size_t n)
{
	size_t i;

	put_addr(out, addr);
	pipa_buf_puts(out, n ? "\n" : "\n??\n??:0\n");
	for (i = 0; i < n; i++) {
		pipa_buf_puts(out, frames[i].function ? frames[i].function : "??");
		pipa_buf_putc(out, '\n');
		pipa_buf_puts(out, frames[i].file ? frames[i].file : "??");
		put_line(out, frames[i].line);
	}
}

/* A line each, as addr2line takes them: hexadecimal, with or without 0x. */
static size_t read_questions(struct pipa_buf *in, struct question **ret)
{
	const char *pos, *end;
	struct {
		struct question *items;
		size_t n, cap;
	} asked = { 0 };
	struct question *one;

	if (pipa_file_read("/dev/stdin", in, NULL) < 0)
		exit(1);
	for (pos = in->data, end = pos + in->len; pos < end; pos++) {
		one = PIPA_VEC_ADD(&asked);
		if (!one)
			exit(1);
		if (end - pos > 2 && pos[0] == '0' && (pos[1] | 0x20) == 'x')
			pos += 2;
		for (; pos < end && pipa_hex_digits[(unsigned char)*pos]; pos++)
			one->addr = one->addr << 4 | (pipa_hex_digits[(unsigned char)*pos] - 1u);
		one->turn = asked.n - 1;
		while (pos < end && *pos != '\n')
			pos++;
	}
	*ret = asked.items;
	return asked.n;
}

/* By address: a radix sort, as comparing 100,000 of them costs more than answering. */
static void sort(struct question *items, size_t n)
{
	PIPA_AUTO(free) struct question *other = malloc((n + 1) * sizeof(*other));
	struct question *from = items, *to = other, *swap;
	unsigned int shift, digit;
	size_t i;

	if (!other)
		exit(1);
	for (shift = 0; shift < 64; shift += 8) {
		size_t at[257] = { 0 };

		for (i = 0; i < n; i++)
			at[(from[i].addr >> shift & 255) + 1]++;
		for (digit = 0; digit < 256 && at[digit + 1] < n; digit++)
			;
		if (digit < 256)
			continue; /* all have the same digit here */
		for (digit = 0; digit < 256; digit++)
			at[digit + 1] += at[digit];
		for (i = 0; i < n; i++)
			to[at[from[i].addr >> shift & 255]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

static void answer_all(struct pipa_dwarf *dwarf, struct answers *answers, struct question *asked,
		       size_t n)
{
	PIPA_AUTO(free) uint64_t *addrs = malloc((n + 1) * sizeof(*addrs));
	size_t i;

	answers->items = calloc(n + 1, sizeof(*answers->items));
	if (!addrs || !answers->items)
		exit(1);
	for (i = 0; i < n; i++)
		addrs[i] = asked[i].addr;
	answers->asked = asked;
	if (pipa_dwarf_resolve(dwarf, addrs, n, keep, answers) < 0)
		exit(1);
}

static void print_all(const struct answers *answers, const struct question *asked, size_t n)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 30 };
	PIPA_AUTO(free) uint64_t *addrs = malloc((n + 1) * sizeof(*addrs));
	size_t i;

	if (!addrs)
		exit(1);
	for (i = 0; i < n; i++)
		addrs[asked[i].turn] = asked[i].addr;
	for (i = 0; i < n; i++) {
		print_one(&out, addrs[i], answers->frames.items + answers->items[i].frames,
			  answers->items[i].n);
		if (i + 1 < n && out.len < PIECE)
			continue;
		if (out.status || pipa_file_write(STDOUT_FILENO, out.data, out.len) < 0)
			exit(1);
		pipa_buf_reset(&out);
	}
}

int main(int argc, char **argv)
{
	PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *dwarf = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf in = { .max = 1 << 30 };
	struct pipa_dwarf_files files = { .fetch = fetch };
	struct answers answers = { 0 };
	struct question *asked;
	struct pipa_error err;
	char debug[PATH_MAX] = "", package[PATH_MAX + 8];
	bool timed = false;
	uint64_t start;
	size_t n;
	int opt;

	while ((opt = getopt(argc, argv, "mt")) != -1) {
		mangled = mangled || opt == 'm';
		timed = timed || opt == 't';
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: lines [-m] [-t] FILE < ADDRESSES\n");
		return 2;
	}
	n = read_questions(&in, &asked);
	sort(asked, n);
	start = pipa_clock_ns();
	files.main = map_file(argv[optind]);
	files.debug = find_debug(files.main, debug, sizeof(debug));
	files.alt = files.debug.size ? find_alt(files.debug, debug) :
				       find_alt(files.main, argv[optind]);
	snprintf(package, sizeof(package), "%s.dwp", argv[optind]);
	files.package = map_file(package);
	if (pipa_dwarf_new(&files, &dwarf, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[optind], err.what);
		return 1;
	}
	answer_all(dwarf, &answers, asked, n);
	if (timed)
		fprintf(stderr, "%zu addresses, %zu frames: %.2f ms\n", n, answers.frames.n,
			(double)(pipa_clock_ns() - start) / 1e6);
	print_all(&answers, asked, n);
	free(asked);
	free(answers.items);
	free(answers.frames.items);
	free(answers.names.items);
	pipa_index_done(&answers.index);
	pipa_arena_done(&answers.arena);
	return 0;
}
