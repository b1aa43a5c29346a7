/* Generate shell completions from the tables of commands and options. */
#ifndef PIPA_CLI_COMPLETION_H
#define PIPA_CLI_COMPLETION_H

#include <stddef.h>

struct pipa_buf;
struct pipa_cmd;
struct pipa_error;

/* Append the completion script of a shell: bash, zsh or fish. -EINVAL for another one. */
int pipa_completion_write(const char *shell, const struct pipa_cmd *const *cmds, size_t n,
			  const char *const *topics, size_t n_topics, struct pipa_buf *out,
			  struct pipa_error *err);

#endif
