/* State of symbolization: sources of files, and open files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "locate/bundle_files.h"
#include "locate/debuginfod.h"
#include "symbolize/kallsyms_reader.h"
#include "symbolize/recorded_kernel.h"
#include "symbolize/symbolize_own.h"
#include "symbolize/unwind_tables.h"

struct pipa_symbolizer *pipa_symbolizer_new(const struct pipa_symbolize_options *options,
					    struct pipa_profile *profile, struct pipa_root *root)
{
	struct pipa_symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->o = *options;
	s->p = profile;
	s->locate = (struct pipa_locate_options){ .symfs = options->symfs,
						  .debug_dir = options->debug_dir,
						  .cache_dir = options->cache_dir };
	s->kallsyms = pipa_kallsyms_reader_new(options->kallsyms, &s->locate, root);
	if (!s->kallsyms || pipa_symbolizer_restart(s) < 0) {
		pipa_symbolizer_free(s);
		return NULL;
	}
	return s;
}

static void close_files(struct pipa_symbolizer *s)
{
	pipa_unwind_tables_free(PIPA_TAKE(s->tables)); /* before the files it borrows from */
	pipa_code_files_free(PIPA_TAKE(s->files));
}

void pipa_symbolizer_free(struct pipa_symbolizer *s)
{
	if (!s)
		return;
	close_files(s);
	pipa_kallsyms_reader_free(s->kallsyms);
	pipa_jitdumps_done(&s->jitdumps);
	pipa_bundle_files_free(s->kept);
	pipa_debuginfod_free(s->debuginfod);
	free(s);
}

int pipa_symbolizer_restart(struct pipa_symbolizer *s)
{
	close_files(s);
	s->files = pipa_code_files_new(&s->locate, s->p, s->recording);
	if (!s->files)
		return -ENOMEM;
	pipa_code_files_set_vmlinux(s->files, s->o.vmlinux);
	return 0;
}

/* ---- sources of files ------------------------------------------------------------------------ */

/* Return the end of the recording by the wall clock; 0: unknown. */
static uint64_t get_wall_end(const struct pipa_recording *recording)
{
	if (!recording->has_clock || recording->last_ns < recording->first_ns ||
	    !recording->last_ns)
		return 0;
	return recording->clock_wall_ns + recording->last_ns - recording->clock_ns;
}

static bool is_this_host(const struct pipa_recording *recording)
{
	const char *name = pipa_recording_fact(recording, "hostname");
	struct utsname host;

	return name && uname(&host) == 0 && strcmp(name, host.nodename) == 0;
}

void pipa_symbolizer_set_recording(struct pipa_symbolizer *s,
				   const struct pipa_recording *recording)
{
	struct pipa_recorded_kernel recorded;
	struct pipa_wanted_kernel kernel;

	pipa_symbolizer_move(s, s->p, recording);
	pipa_recorded_kernel_find(recording, NULL, &recorded);
	kernel = pipa_recorded_kernel_wanted(&recorded);
	s->locate.foreign = pipa_locate_is_foreign(&kernel);
	s->locate.same_host = is_this_host(recording);
	s->locate.until_ns = get_wall_end(recording);
}

void pipa_symbolizer_move(struct pipa_symbolizer *s, struct pipa_profile *profile,
			  const struct pipa_recording *recording)
{
	s->p = profile;
	s->recording = recording;
	pipa_code_files_set_profile(s->files, profile, recording);
}

void pipa_symbolizer_set_bundle(struct pipa_symbolizer *s, const struct pipa_bundle_files *bundle)
{
	s->locate.bundle = bundle;
}

void pipa_symbolizer_set_kept(struct pipa_symbolizer *s, struct pipa_bundle_files *kept)
{
	pipa_bundle_files_free(s->kept);
	s->kept = kept;
	s->locate.kept = kept;
}

void pipa_symbolizer_set_mapped(struct pipa_symbolizer *s, const struct pipa_mapped_files *mapped)
{
	s->locate.mapped = mapped;
}

void pipa_symbolizer_use_debuginfod(struct pipa_symbolizer *s, const struct pipa_log *log)
{
	pipa_debuginfod_free(s->debuginfod);
	s->debuginfod = pipa_debuginfod_new(log);
	s->locate.debuginfod = s->debuginfod;
}

void pipa_symbolizer_preload_kallsyms(struct pipa_symbolizer *s)
{
	struct pipa_recorded_kernel recorded;
	struct pipa_wanted_kernel kernel;

	if (s->o.vmlinux)
		return;
	pipa_recorded_kernel_find(s->recording, NULL, &recorded);
	kernel = pipa_recorded_kernel_wanted(&recorded);
	pipa_kallsyms_reader_preload(s->kallsyms, &kernel);
}

void pipa_symbolizer_use_running_kallsyms(struct pipa_symbolizer *s)
{
	if (!s->o.vmlinux && !s->o.kallsyms)
		pipa_kallsyms_reader_use_running(s->kallsyms);
}

/* ---- access ---------------------------------------------------------------------------------- */

const struct pipa_symbolize_options *pipa_symbolizer_options(const struct pipa_symbolizer *s)
{
	return &s->o;
}

const struct pipa_locate_options *pipa_symbolizer_locate(const struct pipa_symbolizer *s)
{
	return &s->locate;
}

struct pipa_code_files *pipa_symbolizer_files(struct pipa_symbolizer *s)
{
	return s->files;
}

struct pipa_jitdumps *pipa_symbolizer_jitdumps(struct pipa_symbolizer *s)
{
	return &s->jitdumps;
}

struct pipa_unwind_tables *pipa_symbolizer_tables(struct pipa_symbolizer *s)
{
	if (!s->tables)
		s->tables = pipa_unwind_tables_new(s->files);
	return s->tables;
}

void pipa_symbolizer_end_unwinding(struct pipa_symbolizer *s)
{
	pipa_unwind_tables_free(PIPA_TAKE(s->tables));
	pipa_code_files_keep_none(s->files);
}
