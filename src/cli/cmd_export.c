/* Options and help of `pipa export`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/export_args.h"
#include "cli/opt_rows.h"
#include "cli/otlp_args.h"
#include "cli/time_range.h"
#include "job/exchange/export.h"
#include "job/exchange/frame.h"
#include "job/view/script_filter.h"
#include "kernel/event/host.h"
#include "store/output_check.h"

struct args {
	struct pipa_export_options job;
	struct pipa_otlp_args otlp;
	struct pipa_script_filter rows; /* of the table of samples */
	bool has_table, has_kind;
	enum pipa_frame_kind table;
	enum pipa_frame_format table_format; /* PIPA_FRAME_FORMAT_NR: not a format of tables */
};

static int set_table(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->has_table = args->has_kind = true;
	args->table = pipa_frame_kind_find(text);
	if (args->table != PIPA_FRAME_KIND_NR)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "--frame: invalid table '%s', expected samples, records, stacks, "
			   "locations, functions or series",
			   text);
}

static int set_pids(void *values, const char *text, struct pipa_error *err)
{
	return pipa_script_ids_parse(text, &((struct args *)values)->rows.pids, err);
}

static int set_tids(void *values, const char *text, struct pipa_error *err)
{
	return pipa_script_ids_parse(text, &((struct args *)values)->rows.tids, err);
}

static int set_cpus(void *values, const char *text, struct pipa_error *err)
{
	struct pipa_cpus *cpus = &((struct args *)values)->rows.cpus, parsed = { 0 };
	int rc = pipa_cpus_parse(text, &parsed, err);

	if (rc < 0)
		return rc;
	if (!parsed.n)
		return pipa_refuse(err, -EINVAL, "--cpu: empty list");
	pipa_cpus_done(cpus);
	*cpus = parsed;
	return 0;
}

static bool has_row_filter(const struct pipa_script_filter *rows)
{
	return rows->comms || rows->pids.n || rows->tids.n || rows->cpus.n;
}

static int set_format(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	char names[PIPA_EXPORT_NAMES_MAX];

	args->job.has_format = true;
	args->job.format = pipa_export_format_find(text);
	args->table_format = pipa_frame_format_find(text);
	if (args->job.format == PIPA_EXPORT_FORMAT_NR && args->table_format == PIPA_FRAME_FORMAT_NR)
		return pipa_refuse(
			err, -EINVAL,
			"--format: invalid format '%s', expected %s, or parquet, csv or sqlite",
			text, pipa_export_format_names(names, sizeof(names)));
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Filters"),
	TEXT('e', "event", "NAME", job.event,
	     "write only event NAME: folded, flame-csv, viewers with times, samples (default: all, or "
	     "the first where a file has only one)"),
	EXPORT_FILTER_ROWS(job),
	TEXT(0, "comms", "NAMES", rows.comms,
	     "table of samples: only these commands (comma-separated)"),
	CALL(0, "pid", "IDS", set_pids, "table of samples: only these processes (comma-separated)"),
	CALL(0, "tid", "IDS", set_tids, "table of samples: only these threads (comma-separated)"),
	CALL('C', "cpu", "LIST", set_cpus, "table of samples: only these CPUs: 0-3,7"),

	EXPORT_SYMBOL_ROWS(job),

	TITLE("Output"),
	CALL('f', "format", "FORM", set_format,
	     "pprof, otlp, otlp-json, folded, json, speedscope, cpuprofile, callgrind, "
	     "graph-json, flame-csv, firefox, chrome-trace, or tables as parquet, csv or sqlite "
	     "(default: from the suffix of FILE, else pprof)"),
	CALL(0, "frame", "TABLE", set_table,
	     "write a table: samples, records, stacks, locations, functions or series (default: "
	     "samples, for statistics series, for sqlite all)"),
	EXPORT_OUTPUT_ROWS(job),
	FLAG(0, "evented", job.evented,
	     "speedscope: write frames with their times instead of samples with weights"),
	OTLP_LAYOUT_ROW(otlp),
	OTLP_TIMESTAMPS_ROW(otlp),

	TITLE("Sending"),
	OTLP_URL_ROW(otlp, "send OTLP profiles to a receiver (default: http://localhost:4317)"),
	OTLP_ROWS(otlp, "10s"),
	OTLP_RETRY_ROW(otlp, "30s"),
};

/* Check the options of --otlp and connect them to the job. */
static int check_sending(struct args *args, struct pipa_error *err)
{
	struct pipa_otlp_endpoint endpoint;
	int rc = pipa_cli_check_otlp(&args->otlp, err);

	if (rc < 0 || !args->otlp.on)
		return rc;
	if (args->job.output || args->has_table ||
	    (args->job.has_format && args->job.format != PIPA_EXPORT_OTLP))
		return pipa_refuse(err, -EINVAL, "--otlp cannot be combined with %s",
				   args->job.output ? "-o" : "another format");
	rc = pipa_filter_check(&args->job.selection.filter, err);
	if (rc < 0)
		return rc;
	args->job.otlp = &args->otlp.options;
	args->job.otlp_retry_ns = args->otlp.retry_ns;
	args->job.owns_process = pipa_cli_host.owns_process;
	args->job.version = pipa_cli_version + strlen("pipa ");
	/* before the file is read: invalid options are an error of usage */
	rc = pipa_otlp_endpoint_init(&args->otlp.options, NULL, &endpoint, err);
	if (!rc)
		pipa_otlp_endpoint_done(&endpoint);
	return rc;
}

