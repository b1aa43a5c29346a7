#include "lib/unwind_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "unwind/table.h"

enum { PROGRAM_END = 0x1000000, WORDS_MOST = 1 << 16, CODES = 16 };

struct words {
	uint64_t *items;
	size_t n, cap;
};

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "unwind fixture: %s\n", what);
	exit(1);
}

static bool find(void *ctx, uint64_t addr, struct pipa_unwind_code *ret)
{
	struct unwind_fixture *f = ctx;
	size_t i;

	if (addr < PROGRAM_END) {
		*ret = (struct pipa_unwind_code){ f->table, 0, 1 };
		return true;
	}
	for (i = 0; i < f->n_codes; i++) {
		if (addr - f->codes[i].addr + 1 <= sizeof(f->codes[i].bytes)) { /* or just before */
			*ret = (struct pipa_unwind_code){ .object = 2 };
			return true;
		}
	}
	return false;
}

static bool read_code(void *ctx, uint64_t addr, void *to, size_t size)
{
	struct unwind_fixture *f = ctx;
	size_t i;

	for (i = 0; i < f->n_codes; i++) {
		uint64_t within = addr - f->codes[i].addr;

		if (within < sizeof(f->codes[i].bytes) &&
		    size <= sizeof(f->codes[i].bytes) - within) {
			memcpy(to, f->codes[i].bytes + within, size);
			return true;
		}
	}
	return false;
}

static void add_code(struct unwind_fixture *f, const char *text)
{
	char *hex;
	size_t i;

	must(f->n_codes < CODES, "too much code");
	f->codes[f->n_codes].addr = strtoull(text, &hex, 16);
	must(strlen(hex) == 33, "code of another size");
	for (i = 0; i < sizeof(f->codes[0].bytes); i++) {
		char byte[3] = { hex[1 + 2 * i], hex[2 + 2 * i], '\0' };

		f->codes[f->n_codes].bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	f->n_codes++;
}

/* NUMBER=VALUE of each that is not zero. */
static void read_regs(const struct pipa_unwind_arch *arch, struct pipa_unwind_regs *regs,
		      const char *text)
{
	unsigned int i;
	char *rest;

	for (i = 0; i < arch->n_regs; i++)
		pipa_unwind_set(regs, i, 0);
	while (*text) {
		unsigned long reg = strtoul(text, &rest, 10);

		must(*rest == '=' && reg < arch->n_regs, "no such register");
		pipa_unwind_set(regs, (unsigned int)reg, strtoull(rest + 1, &rest, 16));
		text = *rest == ' ' ? rest + 1 : rest;
	}
}

/* Words, or WORD*COUNT. The caller frees. */
static uint64_t *read_words(const char *text, size_t *ret_n)
{
	struct words words = { 0 };
	char *rest;

	while (*text) {
		uint64_t word = strtoull(text, &rest, 16);
		unsigned long count = *rest == '*' ? strtoul(rest + 1, &rest, 10) : 1;

		for (; count; count--) {
			uint64_t *added = words.n < WORDS_MOST ? PIPA_VEC_ADD(&words) : NULL;

			must(added, "too many words");
			*added = word;
		}
		text = *rest == ' ' ? rest + 1 : rest;
	}
	*ret_n = words.n;
	return words.items;
}

static uint64_t *copy_words(const struct unwind_stop *stop, size_t *ret_n)
{
	uint64_t *copy = malloc(stop->n_words * sizeof(*copy) + 1);

	must(copy, "no memory");
	memcpy(copy, stop->words, stop->n_words * sizeof(*copy));
	*ret_n = stop->n_words;
	return copy;
}

/* The first word of a line is its type. */
static void read_line(struct unwind_fixture *f, char *line)
{
	struct unwind_stop *stop = f->stops.n ? &f->stops.items[f->stops.n - 1] : NULL;
	char *value = strchr(line, ' ');

	if (!value)
		return;
	*value++ = '\0';
	value[strcspn(value, "\n")] = '\0';
	if (strcmp(line, "code") == 0) {
		add_code(f, value);
		return;
	}
	if (strcmp(line, "sample") == 0) {
		stop = PIPA_VEC_ADD(&f->stops);
		must(stop, "no memory");
		snprintf(stop->label, sizeof(stop->label), "%s", value);
		return;
	}
	must(stop, "no stop to begin with");
	if (strcmp(line, "pc") == 0)
		stop->regs.pc = strtoull(value, NULL, 16);
	else if (strcmp(line, "regs") == 0)
		read_regs(f->arch, &stop->regs, value);
	else if (strcmp(line, "stack") == 0 && strcmp(value, "same") == 0 && f->stops.n > 1)
		stop->words = copy_words(stop - 1, &stop->n_words);
	else if (strcmp(line, "stack") == 0)
		stop->words = read_words(value, &stop->n_words);
	else if (strcmp(line, "frames") == 0)
		stop->frames = read_words(value, &stop->n_frames);
	else if (strcmp(line, "end") == 0)
		snprintf(stop->end, sizeof(stop->end), "%s", value);
}

static struct pipa_span map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	void *map;

	must(fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0, path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	must(map != MAP_FAILED, path);
	close(fd);
	return (struct pipa_span){ map, (size_t)st.st_size };
}

void unwind_fixture_read(struct unwind_fixture *ret, const char *folder,
			 const struct pipa_unwind_arch *arch)
{
	struct pipa_unwind_files files = { 0 };
	char path[4096], *line = NULL;
	size_t cap = 0;
	FILE *text;

	*ret = (struct unwind_fixture){ .arch = arch };
	snprintf(path, sizeof(path), "%s/%s.elf", folder, arch->name);
	files.main = map_file(path);
	must(pipa_unwind_table_new(&files, &ret->table, NULL) == 0, path);
	snprintf(path, sizeof(path), "%s/%s.txt", folder, arch->name);
	text = fopen(path, "re");
	must(text, path);
	while (getline(&line, &cap, text) > 0)
		read_line(ret, line);
	fclose(text);
	free(line);
}

void unwind_fixture_done(struct unwind_fixture *fixture)
{
	size_t i;

	for (i = 0; i < fixture->stops.n; i++) {
		free(fixture->stops.items[i].words);
		free(fixture->stops.items[i].frames);
	}
	free(fixture->stops.items);
	pipa_unwind_table_free(fixture->table);
}

struct pipa_unwind_input unwind_fixture_input(struct unwind_fixture *fixture,
					      const struct unwind_stop *stop)
{
	static const struct pipa_unwind_ops ops = { .find = find, .read = read_code };

	return (struct pipa_unwind_input){ .regs = stop->regs,
					   .stack = (const uint8_t *)stop->words,
					   .stack_len = stop->n_words * sizeof(stop->words[0]),
					   .stack_addr = stop->regs.r[fixture->arch->sp],
					   .ops = &ops,
					   .ctx = fixture };
}
