/* Read the memory of another process. */
#ifndef PIPA_KERNEL_PROCESS_PROCESS_MEMORY_H
#define PIPA_KERNEL_PROCESS_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copy up to `size` bytes at an address of a process (process_vm_readv(2)); returns how many were there.
 * 0 also where it is not permitted.
 */
size_t pipa_process_read(uint32_t pid, uint64_t addr, void *to, size_t size);

#endif
