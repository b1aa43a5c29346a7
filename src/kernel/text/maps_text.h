/* Parse /proc/PID/maps, /proc/modules and /proc/kallsyms line by line. Pure. */
#ifndef PIPA_KERNEL_TEXT_MAPS_TEXT_H
#define PIPA_KERNEL_TEXT_MAPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIPA_MAP_PATH = 4097 };

struct pipa_map_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool readable, writable, executable, shared;
	char path[PIPA_MAP_PATH]; /* "" for memory of no file; newlines as they are in the name */
};

/*
 * Each takes a line off the front of *text, moving it on; false at the end. Lines that are
 * malformed are skipped.
 */
bool pipa_map_line_next(const char **text, struct pipa_map_line *ret);

struct pipa_module_line {
	char name[64];
	uint64_t start, size; /* start 0: withheld from this user */
};

bool pipa_module_line_next(const char **text, struct pipa_module_line *ret);

/*
 * Find the address of a function in a part of kallsyms; false if it is not there, or its address is
 * withheld (zero). An incomplete last line is ignored.
 */
bool pipa_kallsyms_find(const char *text, const char *name, uint64_t *ret);

/* How long the kernel's code is, from /proc/iomem; 0 when it does not say. */
uint64_t pipa_iomem_code_size(const char *text);

#endif
