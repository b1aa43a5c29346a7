/* Print samples as lines of text while they come. */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_PRINT_H
#define PIPA_MEASURE_SAMPLE_RECORD_PRINT_H

#include "perf/attr.h"
#include "perf/decode.h"

struct pipa_record_print;

/* Create a printer; the events are borrowed. 0 or -ENOMEM. */
int pipa_record_print_new(const struct pipa_perf_events *events, struct pipa_record_print **ret);
void pipa_record_print_free(struct pipa_record_print *print);

/* Print a record if it is a sample or a loss. 0 or -ENOMEM. */
int pipa_record_print_add(struct pipa_record_print *print, const struct pipa_perf_raw *raw);

/* Write the buffered lines to fd; 0 or a negative errno. */
int pipa_record_print_flush(struct pipa_record_print *print, int fd);

#endif
