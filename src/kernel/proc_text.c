#include "kernel/proc_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"

/* A piece of text that is walked from the left. */
struct scan {
	const char *pos, *end;
};

static bool next_line(struct scan *text, struct scan *line)
{
	const char *newline;

	if (text->pos >= text->end)
		return false;
	newline = memchr(text->pos, '\n', (size_t)(text->end - text->pos));
	line->pos = text->pos;
	line->end = newline ? newline : text->end;
	text->pos = newline ? newline + 1 : text->end;
	return true;
}

static void skip_blanks(struct scan *s)
{
	while (s->pos < s->end && (*s->pos == ' ' || *s->pos == '\t'))
		s->pos++;
}

/* The next blank-separated word; false at the end. */
static bool next_word(struct scan *s, struct scan *word)
{
	skip_blanks(s);
	word->pos = s->pos;
	while (s->pos < s->end && *s->pos != ' ' && *s->pos != '\t')
		s->pos++;
	word->end = s->pos;
	return word->end > word->pos;
}

static size_t word_len(const struct scan *word)
{
	return (size_t)(word->end - word->pos);
}

static bool is_word(const struct scan *word, const char *text)
{
	size_t len = strlen(text);

	return word_len(word) == len && memcmp(word->pos, text, len) == 0;
}

/* Digits of the given base at the front of s; missing when there are none. Wraps past 2^64. */
static uint64_t take_digits(struct scan *s, unsigned int base)
{
	const char *start = s->pos;
	uint64_t value = 0;

	for (; s->pos < s->end; s->pos++) {
		unsigned int c = (unsigned char)*s->pos;
		unsigned int digit = c - '0' < 10	  ? c - '0' :
				     (c | 0x20) - 'a' < 6 ? (c | 0x20) - 'a' + 10 :
							    99;

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	return s->pos > start ? value : PIPA_RAW_MISSING;
}

static uint64_t next_number(struct scan *s)
{
	skip_blanks(s);
	return take_digits(s, 10);
}

/* "12.34" as 1234: averages have two digits behind the point. */
static uint64_t next_hundredths(struct scan *s)
{
	uint64_t whole = next_number(s);
	unsigned int i, digit;

	if (whole == PIPA_RAW_MISSING)
		return whole;
	if (s->pos < s->end && *s->pos == '.')
		s->pos++;
	for (i = 0; i < 2; i++) {
		digit = s->pos < s->end && isdigit((unsigned char)*s->pos) ?
				(unsigned int)(*s->pos++ - '0') :
				0;
		whole = whole * 10 + digit;
	}
	while (s->pos < s->end && isdigit((unsigned char)*s->pos))
		s->pos++;
	return whole;
}

/* Fill fields from the left; those the line does not reach stay missing. */
static void take_numbers(struct scan *line, uint64_t *fields, size_t n)
{
	size_t i;

	for (i = 0; fields && i < n; i++)
		fields[i] = next_number(line);
}

static void add_fields(uint64_t *to, const uint64_t *from, size_t n)
{
	size_t i;

	for (i = 0; to && from && i < n; i++)
		if (from[i] != PIPA_RAW_MISSING)
			to[i] = (to[i] == PIPA_RAW_MISSING ? 0 : to[i]) + from[i];
}

static struct pipa_raw *main_group(struct pipa_readings *readings,
				   const struct pipa_proc_file *file)
{
	return &readings->group[file->groups[0]];
}

/* ---- files that name their numbers ---------------------------------------------------------- */

/*
 * The field of a name. Names come in the same order at every reading, so the one behind the last
 * found is tried first.
 */
static size_t find_key(const char *const *keys, size_t n, const struct scan *word, size_t *hint)
{
	size_t i;

	if (*hint < n && is_word(word, keys[*hint]))
		return (*hint)++;
	for (i = 0; i < n; i++)
		if (is_word(word, keys[i])) {
			*hint = i + 1;
			return i;
		}
	return n;
}

/* What to do with a key that is none of those listed. */
typedef void take_other(const struct scan *key, uint64_t value, uint64_t *fields);

/* "key[:] number" lines */
static void parse_keyed(const char *const *keys, size_t n, const char *text, size_t len,
			struct pipa_raw *raw, take_other *other)
{
	struct scan all = { text, text + len }, line, word;
	uint64_t *fields = pipa_raw_put(raw, "", 0);
	size_t field, hint = 0;

	while (fields && next_line(&all, &line)) {
		if (!next_word(&line, &word))
			continue;
		if (word.end[-1] == ':')
			word.end--;
		field = find_key(keys, n, &word, &hint);
		if (field < n)
			fields[field] = next_number(&line);
		else if (other)
			other(&word, next_number(&line), fields);
	}
}

#define X(key) #key,
static const char *const vmstat_keys[] = { PIPA_VMSTAT_KEYS(X) };
static const char *const meminfo_keys[] = { PIPA_MEMINFO_KEYS(X) };
static const char *const snmp6_keys[] = { PIPA_SNMP6_KEYS(X) };
#undef X
#define X(part, key) #part "\0" #key,
static const char *const snmp_keys[] = { PIPA_SNMP_KEYS(X) };
static const char *const sockets_keys[] = { PIPA_SOCKETS_KEYS(X) };
static const char *const sockets6_keys[] = { PIPA_SOCKETS6_KEYS(X) };
#undef X

/*
 * Kernels before 4.8 count what was reclaimed by zone ("pgscan_kswapd_dma32"), those before 3.4 do not
 * say by whom for what was stolen ("pgsteal_normal"): all zones together.
 */
static void take_zone(const struct scan *key, uint64_t value, uint64_t *fields)
{
	static const char *const zones[] = { "dma", "dma32", "normal", "high", "movable" };
	static const struct {
		const char *prefix;
		unsigned char field;
	} counts[] = {
		{ "pgscan_kswapd_", VMSTAT_pgscan_kswapd },
		{ "pgscan_direct_", VMSTAT_pgscan_direct },
		{ "pgsteal_kswapd_", VMSTAT_pgsteal_kswapd },
		{ "pgsteal_direct_", VMSTAT_pgsteal_direct },
		{ "pgsteal_", VMSTAT_pgsteal_kswapd },
	};
	size_t i, k, len;

	if (word_len(key) < 3 || memcmp(key->pos, "pgs", 3) != 0)
		return;
	for (i = 0; i < PIPA_COUNT(counts); i++) {
		struct scan zone = *key;

		len = strlen(counts[i].prefix);
		if (word_len(key) <= len || memcmp(key->pos, counts[i].prefix, len) != 0)
			continue;
		zone.pos += len;
		for (k = 0; k < PIPA_COUNT(zones); k++)
			if (is_word(&zone, zones[k]))
				add_fields(&fields[counts[i].field], &value, 1);
	}
}

static void parse_vmstat(const struct pipa_proc_file *file, const char *text, size_t len,
			 struct pipa_readings *r)
{
	parse_keyed(vmstat_keys, PIPA_COUNT(vmstat_keys), text, len, main_group(r, file),
		    take_zone);
}

static void parse_meminfo(const struct pipa_proc_file *file, const char *text, size_t len,
			  struct pipa_readings *r)
{
	parse_keyed(meminfo_keys, PIPA_COUNT(meminfo_keys), text, len, main_group(r, file), NULL);
}

static void parse_snmp6(const struct pipa_proc_file *file, const char *text, size_t len,
			struct pipa_readings *r)
{
	parse_keyed(snmp6_keys, PIPA_COUNT(snmp6_keys), text, len, main_group(r, file), NULL);
}

/* The field of "part" and "key", which stand in the table with a NUL between. */
static size_t find_pair(const char *const *pairs, size_t n, const struct scan *part,
			const struct scan *key, size_t *hint)
{
	size_t i, k;

	for (k = 0; k < n; k++) {
		i = (*hint + k) % n;
		if (is_word(part, pairs[i]) && is_word(key, pairs[i] + strlen(pairs[i]) + 1)) {
			*hint = i + 1;
			return i;
		}
	}
	return n;
}

static void strip_colon(struct scan *word)
{
	if (word->end > word->pos && word->end[-1] == ':')
		word->end--;
}

/* /proc/net/snmp: a line of names, then a line of numbers, both behind "Part:" */
static void parse_snmp(const struct pipa_proc_file *file, const char *text, size_t len,
		       struct pipa_readings *r)
{
	struct scan all = { text, text + len }, names, numbers, part, word;
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0);
	size_t field, hint = 0;

	while (fields && next_line(&all, &names)) {
		struct scan behind = all;

		if (!next_line(&behind, &numbers) || !next_word(&names, &part) ||
		    !next_word(&numbers, &word) || word_len(&word) != word_len(&part) ||
		    memcmp(word.pos, part.pos, word_len(&part)) != 0)
			continue; /* names that lost their numbers, or numbers without names */
		all = behind;
		strip_colon(&part);
		while (next_word(&names, &word)) {
			struct scan number;

			if (!next_word(&numbers, &number))
				break;
			field = find_pair(snmp_keys, PIPA_COUNT(snmp_keys), &part, &word, &hint);
			if (field < PIPA_COUNT(snmp_keys))
				fields[field] = take_digits(&number, 10); /* "-1" is missing */
		}
	}
}

