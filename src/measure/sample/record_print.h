/* Print samples as lines of text while they come. */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_PRINT_H
#define PIPA_MEASURE_SAMPLE_RECORD_PRINT_H

#include "perf/attr.h"
#include "perf/decode.h"

struct pipa_record_print;

/* The events are borrowed. */
int pipa_record_print_new(const struct pipa_perf_events *events, struct pipa_record_print **ret);
void pipa_record_print_free(struct pipa_record_print *print);

/* A record to be shown if it is a sample or tells of lost ones. 0 or -ENOMEM. */
int pipa_record_print_add(struct pipa_record_print *print, const struct pipa_perf_raw *raw);

/* Write what there is to fd; 0 or a negative errno. */
int pipa_record_print_flush(struct pipa_record_print *print, int fd);

#endif
