/*
 * Parse and change MMAP2 records before they are written. A build id replaces device and inode
 * (struct perf_record_mmap2 of perf, since 5.12), marked by PERF_RECORD_MISC_MMAP_BUILD_ID.
 */
#ifndef PIPA_PERF_MAP_RECORD_H
#define PIPA_PERF_MAP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"

/*
 * Parse a complete record in host byte order, header included. `has_id`: the flag is valid, because
 * the event requested build ids. False if the record is malformed or not an MMAP2 record. The path
 * is borrowed.
 */
bool pipa_perf_map_record_read(const uint8_t *record, size_t len, bool has_id,
			       struct pipa_rec_map *ret);

/* Replace device and inode by a build id. If the id is empty (len 0), only clear the flag. */
void pipa_perf_map_record_set_id(uint8_t *record, const struct pipa_build_id *id);

#endif