/* "TCP: inuse 1 orphan 0": names and numbers in turn */
static void parse_pairs(const char *const *pairs, size_t n, const char *text, size_t len,
			struct pipa_raw *raw)
{
	struct scan all = { text, text + len }, line, part, key;
	uint64_t *fields = pipa_raw_put(raw, "", 0), value;
	size_t field, hint = 0;

	while (fields && next_line(&all, &line)) {
		if (!next_word(&line, &part))
			continue;
		strip_colon(&part);
		while (next_word(&line, &key)) {
			value = next_number(&line);
			field = find_pair(pairs, n, &part, &key, &hint);
			if (field < n)
				fields[field] = value;
		}
	}
}

static void parse_sockets(const struct pipa_proc_file *file, const char *text, size_t len,
			  struct pipa_readings *r)
{
	parse_pairs(sockets_keys, PIPA_COUNT(sockets_keys), text, len, main_group(r, file));
}

static void parse_sockets6(const struct pipa_proc_file *file, const char *text, size_t len,
			   struct pipa_readings *r)
{
	parse_pairs(sockets6_keys, PIPA_COUNT(sockets6_keys), text, len, main_group(r, file));
}

/* ---- /proc/stat ------------------------------------------------------------------------------ */

/* Numbers of the whole: where each goes. */
static void parse_stat_word(const struct scan *word, struct scan *line, uint64_t *system,
			    uint64_t *load)
{
	if (is_word(word, "intr") && system)
		system[SYSTEM_INTR] = next_number(line);
	else if (is_word(word, "ctxt") && system)
		system[SYSTEM_CTXT] = next_number(line);
	else if (is_word(word, "processes") && system)
		system[SYSTEM_FORKS] = next_number(line);
	else if (is_word(word, "procs_blocked") && load)
		load[LOAD_BLOCKED] = next_number(line);
}

