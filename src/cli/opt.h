/*
 * Options as a table: one row gives the parser, the help text and the completion. Values land in a
 * struct of the command's own, at the row's offset.
 */
#ifndef PIPA_CLI_OPT_H
#define PIPA_CLI_OPT_H

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
	PIPA_OPT_CALL,	   /* .set decides; without .arg it gets .given */
	PIPA_OPT_FIELD,	   /* the same for what is at .offset, which is all that .set gets */
};

struct pipa_opt {
	enum pipa_opt_kind kind;
	char letter;	  /* 0 without */
	const char *name; /* without the dashes */
	const char *arg;  /* what the help calls its value; NULL: takes none */
	const char *help;
	size_t offset;
	uint64_t bare_ns;
	bool above_zero; /* a number or duration of 0 is refused */
	bool optional; /* its value may be left out, and is attached where it is not: -z3, --name=3 */
	int (*set)(void *values, const char *text, struct pipa_error *err);
	const char *given;
};

/*
 * Take options off the front of argv[1..]; returns the index of the first argument that is none
 * ("--" skipped), or a negative errno. --help and -h give -ECANCELED: print the help and be done.
 */
int pipa_opt_parse(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		   struct pipa_error *err);

/*
 * The same with options before, between and behind words, of which at most `most` are taken. Returns how
 * many there are, or a negative errno.
 */
int pipa_opt_words(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		   const char **words, int most, struct pipa_error *err);

/* With one word, the path of a recording, which an option may give as well; perf.data without. */
int pipa_opt_recording(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		       const char **path, struct pipa_error *err);

struct pipa_buf;

/* The rows as help text. */
void pipa_opt_help(const struct pipa_opt *opts, size_t n, struct pipa_buf *out);

#endif
