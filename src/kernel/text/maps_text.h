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
	char path[PIPA_MAP_PATH]; /* "" for anonymous memory; newlines are unescaped */
};

/*
 * Parse the next line and advance *text; false at the end. Malformed lines are skipped. The same
 * holds for pipa_module_line_next().
 */
bool pipa_map_line_next(const char **text, struct pipa_map_line *ret);

struct pipa_module_line {
	char name[64];
	uint64_t start, size; /* start 0: hidden from this user (kptr_restrict) */
};

bool pipa_module_line_next(const char **text, struct pipa_module_line *ret);

/*
 * Find the address of a function in a part of kallsyms; false if the function is not found or its
 * address is hidden (zero). An incomplete last line is ignored.
 */
bool pipa_kallsyms_find(const char *text, const char *name, uint64_t *ret);

/* Return the size of the kernel code from the text of /proc/iomem; 0: unknown. */
uint64_t pipa_iomem_code_size(const char *text);

#endif