static void parse_stat(const struct pipa_proc_file *file, const char *text, size_t len,
		       struct pipa_readings *r)
{
	struct pipa_raw *cpus = main_group(r, file);
	uint64_t *system = pipa_raw_put(&r->group[PIPA_GROUP_SYSTEM], "", 0);
	uint64_t *load = pipa_raw_put(&r->group[PIPA_GROUP_LOAD], "", 0);
	struct scan all = { text, text + len }, line, word;

	while (next_line(&all, &line)) {
		if (!next_word(&line, &word))
			continue;
		if (word_len(&word) < 3 || memcmp(word.pos, "cpu", 3) != 0)
			parse_stat_word(&word, &line, system, load);
		else if (word_len(&word) == 3)
			take_numbers(&line, pipa_raw_put(cpus, "all", 3), CPU_FIELDS);
		else
			take_numbers(&line, pipa_raw_put(cpus, word.pos + 3, word_len(&word) - 3),
				     CPU_FIELDS);
	}
}

/*
 * Times that went back (iowait does, idle may by a tick) have not grown. But a CPU that was offline
 * may begin its idle time and iowait again, while the others go on: idle time that lost more than
 * half of itself did that.
 */
static void grow_cpu(const uint64_t *previous, const uint64_t *now, uint64_t *grown)
{
	bool anew = previous[CPU_IDLE] != PIPA_RAW_MISSING &&
		    now[CPU_IDLE] < previous[CPU_IDLE] / 2;
	size_t i;

	for (i = 0; i < CPU_FIELDS; i++) {
		bool from_zero = anew && (i == CPU_IDLE || i == CPU_IOWAIT);

		if (now[i] == PIPA_RAW_MISSING || previous[i] == PIPA_RAW_MISSING)
			grown[i] = PIPA_RAW_MISSING;
		else if (now[i] >= previous[i])
			grown[i] = now[i] - previous[i];
		else
			grown[i] = from_zero ? now[i] : 0;
	}
}

