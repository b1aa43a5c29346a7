/*
 * Every row of real objects against binutils' interpretation of the same section. Files that are not
 * installed are left out; a test without any is skipped.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "lib/oracle.h"
#include "lib/test.h"
#include "unwind/arch.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum { COLUMNS = 64, LINE = 4096 };

static const char *const x86_64_names[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi",
					    "rbp", "rsp", "r8",	 "r9",	"r10", "r11",
					    "r12", "r13", "r14", "r15", "rip", NULL };
static const char *const aarch64_names[] = { "x0",  "x1",  "x2",  "x3",	 "x4",	"x5",  "x6",
					     "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13",
					     "x14", "x15", "x16", "x17", "x18", "x19", "x20",
					     "x21", "x22", "x23", "x24", "x25", "x26", "x27",
					     "x28", "x29", "x30", "sp",	 NULL };
static const char *const riscv64_names[] = { "zero", "ra", "sp", "gp", "tp", "t0",  "t1",
					     "t2",   "s0", "s1", "a0", "a1", "a2",  "a3",
					     "a4",   "a5", "a6", "a7", "s2", "s3",  "s4",
					     "s5",   "s6", "s7", "s8", "s9", "s10", "s11",
					     "t3",   "t4", "t5", "t6", NULL };

struct peer {
	const char *path;
	const struct pipa_unwind_table *table;
	const char *const *names;
	uint8_t columns[COLUMNS]; /* of the table that is being read */
	size_t n_columns;
	uint64_t fde_start, fde_end;
	char pending[LINE]; /* the row that ends where the next one starts */
	uint64_t pending_at;
	size_t rows, fdes;
};

static uint8_t register_named(const struct peer *peer, const char *name, size_t len)
{
	uint8_t i;

	for (i = 0; peer->names[i]; i++)
		if (strlen(peer->names[i]) == len && strncmp(peer->names[i], name, len) == 0)
			return i;
	return PIPA_UNWIND_NO_REG;
}

static bool rule_is(const struct pipa_rule *rule, const char *cell)
{
	if (strcmp(cell, "u") == 0)
		return rule->kind == PIPA_RULE_NONE || rule->kind == PIPA_RULE_UNDEFINED;
	if (strcmp(cell, "s") == 0)
		return rule->kind == PIPA_RULE_SAME;
	if (strcmp(cell, "exp") == 0)
		return rule->kind == PIPA_RULE_EXPR_AT;
	if (strcmp(cell, "vexp") == 0)
		return rule->kind == PIPA_RULE_EXPR_IS;
	if (cell[0] == 'c' && strchr("+-", cell[1]))
		return rule->kind == PIPA_RULE_AT && rule->offset == strtoll(cell + 1, NULL, 10);
	if (cell[0] == 'v' && strchr("+-", cell[1]))
		return rule->kind == PIPA_RULE_IS && rule->offset == strtoll(cell + 1, NULL, 10);
	return rule->kind == PIPA_RULE_REGISTER && cell[0] == 'r' && /* "r1 (rdx)" */
	       rule->reg == strtoull(cell + 1, NULL, 10);
}

static bool cfa_is(const struct peer *peer, const struct pipa_rule *cfa, const char *cell)
{
	size_t len = strcspn(cell, "+-");

	if (strcmp(cell, "exp") == 0)
		return cfa->kind == PIPA_RULE_EXPR_IS;
	return cfa->kind == PIPA_RULE_IS && cfa->reg == register_named(peer, cell, len) &&
	       cfa->offset == strtoll(cell + len, NULL, 10);
}

/* Compare the cells of a line with the row at the address. */
static void compare(const struct peer *peer, const char *line, uint64_t addr)
{
	struct pipa_row row;
	char copy[LINE], *rest = copy, *cell;
	size_t column = 0;
	int rc = pipa_unwind_table_row(peer->table, addr, &row);

	if (rc < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s: no row at %" PRIx64 ": %s", peer->path,
			       addr, strerror(-rc));
	snprintf(copy, sizeof(copy), "%s", line);
	while ((cell = strsep(&rest, " \n"))) {
		uint8_t reg;

		if (!*cell || *cell == '(') /* of "r1 (rdx)" */
			continue;
		if (column++ == 0) {
			if (!cfa_is(peer, &row.cfa, cell))
				pipa_test_fail(__FILE__, __LINE__, "%s %" PRIx64 ": the CFA is %s",
					       peer->path, addr, cell);
			continue;
		}
		CHECK(column - 2 < peer->n_columns);
		reg = peer->columns[column - 2];
		if (reg != PIPA_UNWIND_NO_REG && !rule_is(&row.regs[reg], cell))
			pipa_test_fail(__FILE__, __LINE__, "%s %" PRIx64 ": register %u is %s",
				       peer->path, addr, reg, cell);
	}
}

static void end_row(struct peer *peer, uint64_t end)
{
	if (!peer->pending[0])
		return;
	if (end > peer->fde_end)
		end = peer->fde_end; /* instructions continue after the code, as in some assembly */
	if (end > peer->pending_at) {
		compare(peer, peer->pending, peer->pending_at);
		compare(peer, peer->pending, end - 1);
		peer->rows++;
	}
	peer->pending[0] = '\0';
}

static void read_columns(struct peer *peer, char *line)
{
	char *name;

	peer->n_columns = 0;
	while ((name = strsep(&line, " \n"))) {
		struct pipa_row row;

		if (!*name || strcmp(name, "LOC") == 0 || strcmp(name, "CFA") == 0)
			continue;
		CHECK(peer->n_columns < COLUMNS);
		if (strcmp(name, "ra") == 0) {
			CHECK_EQ(pipa_unwind_table_row(peer->table, peer->fde_start, &row), 0);
			peer->columns[peer->n_columns++] = row.ra;
		} else {
			peer->columns[peer->n_columns++] = register_named(peer, name, strlen(name));
		}
	}
}

