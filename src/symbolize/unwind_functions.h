/*
 * Functions of code without CFI, for the unwinder: start and end of the function at an address,
 * and its stack depth if a table has it (Go's pcsp).
 */
#ifndef PIPA_SYMBOLIZE_UNWIND_FUNCTIONS_H
#define PIPA_SYMBOLIZE_UNWIND_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_image;
struct pipa_locate_options;
struct pipa_unwind_function;
struct pipa_unwind_functions;

/*
 * Create the functions of a file; its symbols (NULL: none) and bytes are borrowed. NULL on
 * allocation failure.
 */
struct pipa_unwind_functions *pipa_unwind_functions_of_file(const struct pipa_image *image,
							    struct pipa_span main);

/*
 * Create the functions of a process; `live`: it may be running. The options are borrowed. NULL on
 * allocation failure.
 */
struct pipa_unwind_functions *pipa_unwind_functions_of_process(
	const struct pipa_locate_options *locate, uint32_t pid, bool live);

void pipa_unwind_functions_free(struct pipa_unwind_functions *functions);

/*
 * Find the function at an address: the link-time address for a file, the mapped one for a process.
 * 1, 0 if it is unknown, or -ENOMEM.
 */
int pipa_unwind_functions_find(struct pipa_unwind_functions *functions, uint64_t addr,
			       struct pipa_unwind_function *ret);

#endif