/* Choose the format of a table by the suffix of the output unless one was given. */
static void choose_table_format(struct args *args)
{
	const char *suffix = args->job.output ? strrchr(args->job.output, '.') : NULL;
	enum pipa_frame_format format = suffix ? pipa_frame_format_find(suffix + 1) :
						 PIPA_FRAME_FORMAT_NR;

	if (args->job.has_format)
		return;
	if (suffix && strcmp(suffix, ".db") == 0)
		format = PIPA_FRAME_SQLITE;
	if (args->has_table && format == PIPA_FRAME_FORMAT_NR)
		format = PIPA_FRAME_PARQUET;
	if (args->has_table || format == PIPA_FRAME_PARQUET || format == PIPA_FRAME_CSV ||
	    format == PIPA_FRAME_SQLITE) {
		args->table_format = format;
		args->has_table = true;
	}
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, args, &args->job.path, err);

	if (args->job.output && strcmp(args->job.output, "-") == 0)
		args->job.output = NULL; /* standard output */
	if (rc >= 0)
		rc = check_sending(args, err);
	args->job.otlp_1_9 = args->otlp.options.layout_1_9;
	args->job.otlp_times = args->otlp.timestamps;
	if (rc < 0 || args->otlp.on)
		return rc;
	choose_table_format(args);
	if (args->has_table && args->table_format == PIPA_FRAME_FORMAT_NR)
		return pipa_refuse(err, -EINVAL,
				   "--frame requires -f parquet, csv, json or sqlite");
	args->has_table |= args->job.format == PIPA_EXPORT_FORMAT_NR;
	/* profiles have a JSON format of their own */
	args->has_table |= args->job.has_format && args->table_format == PIPA_FRAME_JSON &&
			   pipa_frame_is_series(args->job.path);
	if (args->has_table &&
	    (pipa_filter_is_set(&args->job.selection.filter) || args->job.selection.value))
		return pipa_refuse(err, -EINVAL,
				   "tables cannot be combined with --value, --focus, --ignore, "
				   "--hide, --show and --show-from");
	if (has_row_filter(&args->rows) &&
	    (!args->has_table || (args->has_kind && args->table != PIPA_FRAME_SAMPLES)))
		return pipa_refuse(err, -EINVAL,
				   "--comms, --pid, --tid and --cpu require --frame samples");
	if (!args->has_table && pipa_cli_finish_export(&args->job, err) < 0)
		return err->code;
	if (args->job.event && !args->has_table && !pipa_export_has_event(args->job.format)) {
		pipa_refuse(err, -EINVAL, "--event cannot be combined with -f %s",
			    pipa_export_format_name(args->job.format));
		return pipa_hint(err, "use --value NAME");
	}
	if (args->job.evented && (args->has_table || args->job.format != PIPA_EXPORT_SPEEDSCOPE))
		return pipa_refuse(err, -EINVAL, "--evented requires -f speedscope");
	if (args->has_table && !args->job.output && isatty(STDOUT_FILENO) &&
	    (args->table_format == PIPA_FRAME_PARQUET || args->table_format == PIPA_FRAME_SQLITE)) {
		bool parquet = args->table_format == PIPA_FRAME_PARQUET;

		pipa_refuse(err, -EINVAL, "refusing to write %s to a terminal",
			    parquet ? "a Parquet file" : "a database");
		return pipa_hint(err, "use -o FILE, for example -o %s",
				 parquet ? "samples.parquet" : "profile.sqlite");
	}
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->job.path);
}

static int run_table(const struct args *args, struct pipa_error *err)
{
	const struct pipa_export_options *o = &args->job;
	struct pipa_frame_job job = {
		.load = { .path = o->path,
			  .ingest = o->ingest,
			  .symbols = o->symbols,
			  .log = o->log },
		.kind = args->table,
		.auto_kind = !args->has_kind,
		.filter = &args->rows,
		.event = o->event,
		.format = args->table_format,
		.created_by = pipa_cli_version,
		.output = o->output,
		.out_fd = o->out_fd,
	};

	job.load.symbols.lines = o->not_inlined ? PIPA_LINES_NONE : PIPA_LINES_STACKS;
	return pipa_frame_run(&job, err);
}

static int run_export(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) },
			     .table_format = PIPA_FRAME_FORMAT_NR };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err), status;

	if (rc < 0)
		status = pipa_cli_usage(cmd, rc, &err);
	else if (args.has_table)
		status = pipa_cli_end(cmd, run_table(&args, &err), &err);
	else
		status = pipa_cli_end(cmd, pipa_export_run(&args.job, &err), &err);
	pipa_script_filter_done(&args.rows);
	return status;
}

const struct pipa_cmd pipa_cmd_export = {
	.name = "export",
	.args = "[OPTIONS] [FILE]",
	.help = "convert a profile for other tools: pprof, OTLP, tables, viewers",
	.more = INPUT_FORMATS_TEXT "See pipa-export(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_export,
};
