/* State of a description and helpers: shared by the spec_*.c files only. */
#ifndef PIPA_COLLECT_SPEC_SPEC_OWN_H
#define PIPA_COLLECT_SPEC_SPEC_OWN_H

#include <stddef.h>

#include "base/auto.h"
#include "base/buf.h"
#include "collect/spec/spec.h"
#include "kernel/machine/root.h"
#include "model/facts.h"

struct spec {
	struct pipa_root *root;
	const struct pipa_spec_host *host;
	struct pipa_facts *facts;
};

/* Fill the map of a section. */
void pipa_spec_cpu(struct spec *spec, struct pipa_fact *section);
void pipa_spec_numa(struct spec *spec, struct pipa_fact *section);
void pipa_spec_governor(struct spec *spec, struct pipa_fact *section);
void pipa_spec_disks(struct spec *spec, struct pipa_fact *section);
void pipa_spec_schedulers(struct spec *spec, struct pipa_fact *section);
void pipa_spec_net(struct spec *spec, struct pipa_fact *section);
void pipa_spec_interrupts(struct spec *spec, struct pipa_fact *section);
void pipa_spec_ulimits(struct spec *spec, struct pipa_fact *section);
void pipa_spec_modules(struct spec *spec, struct pipa_fact *section);
void pipa_spec_pci(struct spec *spec, struct pipa_fact *section);
void pipa_spec_firmware(struct spec *spec, struct pipa_fact *section);

/* Add a string, "N/A" if it is missing. */
void pipa_spec_text(struct spec *spec, struct pipa_fact *in, const char *key, const char *text);

/* Set the reason why a section is empty. */
void pipa_spec_status(struct spec *spec, struct pipa_fact *section, const char *fmt, ...)
	PIPA_PRINTF(3, 4);

/* Append a whole file to a buffer, whose limit is 16 MiB unless set; 0 or a negative errno. */
int pipa_spec_read(struct spec *spec, enum pipa_tree tree, const char *path, struct pipa_buf *ret);

/* Read a small file without surrounding spaces, "" if it cannot be read; returns ret. */
const char *pipa_spec_line(struct spec *spec, enum pipa_tree tree, char *ret, size_t size,
			   const char *fmt, ...) PIPA_PRINTF(5, 6);

/*
 * Return the next line of a text as a string without its newline; NULL at the end. Changes the
 * text.
 */
char *pipa_spec_next_line(char **text);

/* Trim a string and collapse spaces; returns it. */
char *pipa_spec_narrow(char *text);

/* Names of a directory, "eth2" before "eth10". */
struct spec_names {
	char **items;
	size_t n, cap;
};

/* List the names with this prefix in a directory. */
void pipa_spec_list(struct spec *spec, enum pipa_tree tree, const char *path, const char *prefix,
		    struct spec_names *ret);
void pipa_spec_names_done(struct spec_names *names);

static inline void pipa_spec_names_done_auto(struct spec_names *names)
{
	pipa_spec_names_done(names);
}

#endif
