/* Rows of option tables that several commands have. */
#ifndef PIPA_CLI_OPT_ROWS_H
#define PIPA_CLI_OPT_ROWS_H

#include "cli/recording_arg.h"
#include "option/opt_rows.h"

/* Formats of FILE, in the help of all commands that read profiles. */
#define INPUT_FORMATS_TEXT                                                                             \
	"FILE is a perf.data file, a bundle, a pprof profile, OTLP profiles, output of perf script,\n" \
	"folded stacks, a speedscope file or a .cpuprofile (default: perf.data); - is standard\n"      \
	"input. See pipa help formats.\n"
/* Show the page that is written. */
#define OPEN_ROW(to)                                                                               \
	FLAG(0, "open", to, "write the flame graph and open it in the browser ($BROWSER, xdg-open)")
/* The recording, as an option; `to` is a path. */
#define INPUT_ROW(to)                                                                              \
	TEXT('i', "input", "FILE", to,                                                             \
	     "recording to read (default: perf.data); - is standard input")
/* --time; `to` is a pipa_ingest_options. Needs cli/time_range.h. */
#define TIME_RANGE_ROW(to)                                                                         \
	{                                                                                          \
		.kind = PIPA_OPT_FIELD, .name = "time", .arg = "START,STOP", AT(to),               \
		.set = pipa_cli_set_time_range,                                                    \
		.help = "only samples from START to STOP (seconds, the times of pipa script)"      \
	}
/* Selection of frames and samples as in pprof; `to` is a pipa_filter_options. */
#define FRAME_FILTER_ROWS(to)                                                                      \
	TEXT(0, "focus", "RE", to.focus, "only stacks with a frame that matches regex RE"),        \
		TEXT(0, "ignore", "RE", to.ignore,                                                 \
		     "omit stacks with a frame that matches regex RE"),                            \
		TEXT(0, "hide", "RE", to.hide, "remove frames that match regex RE from stacks"),   \
		TEXT(0, "show", "RE", to.show, "keep only frames that match regex RE"),            \
		TEXT(0, "show-from", "RE", to.show_from,                                           \
		     "remove the callers of the outermost frame that matches regex RE")
/* The value column; `to` is a pipa_selection. */
#define VALUE_ROW(to)                                                                              \
	TEXT(0, "value", "NAME", to.value,                                                         \
	     "use event or value column NAME (default: that of the file); ? lists all")
/* Sources of symbols; `to` is a pipa_symbolize_options. */
#define VMLINUX_ROW(to)                                                                            \
	TEXT('k', "vmlinux", "FILE", to.vmlinux, "vmlinux file with kernel symbols and debug info")
#define KALLSYMS_ROW(to)                                                                           \
	TEXT(0, "kallsyms", "FILE", to.kallsyms, "kallsyms file to use instead of /proc/kallsyms")
#define KERNEL_ROWS(to) VMLINUX_ROW(to), KALLSYMS_ROW(to)
#define SYMFS_ROW(to)                                                                              \
	TEXT(0, "symfs", "DIR", to.symfs, "look for binaries and debug files below DIR")
/* The section of symbols; `to` is a pipa_symbolize_options. */
#define SYMBOL_ROWS(to) TITLE("Symbols"), KERNEL_ROWS(to), SYMFS_ROW(to)
#define MANGLED_ROW(to) FLAG(0, "no-demangle", to.mangled, "print raw, mangled symbol names")
/* Do inlined functions have frames of their own? `to` and `no` are flags. */
#define INLINE_ROW(to)                                                                             \
	FLAG(0, "inline", to, "show inlined functions as frames (default if unwound with DWARF)")
#define NO_INLINE_ROW(to) FLAG(0, "no-inline", to, "do not show inlined functions as frames")

#endif
