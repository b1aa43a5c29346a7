/* The configuration in the environment (PIPA_HEAP_ENV, see abi.h), parsed. Pure. */
#ifndef PIPA_PRELOAD_CONFIG_H
#define PIPA_PRELOAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"

struct pipa_heap_config {
	uint64_t rate, min_size, stacks, blocks;
	uint32_t depth;
	bool frees, mmap, on, follow;
	uint64_t hold; /* PID, 0: none */
	char dir[PIPA_HEAP_PATH];
};

/* Parse the value of the variable. False without a directory, or if a key or number is invalid. */
bool pipa_heap_config_parse(const char *text, struct pipa_heap_config *ret);

#endif