/* ---- tables with a row per thing ------------------------------------------------------------- */

/* "major minor name numbers..." */
static void parse_diskstats(const struct pipa_proc_file *file, const char *text, size_t len,
			    struct pipa_readings *r)
{
	struct scan all = { text, text + len }, line, name;

	while (next_line(&all, &line)) {
		next_number(&line);
		next_number(&line);
		if (next_word(&line, &name))
			take_numbers(&line,
				     pipa_raw_put(main_group(r, file), name.pos, word_len(&name)),
				     DISK_FIELDS);
	}
}

/* "  eth0: numbers..." or, on old kernels, "eth0:number"; two lines of titles have a bar */
static void parse_net_dev(const struct pipa_proc_file *file, const char *text, size_t len,
			  struct pipa_readings *r)
{
	struct scan all = { text, text + len }, line;

	while (next_line(&all, &line)) {
		const char *colon;

		skip_blanks(&line);
		if (memchr(line.pos, '|', (size_t)(line.end - line.pos)))
			continue;
		/* a name may hold colons (eth0:1): the last one before a number counts */
		colon = memrchr(line.pos, ':', (size_t)(line.end - line.pos));
		if (!colon || colon == line.pos)
			continue;
		struct scan numbers = { colon + 1, line.end };

		take_numbers(&numbers,
			     pipa_raw_put(main_group(r, file), line.pos,
					  (size_t)(colon - line.pos)),
			     NET_TX_COMPRESSED + 1);
	}
}

/*
 * A line of hexadecimal numbers per online CPU, its number in the thirteenth since 5.10. The sum is
 * made here: the kernel gives none.
 */
static void parse_softnet(const struct pipa_proc_file *file, const char *text, size_t len,
			  struct pipa_readings *r)
{
	static const unsigned char column[SOFTNET_FIELDS] = { 0, 1, 2, 9, 10, 11 };
	struct pipa_raw *raw = main_group(r, file);
	uint64_t sum[SOFTNET_FIELDS], numbers[16], *row;
	struct scan all = { text, text + len }, line;
	unsigned int cpu = 0, i;
	char name[24];

