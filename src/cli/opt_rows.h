/*
 * The rows of an option table, written short: letter (0 without), name, what the help calls its value,
 * where it goes in the command's own `struct args`, what the help says of it.
 */
#ifndef PIPA_CLI_OPT_ROWS_H
#define PIPA_CLI_OPT_ROWS_H

#include <stddef.h>

#include "cli/opt.h"

#define AT(field) .offset = offsetof(struct args, field)
#define TITLE(text)                                                                                \
	{                                                                                          \
		.kind = PIPA_OPT_TITLE, .help = text                                               \
	}
#define FLAG(c, text, to, about)                                                                   \
	{                                                                                          \
		.kind = PIPA_OPT_FLAG, .letter = c, .name = text, AT(to), .help = about            \
	}
#define TEXT(c, text, what, to, about)                                                             \
	{                                                                                          \
		.kind = PIPA_OPT_TEXT, .letter = c, .name = text, .arg = what, AT(to),             \
		.help = about                                                                      \
	}
/* 0 is refused but for a delay */
#define TIME(c, text, what, unit, to, about)                                                       \
	{                                                                                          \
		.kind = PIPA_OPT_DURATION, .letter = c, .name = text, .arg = what,                 \
		.bare_ns = unit, .above_zero = c != 'D', AT(to), .help = about                     \
	}
#define CALL(c, text, what, fn, about)                                                             \
	{                                                                                          \
		.kind = PIPA_OPT_CALL, .letter = c, .name = text, .arg = what, .set = fn,          \
		.help = about                                                                      \
	}
/* --time; `to` is a pipa_ingest_options. With cli/time_range.h. */
#define STRETCH_ROW(to)                                                                            \
	{                                                                                          \
		.kind = PIPA_OPT_FIELD, .name = "time", .arg = "A,B", AT(to),                      \
		.set = pipa_cli_set_time_range,                                                    \
		.help = "samples between these seconds of the recording's clock"                   \
	}
/* Where the names of a recording come from; `to` is a pipa_symbolize_options. */
#define VMLINUX_ROW(to) TEXT('k', "vmlinux", "FILE", to.vmlinux, "the kernel's image")
#define KERNEL_ROWS(to)                                                                            \
	VMLINUX_ROW(to), TEXT(0, "kallsyms", "FILE", to.kallsyms, "the kernel's list of symbols")
#define SYMFS_ROW(to) TEXT(0, "symfs", "DIR", to.locate.symfs, "look for files below DIR")
#define MANGLED_ROW(to) FLAG(0, "no-demangle", to.mangled, "leave names as they are in the files")

#endif
