/*
 * Option table: one row defines how an option is parsed and its help text. Values are stored in a
 * struct of the program or command, at the offset of the row.
 */
#ifndef PIPA_OPTION_OPT_H
#define PIPA_OPTION_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;

enum pipa_opt_kind {
	PIPA_OPT_TITLE,	   /* a heading in the help; only .help is used */
	PIPA_OPT_FLAG,	   /* bool */
	PIPA_OPT_COUNT,	   /* unsigned int, one more each time */
	PIPA_OPT_TEXT,	   /* const char *, into argv */
	PIPA_OPT_UINT,	   /* unsigned int */
	PIPA_OPT_U64,	   /* uint64_t */
	PIPA_OPT_DURATION, /* uint64_t nanoseconds; a bare number counts in .bare_ns */
	PIPA_OPT_CALL,	   /* .set parses the value; without .arg it gets .given */
	PIPA_OPT_LIST,	   /* .set_list gets .n_values arguments, which follow the option */
	PIPA_OPT_FIELD,	   /* like PIPA_OPT_CALL, but .set gets the field at .offset */
};

struct pipa_opt {
	enum pipa_opt_kind kind;
	char letter;	  /* short option, 0 if none */
	const char *name; /* without the dashes */
	const char *also; /* another long name, which the help does not list; NULL: none */
	const char *arg;  /* name of the value in the help text, NULL if the option takes none */
	const char *help;
	size_t offset;
	uint64_t bare_ns;
	bool above_zero; /* a number or duration of 0 is refused */
	bool optional;	 /* the value is optional and must be attached: -z3, --name=3 */
	/* of an optional value: is this argument one? It may then be the next argument; NULL: never */
	bool (*takes)(const char *text);
	int (*set)(void *values, const char *text, struct pipa_error *err);
	int n_values;
	int (*set_list)(void *values, char *const *texts, struct pipa_error *err);
	const char *given;
};

/*
 * Parse the options at the start of argv[1..]. Long names may be written with underscores, as those of the
 * Python tool PIPA. Returns the index of the first other argument ("--"
 * is skipped), -ECANCELED for --help and -h, or another negative errno.
 */
int pipa_opt_parse(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		   struct pipa_error *err);

/*
 * Parse options before, between and after at most `most` words. Returns the number of words, or a
 * negative errno as pipa_opt_parse().
 */
int pipa_opt_words(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		   const char **words, int most, struct pipa_error *err);

struct pipa_buf;

/* Append the help text of the rows. */
void pipa_opt_help(const struct pipa_opt *opts, size_t n, struct pipa_buf *out);

#endif