	memset(sum, 0xff, sizeof(sum));
	pipa_raw_put(raw, "all", 3);
	for (; next_line(&all, &line); cpu++) {
		for (i = 0; i < PIPA_COUNT(numbers); i++) {
			skip_blanks(&line);
			numbers[i] = take_digits(&line, 16);
		}
		if (numbers[12] != PIPA_RAW_MISSING)
			cpu = (unsigned int)numbers[12];
		row = pipa_raw_put(raw, name, (size_t)snprintf(name, sizeof(name), "%u", cpu));
		for (i = 0; row && i < SOFTNET_FIELDS; i++)
			row[i] = numbers[column[i]];
		add_fields(sum, row, SOFTNET_FIELDS);
	}
	row = pipa_raw_put(raw, "all", 3);
	if (row)
		memcpy(row, sum, sizeof(sum));
}

/* "0: uart:16550A port:... tx:218 rx:0 fe:1 pe:2 brk:3 oe:4" */
static void parse_tty(const struct pipa_proc_file *file, const char *text, size_t len,
		      struct pipa_readings *r)
{
	static const char *const words[TTY_FIELDS] = { "tx:", "rx:", "fe:", "pe:", "brk:", "oe:" };
	struct scan all = { text, text + len }, line, word;
	uint64_t *row;
	size_t i, n;

	while (next_line(&all, &line)) {
		if (!next_word(&line, &word) || !isdigit((unsigned char)*word.pos) ||
		    !memmem(line.pos, (size_t)(line.end - line.pos), "tx:", 3))
			continue; /* a port without a chip behind it counts nothing */
		strip_colon(&word);
		row = pipa_raw_put(main_group(r, file), word.pos, word_len(&word));
		for (i = 0; row && i < TTY_FIELDS; i++)
			row[i] = 0; /* counts that are 0 are not written */
		while (row && next_word(&line, &word))
			for (i = 0; i < TTY_FIELDS; i++) {
				n = strlen(words[i]);
				if (word_len(&word) > n && memcmp(word.pos, words[i], n) == 0) {
					word.pos += n;
					row[i] = take_digits(&word, 10);
				}
			}
	}
}

/* ---- small files ----------------------------------------------------------------------------- */

/* "0.53 0.73 0.55 2/105 31500" */
static void parse_loadavg(const struct pipa_proc_file *file, const char *text, size_t len,
			  struct pipa_readings *r)
{
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0);
	struct scan s = { text, text + len };

	if (!fields)
		return;
	fields[LOAD_1] = next_hundredths(&s);
	fields[LOAD_5] = next_hundredths(&s);
	fields[LOAD_15] = next_hundredths(&s);
	fields[LOAD_RUNNING] = next_number(&s);
	if (s.pos < s.end && *s.pos == '/')
		s.pos++;
	fields[LOAD_TASKS] = next_number(&s);
}

/* "some avg10=0.53 avg60=2.53 avg300=6.47 total=81750656", then the same for full */
static void parse_pressure(const struct pipa_proc_file *file, const char *text, size_t len,
			   struct pipa_readings *r)
{
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0), *at;
	struct scan all = { text, text + len }, line, word;

	while (fields && next_line(&all, &line)) {
		if (!next_word(&line, &word))
			continue;
		at = fields + (is_word(&word, "full") ? PSI_FULL_10 : PSI_SOME_10);
		while (next_word(&line, &word)) {
			const char *equals = memchr(word.pos, '=', word_len(&word));
			struct scan value = { equals ? equals + 1 : word.end, word.end };

			word.end = equals ? equals : word.end;
			if (is_word(&word, "avg10"))
				at[0] = next_hundredths(&value);
			else if (is_word(&word, "avg60"))
				at[1] = next_hundredths(&value);
			else if (is_word(&word, "avg300"))
				at[2] = next_hundredths(&value);
			else if (is_word(&word, "total"))
				at[3] = next_number(&value);
		}
	}
}

/* A line of numbers, of which the first few are wanted. */
static void parse_numbers(const struct pipa_proc_file *file, const char *text, size_t len,
			  struct pipa_readings *r)
{
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0);
	struct scan s = { text, text + len };

	if (fields)
		take_numbers(&s, fields + file->offset, file->count);
}

