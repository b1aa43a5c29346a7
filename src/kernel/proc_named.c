/* Files of /proc that name their numbers. */
#include "kernel/proc_parsers.h"

#include <string.h>

#include "base/auto.h"
#include "kernel/scan.h"

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

PIPA_PARSER(vmstat)
{
	parse_keyed(vmstat_keys, PIPA_COUNT(vmstat_keys), text, len, main_group(r, file),
		    take_zone);
}

PIPA_PARSER(meminfo)
{
	parse_keyed(meminfo_keys, PIPA_COUNT(meminfo_keys), text, len, main_group(r, file), NULL);
}

PIPA_PARSER(snmp6)
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

/* /proc/net/snmp: a line of names, then a line of numbers, both behind "Part:" */
PIPA_PARSER(snmp)
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

PIPA_PARSER(sockets)
{
	parse_pairs(sockets_keys, PIPA_COUNT(sockets_keys), text, len, main_group(r, file));
}

PIPA_PARSER(sockets6)
{
	parse_pairs(sockets6_keys, PIPA_COUNT(sockets6_keys), text, len, main_group(r, file));
}
