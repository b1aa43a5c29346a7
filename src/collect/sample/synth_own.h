/* Shared by synth.c (processes) and synth_kernel.c (kernel) only. */
#ifndef PIPA_COLLECT_SAMPLE_SYNTH_OWN_H
#define PIPA_COLLECT_SAMPLE_SYNTH_OWN_H

#include "base/buf.h"
#include "base/index.h"
#include "collect/sample/synth.h"
#include "kernel/text/maps_text.h"
#include "model/record.h"

struct pipa_synth {
	struct pipa_synth_options o;
	struct pipa_rec_id id;
	struct pipa_buf out, text;
	struct pipa_index tids; /* threads that already have records */
	struct pipa_map_line line;
};

/* Pass the pending records to put() if they have at least `least` bytes. */
int pipa_synth_flush(struct pipa_synth *synth, size_t least);

/* Append at most `most` bytes of a file to the text. */
int pipa_synth_read(int fd, struct pipa_buf *text, size_t most);

/* Read a file of /proc into synth->text. */
int pipa_synth_load(struct pipa_synth *synth, const char *path);

#endif