static void read_line(struct peer *peer, char *line)
{
	const char *fde = strstr(line, " FDE ");
	uint64_t addr;
	char *end;

	if (fde || strstr(line, " CIE ") || line[0] == '\n') {
		end_row(peer, UINT64_MAX);
		if (line[0] != '\n')
			peer->fde_end = 0;
	}
	if (fde) {
		const char *pc = strstr(fde, "pc=");

		CHECK(pc);
		peer->fde_start = strtoull(pc + 3, &end, 16);
		peer->fde_end = strtoull(end + 2, NULL, 16);
		if (peer->fde_end > peer->fde_start && peer->fde_start) {
			uint64_t from, to;

			CHECK(pipa_unwind_range(peer->table, peer->fde_start, &from, &to));
			CHECK_EQ(from, peer->fde_start);
			CHECK_EQ(to, peer->fde_end);
			peer->fdes++;
		} else {
			peer->fde_end = 0;
		}
		return;
	}
	if (!peer->fde_end)
		return;
	if (strncmp(line, "   LOC", 6) == 0) {
		read_columns(peer, line);
		return;
	}
	addr = strtoull(line, &end, 16);
	if (end - line != 16 || *end != ' ')
		return;
	end_row(peer, addr);
	snprintf(peer->pending, sizeof(peer->pending), "%s", end);
	peer->pending_at = addr;
}

static uint16_t machine_of(struct pipa_span file)
{
	Elf64_Ehdr header;

	if (file.size < sizeof(header) || memcmp(file.data, ELFMAG, SELFMAG) != 0)
		return EM_NONE;
	memcpy(&header, file.data, sizeof(header));
	return header.e_machine;
}

static const char *const *names_of(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64: return x86_64_names;
	case EM_AARCH64: return aarch64_names;
	case EM_RISCV: return riscv64_names;
	}
	return NULL;
}

/*
 * Return how many rows were compared: 0 if there is no such file, or if it was made for another machine
 * than the one asked for (EM_NONE: any that has rows).
 */
static size_t compare_file(const char *path, uint16_t machine)
{
	PIPA_AUTO(pipa_unwind_table_free) struct pipa_unwind_table *table = NULL;
	struct pipa_unwind_files files = { .main = oracle_map(path) };
	struct peer peer = { .path = path, .names = names_of(machine_of(files.main)) };
	char line[LINE];
	FILE *out;

	if (!peer.names || (machine != EM_NONE && machine_of(files.main) != machine))
		return 0;
	CHECK_EQ(pipa_unwind_table_new(&files, &table, NULL), 0);
	peer.table = table;
	out = oracle_read("LC_ALL=C readelf --wide --debug-dump=frames-interp %s 2> /dev/null",
			  path);
	while (fgets(line, sizeof(line), out))
		read_line(&peer, line);
	end_row(&peer, UINT64_MAX);
	pclose(out);
	CHECK(peer.fdes <= pipa_unwind_table_count(table));
	printf("%s: %zu FDEs, %zu rows\n", path, peer.fdes, peer.rows);
	return peer.rows;
}

static void compare_files(const char *const *paths, uint16_t machine)
{
	size_t rows = 0;

	NEED("readelf");
	for (; *paths; paths++)
		rows += compare_file(*paths, machine);
	if (!rows)
		SKIP("none of the files is here");
}

TEST(rows_of_x86_64_are_those_of_readelf)
{
	static const char *const paths[] = { "/lib/x86_64-linux-gnu/libc.so.6",
					     "/lib64/ld-linux-x86-64.so.2",
					     "/usr/x86_64-linux-gnu/lib/libc.so.6", NULL };

	compare_files(paths, EM_X86_64);
}

TEST(rows_of_aarch64_are_those_of_readelf)
{
	static const char *const paths[] = { "/usr/aarch64-linux-gnu/lib/libc.so.6",
					     "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
					     "/lib/aarch64-linux-gnu/libc.so.6",
					     "/lib/ld-linux-aarch64.so.1", NULL };

	compare_files(paths, EM_AARCH64);
}

TEST(rows_of_riscv64_are_those_of_readelf)
{
	static const char *const paths[] = {
		"/usr/riscv64-linux-gnu/lib/libc.so.6",
		"/usr/riscv64-linux-gnu/lib/ld-linux-riscv64-lp64d.so.1",
		"/lib/riscv64-linux-gnu/libc.so.6", "/lib/ld-linux-riscv64-lp64d.so.1", NULL
	};

	compare_files(paths, EM_RISCV);
}

/* of whatever architecture the machine is */
TEST(rows_of_installed_programs_are_those_of_readelf)
{
	static const char *const paths[] = { "/usr/bin/python3",
					     "/lib/x86_64-linux-gnu/libcrypto.so.3",
					     "/lib/aarch64-linux-gnu/libcrypto.so.3",
					     "/lib/riscv64-linux-gnu/libcrypto.so.3",
					     "/lib/x86_64-linux-gnu/libstdc++.so.6",
					     "/lib/aarch64-linux-gnu/libstdc++.so.6",
					     "/lib/riscv64-linux-gnu/libstdc++.so.6",
					     NULL };

	compare_files(paths, EM_NONE);
}

TEST(rows_of_this_program_are_those_of_readelf)
{
	NEED("readelf");
	CHECK(compare_file(oracle_self(), EM_NONE));
}