/* ---- NFS --------------------------------------------------------------------------------------- */

static void take_at(struct scan line, const unsigned char *at, const unsigned char *to, size_t n,
		    uint64_t *fields)
{
	uint64_t value;
	unsigned int i;
	size_t k;

	for (i = 0; i < 64 && (value = next_number(&line)) != PIPA_RAW_MISSING; i++)
		for (k = 0; k < n; k++)
			if (at[k] == i)
				fields[to[k]] =
					(fields[to[k]] == PIPA_RAW_MISSING ? 0 : fields[to[k]]) +
					value;
}

/*
 * /proc/net/rpc/nfs and nfsd. proc3: 22 calls counted from the second number: getattr 1, access 4,
 * read 6, write 7. Version 4 numbers its operations otherwise on either side; a server counts them
 * in proc4ops.
 */
static void parse_rpc(const struct pipa_proc_file *file, const char *text, size_t len,
		      struct pipa_readings *r)
{
	static const unsigned char calls[] = { NFS_GETATTR, NFS_ACCESS, NFS_READ, NFS_WRITE };
	static const unsigned char proc3[] = { 2, 5, 7, 8 };
	static const unsigned char client4[] = { 19, 18, 2, 3 };
	static const unsigned char server4[] = { 10, 4, 26, 39 };
	static const unsigned char net[] = { 0, 1, 2 };
	static const unsigned char net_to[] = { NFS_PACKETS, NFS_UDP, NFS_TCP };
	static const unsigned char rpc_client[] = { 0, 1 };
	static const unsigned char rpc_client_to[] = { NFS_CALLS, NFS_RETRANS };
	static const unsigned char rpc_server[] = { 0, 1 };
	static const unsigned char rpc_server_to[] = { NFS_CALLS, NFS_BAD };
	static const unsigned char cache[] = { 0, 1 };
	static const unsigned char cache_to[] = { NFS_HITS, NFS_MISSES };
	bool server = file->groups[0] == PIPA_GROUP_NFSD;
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0);
	struct scan all = { text, text + len }, line, word;

	while (fields && next_line(&all, &line)) {
		if (!next_word(&line, &word))
			continue;
		if (is_word(&word, "net"))
			take_at(line, net, net_to, PIPA_COUNT(net), fields);
		else if (is_word(&word, "rpc") && server)
			take_at(line, rpc_server, rpc_server_to, PIPA_COUNT(rpc_server), fields);
		else if (is_word(&word, "rpc"))
			take_at(line, rpc_client, rpc_client_to, PIPA_COUNT(rpc_client), fields);
		else if (is_word(&word, "rc"))
			take_at(line, cache, cache_to, PIPA_COUNT(cache), fields);
		else if (is_word(&word, "proc3"))
			take_at(line, proc3, calls, PIPA_COUNT(proc3), fields);
		else if (is_word(&word, "proc4") && !server)
			take_at(line, client4, calls, PIPA_COUNT(client4), fields);
		else if (is_word(&word, "proc4ops"))
			take_at(line, server4, calls, PIPA_COUNT(server4), fields);
	}
}

/* ---- all files ---------------------------------------------------------------------------------- */

