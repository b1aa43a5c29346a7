/* Help topics that are not commands: events, metrics and file formats. */
#ifndef PIPA_JOB_QUERY_HELP_TOPIC_H
#define PIPA_JOB_QUERY_HELP_TOPIC_H

#include <stddef.h>

struct pipa_buf;

extern const char *const pipa_help_topics[]; /* names */
extern const size_t pipa_n_help_topics;

/*
 * Append the text of a topic. `part` is a section of the topic metrics, "cpu", or NULL. -ENOENT if
 * there is no such topic or part.
 */
int pipa_help_topic_write(const char *topic, const char *part, struct pipa_buf *out);

#endif
