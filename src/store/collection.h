/*
 * Names and description of a collection: attach_session/collection_id.txt and pipa-collection-
 * info.txt of its archive.
 */
#ifndef PIPA_STORE_COLLECTION_H
#define PIPA_STORE_COLLECTION_H

#include <stdint.h>

struct pipa_buf;
struct pipa_root;

/* The directory of the measured files in a collection, and in its archive. */
#define PIPA_SESSION_DIR "attach_session"

enum { PIPA_COLLECTION_ID = 8, PIPA_COLLECTION_MACHINE = 256 };

struct pipa_collection {
	char id[PIPA_COLLECTION_ID + 1];
	char machine
		[PIPA_COLLECTION_MACHINE]; /* /etc/machine-id, else /etc/hostid, else the host name */
	uint64_t epoch_s;
};

/* Initialize a collection that starts at that time. Equal machine and second give the same id. */
void pipa_collection_init(struct pipa_collection *collection, struct pipa_root *root,
			  uint64_t wall_ns);

/* Append its description, lines "key: value" with newlines in values replaced. */
void pipa_collection_info(const struct pipa_collection *collection, const char *program,
			  const char *version, const char *archive, struct pipa_buf *out);

#endif
