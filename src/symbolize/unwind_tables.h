/* Unwind tables of a profile's objects for ingest, each opened when the first stack enters it. */
#ifndef PIPA_SYMBOLIZE_UNWIND_TABLES_H
#define PIPA_SYMBOLIZE_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "ingest/sample_unwind.h"

struct pipa_code_files;
struct pipa_jitdumps;
struct pipa_unwind_tables;

/* Create the tables of borrowed files, which must outlive them. NULL on allocation failure. */
struct pipa_unwind_tables *pipa_unwind_tables_new(struct pipa_code_files *files);
void pipa_unwind_tables_free(struct pipa_unwind_tables *tables);

/* Use borrowed jitdumps for JIT-compiled code; before pipa_unwind_tables_source(). */
void pipa_unwind_tables_use_jitdumps(struct pipa_unwind_tables *tables,
				     const struct pipa_jitdumps *jitdumps);

/* Has a stack entered the object? */
bool pipa_unwind_tables_used(const struct pipa_unwind_tables *tables, uint32_t object);

struct pipa_unwind_source pipa_unwind_tables_source(struct pipa_unwind_tables *tables);

/*
 * Get the table of an object, NULL if it has none. Called by the source when a stack enters the
 * object.
 */
const struct pipa_unwind_table *pipa_unwind_tables_get(struct pipa_unwind_tables *tables,
						       uint32_t object);

/* Return 0, or -ENOMEM if a table is missing because of an allocation failure. */
int pipa_unwind_tables_status(const struct pipa_unwind_tables *tables);

#endif
