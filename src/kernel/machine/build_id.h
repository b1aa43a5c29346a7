/* Read the build id from a file's ELF notes. */
#ifndef PIPA_KERNEL_MACHINE_BUILD_ID_H
#define PIPA_KERNEL_MACHINE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_BUILD_ID_BYTES = 20 };

/* Find it in ELF notes of host byte order: returns its length, or -ENOENT. */
int pipa_build_id_of_notes(const uint8_t *notes, size_t len, uint8_t ret[PIPA_BUILD_ID_BYTES]);

/* Read it from an open ELF file; only headers and notes are read. -ENOEXEC if it is not ELF. */
int pipa_build_id_of_file(int fd, uint8_t ret[PIPA_BUILD_ID_BYTES]);

#endif
