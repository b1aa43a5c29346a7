/*
 * Mappings of files for reading that survive a file becoming shorter.
 *
 * A page of a mapping that is no longer within its file, or cannot be read from its disk, raises SIGBUS. With
 * the handler of pipa_file_map_guard() installed such a page reads as zeros instead, and the file is remembered
 * as truncated. SIGBUS for any other reason has the action that it had before. All functions may be called from
 * several threads.
 */
#ifndef PIPA_BASE_FILE_FILE_MAP_H
#define PIPA_BASE_FILE_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Install the handler of SIGBUS, once per process. Without it a truncated file ends the process. */
void pipa_file_map_guard(void);

/*
 * Map size bytes of a file from offset, which need not be a multiple of the page size. flags: MAP_PRIVATE or
 * MAP_SHARED. Returns NULL on failure, and errno says why; pipa_file_unmap() ends the mapping.
 */
const uint8_t *pipa_file_map(int fd, uint64_t offset, size_t size, int flags);

/* Unmap what pipa_file_map() returned, or anonymous memory that mmap() returned. NULL does nothing. */
void pipa_file_unmap(const uint8_t *data, size_t size);

/* Call fn for each file that was truncated while it was mapped, once per path. Returns how many there are. */
size_t pipa_file_map_truncated(void (*fn)(void *ctx, const char *path), void *ctx);

#endif
