/* Read the build id from a file's ELF notes. */
#ifndef PIPA_KERNEL_MACHINE_BUILD_ID_H
#define PIPA_KERNEL_MACHINE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_BUILD_ID_BYTES = 20 };

/* In a run of ELF notes of our own byte order: its length, or -ENOENT when there is none. */
int pipa_build_id_of_notes(const uint8_t *notes, size_t len, uint8_t ret[PIPA_BUILD_ID_BYTES]);

/* Of an open ELF file; nothing but its headers and notes is read. -ENOEXEC when it is none. */
int pipa_build_id_of_file(int fd, uint8_t ret[PIPA_BUILD_ID_BYTES]);

#endif
