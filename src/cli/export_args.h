/* Options that export, merge and filter share: selection, symbols, format and name of the output. */
#ifndef PIPA_CLI_EXPORT_ARGS_H
#define PIPA_CLI_EXPORT_ARGS_H

struct pipa_error;
struct pipa_export_options;

/* Set the format of a pipa_export_options by its name: "pprof". For EXPORT_ROWS(). */
int pipa_cli_set_export_format(void *field, const char *text, struct pipa_error *err);

/*
 * Choose the format by the name of the output unless one was given, check the selection, and refuse
 * to write binary data to a terminal. 0 or -EINVAL.
 */
int pipa_cli_finish_export(struct pipa_export_options *options, struct pipa_error *err);

/* Selection of samples and frames; `to` is a pipa_export_options. */
#define EXPORT_FILTER_ROWS(to)                                                                     \
	VALUE_ROW(to.selection), TIME_RANGE_ROW(to.ingest), FRAME_FILTER_ROWS(to.selection.filter)
/* Symbols of the frames; `to` is a pipa_export_options. */
#define EXPORT_SYMBOL_ROWS(to) SYMBOL_ROWS(to.symbols), NO_INLINE_ROW(to.not_inlined)
/* Output of a profile; `to` is a pipa_export_options. */
#define EXPORT_ROWS(to)                                                                            \
	{ .kind = PIPA_OPT_FIELD,                                                                  \
	  .letter = 'f',                                                                           \
	  .name = "format",                                                                        \
	  .arg = "FORM",                                                                           \
	  AT(to),                                                                                  \
	  .set = pipa_cli_set_export_format,                                                       \
	  .help = "pprof, otlp, otlp-json, folded, json, speedscope, cpuprofile, callgrind, "      \
		  "graph-json, flame-csv, firefox or chrome-trace (default: from the suffix "      \
		  "of FILE, else pprof)" },                                                        \
		EXPORT_OUTPUT_ROWS(to)
#define EXPORT_OUTPUT_ROWS(to)                                                                     \
	TEXT('o', "output", "FILE", to.output, "write to FILE (default: standard output)"),        \
		FLAG(0, "no-threads", to.no_threads,                                               \
		     "pprof, otlp: add up samples of all threads, without labels"),                \
		FLAG(0, "no-compress", to.uncompressed, "pprof: do not compress with gzip")

#endif
