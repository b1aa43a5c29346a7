/*
 * Read sysstat's CSV of a member. A large table is divided at the start of an interval and read on several threads,
 * each into a set of its own; the sets are joined in file order. The series are those of reading it in one piece:
 * if the parts do not follow each other (several tables, a clock that was set back), it is read again in one piece.
 */
#ifndef PIPA_LOAD_SADF_PARTS_H
#define PIPA_LOAD_SADF_PARTS_H

#include <stddef.h>

struct pipa_archive;
struct pipa_archive_member;
struct pipa_sadf_result;
struct pipa_series_set;
struct pipa_zone;

struct pipa_sadf_input {
	const struct pipa_archive *archive;
	const struct pipa_archive_member *member; /* NULL: the file of the archive */
	const struct pipa_zone *zone;
	size_t min_part; /* bytes of the smallest part; 0: 8 MiB */
};

/*
 * Add the rows to a source of the set. 0, -ENOMEM, -EFBIG beyond the set's limit of memory, or the errno of a
 * read; the rows before a failure are kept.
 */
int pipa_sadf_read(const struct pipa_sadf_input *input, struct pipa_series_set *set, size_t source,
		   struct pipa_sadf_result *result);

#endif
