/*
 * What the files of a profile's objects say about unwinding, each looked for when the first stack leads
 * into it and kept open from then on: ingest/'s source of it.
 */
#ifndef PIPA_SYMBOLIZE_UNWIND_TABLES_H
#define PIPA_SYMBOLIZE_UNWIND_TABLES_H

#include <pthread.h>

#include "ingest/sample_unwind.h"
#include "locate/files.h"
#include "model/profile.h"
#include "model/recording.h"

struct pipa_unwind_tables;

/*
 * Profile and recording are loans; of the recording its machine and its files' build ids are asked
 * for. NULL without memory.
 */
struct pipa_unwind_tables *pipa_unwind_tables_new(const struct pipa_locate_options *locate,
						  const struct pipa_profile *profile,
						  const struct pipa_recording *recording);
void pipa_unwind_tables_free(struct pipa_unwind_tables *tables);

/* The recording is there from now on. */
void pipa_unwind_tables_moved(struct pipa_unwind_tables *tables,
			      const struct pipa_recording *recording);

/* Held while a file is looked for, by those who do that in several threads; NULL: by none. */
void pipa_unwind_tables_lock(struct pipa_unwind_tables *tables, pthread_mutex_t *lock);

/* Did a stack lead into the object? */
bool pipa_unwind_tables_used(const struct pipa_unwind_tables *tables, uint32_t object);

struct pipa_unwind_source pipa_unwind_tables_source(struct pipa_unwind_tables *tables);

/* The same as the source asks; for those who want the file opened early. */
const struct pipa_unwind_table *pipa_unwind_tables_get(struct pipa_unwind_tables *tables,
						       uint32_t object);

/* Return 0, or -ENOMEM when a table is missing for lack of memory. */
int pipa_unwind_tables_status(const struct pipa_unwind_tables *tables);

#endif