#define NONE PIPA_GROUP_NR
#define FILLS(name, group, fn, size)                                                               \
	{                                                                                          \
		name, { PIPA_GROUP_##group, NONE, NONE }, 0, 0, fn, size                           \
	}
#define LINE(name, first, n)                                                                       \
	{                                                                                          \
		name, { PIPA_GROUP_TABLES, NONE, NONE }, first, n, parse_numbers, 128              \
	}

const struct pipa_proc_file pipa_proc_files[] = {
	{ "stat", { PIPA_GROUP_CPU, PIPA_GROUP_SYSTEM, PIPA_GROUP_LOAD }, 0, 0, parse_stat, 16384 },
	FILLS("vmstat", VMSTAT, parse_vmstat, 8192),
	FILLS("meminfo", MEMINFO, parse_meminfo, 4096),
	FILLS("diskstats", DISK, parse_diskstats, 8192),
	FILLS("net/dev", NET, parse_net_dev, 4096),
	FILLS("net/snmp", SNMP, parse_snmp, 4096),
	FILLS("net/snmp6", SNMP6, parse_snmp6, 8192),
	FILLS("net/sockstat", SOCKETS, parse_sockets, 512),
	FILLS("net/sockstat6", SOCKETS6, parse_sockets6, 512),
	FILLS("net/softnet_stat", SOFTNET, parse_softnet, 4096),
	FILLS("net/rpc/nfs", NFS, parse_rpc, 2048),
	FILLS("net/rpc/nfsd", NFSD, parse_rpc, 2048),
	FILLS("loadavg", LOAD, parse_loadavg, 128),
	FILLS("pressure/cpu", PSI_CPU, parse_pressure, 256),
	FILLS("pressure/io", PSI_IO, parse_pressure, 256),
	FILLS("pressure/memory", PSI_MEMORY, parse_pressure, 256),
	LINE("sys/fs/dentry-state", TABLES_DENTRIES, 2),
	LINE("sys/fs/file-nr", TABLES_FILES, 2),
	LINE("sys/fs/inode-state", TABLES_INODES, 2),
	LINE("sys/kernel/pty/nr", TABLES_PTYS, 1),
	FILLS("tty/driver/serial", TTY, parse_tty, 4096),
};

const size_t pipa_n_proc_files = PIPA_COUNT(pipa_proc_files);

void pipa_readings_init(struct pipa_readings *readings)
{
	static const size_t fields[PIPA_GROUP_NR] = {
		[PIPA_GROUP_CPU] = CPU_FIELDS,	       [PIPA_GROUP_SYSTEM] = SYSTEM_FIELDS,
		[PIPA_GROUP_VMSTAT] = VMSTAT_FIELDS,   [PIPA_GROUP_MEMINFO] = MEMINFO_FIELDS,
		[PIPA_GROUP_DISK] = DISK_FIELDS,       [PIPA_GROUP_NET] = NET_FIELDS,
		[PIPA_GROUP_SNMP] = SNMP_FIELDS,       [PIPA_GROUP_SNMP6] = SNMP6_FIELDS,
		[PIPA_GROUP_SOCKETS] = SOCKETS_FIELDS, [PIPA_GROUP_SOCKETS6] = SOCKETS6_FIELDS,
		[PIPA_GROUP_SOFTNET] = SOFTNET_FIELDS, [PIPA_GROUP_NFS] = NFS_FIELDS,
		[PIPA_GROUP_NFSD] = NFS_FIELDS,	       [PIPA_GROUP_LOAD] = LOAD_FIELDS,
		[PIPA_GROUP_PSI_CPU] = PSI_FIELDS,     [PIPA_GROUP_PSI_IO] = PSI_FIELDS,
		[PIPA_GROUP_PSI_MEMORY] = PSI_FIELDS,  [PIPA_GROUP_TABLES] = TABLES_FIELDS,
		[PIPA_GROUP_TTY] = TTY_FIELDS,
	};
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_init(&readings->group[i], fields[i]);
	readings->group[PIPA_GROUP_CPU].cpus = true;
	readings->group[PIPA_GROUP_CPU].grow = grow_cpu;
	readings->group[PIPA_GROUP_SOFTNET].cpus = true;
}

void pipa_readings_done(struct pipa_readings *readings)
{
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_done(&readings->group[i]);
}

void pipa_readings_begin(struct pipa_readings *readings)
{
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_begin(&readings->group[i]);
}

void pipa_proc_parse(const struct pipa_proc_file *file, const char *text, size_t len,
		     struct pipa_readings *readings)
{
	file->parse(file, text, len, readings);
}

void pipa_readings_end(struct pipa_readings *readings)
{
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_end(&readings->group[i]);
}
