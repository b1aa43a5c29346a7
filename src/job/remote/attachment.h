/* Send a recording to a pipad server, in messages of bounded size. */
#ifndef PIPA_JOB_REMOTE_ATTACHMENT_H
#define PIPA_JOB_REMOTE_ATTACHMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "codec/sha256.h"

struct pipa_error;
struct pipa_remote;

/* An open file to be sent: a bundle that was made for it, or the file itself. */
struct pipa_attachment {
	int fd;
	char name[256]; /* without a directory */
	uint64_t size;
	char id[PIPA_SHA256_CHARS + 1];
};

/* Bundle a perf.data file, or open any other, and compute its SHA-256. pipa_attachment_close() closes it. */
int pipa_attachment_open(const char *path, const struct pipa_log *log, struct pipa_attachment *ret,
			 struct pipa_error *err);
void pipa_attachment_close(struct pipa_attachment *file);

static inline void pipa_attachment_close_auto(struct pipa_attachment *file)
{
	pipa_attachment_close(file);
}

/* Attach it to the row with that hash. *ret_existed: it was attached before. */
int pipa_attachment_send(struct pipa_remote *server, const char *table, const char *hash,
			 struct pipa_attachment *file, const struct pipa_log *log,
			 bool *ret_existed, struct pipa_error *err);

#endif
