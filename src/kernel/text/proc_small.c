/* Small files of /proc, and those of NFS. */
#include "kernel/text/proc_parsers.h"

#include "base/auto.h"
#include "kernel/text/scan.h"

/* "0.53 0.73 0.55 2/105 31500" */
PIPA_PARSER(loadavg)
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
PIPA_PARSER(pressure)
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
PIPA_PARSER(numbers)
{
	uint64_t *fields = pipa_raw_put(main_group(r, file), "", 0);
	struct scan s = { text, text + len };

	if (fields)
		take_numbers(&s, fields + file->offset, file->count);
}

/* ---- NFS --------------------------------------------------------------------------------------- */

/* Added up in 32 bits, as wide as the kernel counts: then a sum wraps as its parts do. */
static void take_at(struct scan line, const unsigned char *at, const unsigned char *to, size_t n,
		    uint64_t *fields)
{
	uint64_t value;
	unsigned int i;
	size_t k;

	for (i = 0; i < 64 && (value = next_number(&line)) != PIPA_RAW_MISSING; i++)
		for (k = 0; k < n; k++)
			if (at[k] == i)
				fields[to[k]] = (uint32_t)((fields[to[k]] == PIPA_RAW_MISSING ?
								    0 :
								    fields[to[k]]) +
							   value);
}

/*
 * /proc/net/rpc/nfs and nfsd. proc3: 22 calls counted from the second number: getattr 1, access 4,
 * read 6, write 7. Version 4 numbers its operations otherwise on either side; a server counts them
 * in proc4ops.
 */
PIPA_PARSER(rpc)
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
