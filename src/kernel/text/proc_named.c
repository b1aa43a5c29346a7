/* Files of /proc that name their numbers. */
#include "kernel/text/proc_parsers.h"

#include <string.h>

#include "base/auto.h"
#include "kernel/text/scan.h"

/* A name with its length, so that most others are told apart without looking at them; `part` may be "". */
struct key {
	const char *part, *name;
	unsigned char part_len, len;
};

/* The keys of a file in its own order, and a bit for each that tells most other names apart. */
struct keys {
	const struct key *keys;
	size_t n;
	size_t next;	       /* the one after the last found: the likeliest */
	uint64_t bits, firsts; /* the latter of their first letters */
};

static uint64_t bit_of(const char *name, size_t len)
{
	return UINT64_C(1) << ((unsigned char)name[0] * 3 + (unsigned char)name[len - 1] +
			       len * 7) %
				      64;
}

static struct keys keys_of(const struct key *keys, size_t n)
{
	struct keys all = { .keys = keys, .n = n };
	size_t i;

	for (i = 0; i < n; i++) {
		all.bits |= bit_of(keys[i].name, keys[i].len);
		all.firsts |= UINT64_C(1) << keys[i].name[0] % 64;
	}
	return all;
}

static bool is_key(const struct key *key, const struct scan *part, const struct scan *name)
{
	return word_len(name) == key->len && word_len(part) == key->part_len &&
	       memcmp(name->pos, key->name, key->len) == 0 &&
	       memcmp(part->pos, key->part, key->part_len) == 0;
}

/* The field of a name, or as many as there are. */
static size_t find_key(struct keys *keys, const struct scan *part, const struct scan *name)
{
	size_t k, i = keys->next;

	if (!(keys->bits & bit_of(name->pos, word_len(name))))
		return keys->n;
	for (k = 0; k < keys->n; k++, i++) {
		if (i == keys->n)
			i = 0;
		if (is_key(&keys->keys[i], part, name)) {
			keys->next = i + 1;
			return i;
		}
	}
	return keys->n;
}

/* What to do with a key that is none of those listed. */
typedef void take_other(const struct scan *key, uint64_t value, uint64_t *fields);

/* "key[:] number" lines */
static void parse_keyed(struct keys keys, const char *text, size_t len, struct pipa_raw *raw,
			take_other *other)
{
	struct scan all = { text, text + len }, line, word, none = { text, text };
	uint64_t *fields = pipa_raw_put(raw, "", 0);
	size_t field;

	while (fields && next_line(&all, &line)) {
		skip_blanks(&line);
		if (line.pos == line.end ||
		    !(keys.firsts & UINT64_C(1) << (unsigned char)*line.pos % 64))
			continue;
		next_word(&line, &word);
		if (word.end[-1] == ':')
			word.end--;
		if (word.end == word.pos)
			continue;
		field = find_key(&keys, &none, &word);
		if (field < keys.n)
			fields[field] = next_number(&line);
		else if (other)
			other(&word, next_number(&line), fields);
	}
}

#define X(key) { "", #key, 0, sizeof(#key) - 1 },
static const struct key vmstat_keys[] = { PIPA_VMSTAT_KEYS(X) };
static const struct key meminfo_keys[] = { PIPA_MEMINFO_KEYS(X) };
static const struct key snmp6_keys[] = { PIPA_SNMP6_KEYS(X) };
#undef X
#define X(part, key) { #part, #key, sizeof(#part) - 1, sizeof(#key) - 1 },
static const struct key snmp_keys[] = { PIPA_SNMP_KEYS(X) };
static const struct key sockets_keys[] = { PIPA_SOCKETS_KEYS(X) };
static const struct key sockets6_keys[] = { PIPA_SOCKETS6_KEYS(X) };
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
	parse_keyed(keys_of(vmstat_keys, PIPA_COUNT(vmstat_keys)), text, len, main_group(r, file),
		    take_zone);
}

PIPA_PARSER(meminfo)
{
	parse_keyed(keys_of(meminfo_keys, PIPA_COUNT(meminfo_keys)), text, len, main_group(r, file),
		    NULL);
}

PIPA_PARSER(snmp6)
{
	parse_keyed(keys_of(snmp6_keys, PIPA_COUNT(snmp6_keys)), text, len, main_group(r, file),
		    NULL);
}

/* /proc/net/snmp: a line of names, then a line of numbers, both after "Part:" */
PIPA_PARSER(snmp)
{
	struct scan all = { text, text + len }, names, numbers, part, word;
	struct keys keys = keys_of(snmp_keys, PIPA_COUNT(snmp_keys));
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0);
	size_t field;

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
			field = find_key(&keys, &part, &word);
			if (field < keys.n)
				fields[field] = take_digits(&number, 10); /* "-1" is missing */
		}
	}
}

/* "TCP: inuse 1 orphan 0": names and numbers in turn */
static void parse_pairs(struct keys keys, const char *text, size_t len, struct pipa_raw *raw)
{
	struct scan all = { text, text + len }, line, part, key;
	uint64_t *fields = pipa_raw_put(raw, "", 0), value;
	size_t field;

	while (fields && next_line(&all, &line)) {
		if (!next_word(&line, &part))
			continue;
		strip_colon(&part);
		while (next_word(&line, &key)) {
			value = next_number(&line);
			field = find_key(&keys, &part, &key);
			if (field < keys.n)
				fields[field] = value;
		}
	}
}

PIPA_PARSER(sockets)
{
	parse_pairs(keys_of(sockets_keys, PIPA_COUNT(sockets_keys)), text, len,
		    main_group(r, file));
}

PIPA_PARSER(sockets6)
{
	parse_pairs(keys_of(sockets6_keys, PIPA_COUNT(sockets6_keys)), text, len,
		    main_group(r, file));
}
