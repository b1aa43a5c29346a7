/*
 * Build a profile of a decoded pprof file: of profile.proto (import/pprof.h) or of a legacy form, which is first
 * converted to the same tables (import/legacy/). Private to import/.
 */
#ifndef PIPA_IMPORT_PPROF_BUILD_H
#define PIPA_IMPORT_PPROF_BUILD_H

struct pipa_error;
struct pipa_pprof_builder;
struct pipa_pprof_profile;
struct pipa_pprof_sample;
struct pipa_profile;

/*
 * Add all tables of a file except its samples to `profile`, whose tables may have rows already. `tables` and err are
 * borrowed until the builder is freed. Returns 0, -EBADMSG if the file breaks a rule of the format, or -ENOMEM.
 */
int pipa_pprof_build(struct pipa_profile *profile, const struct pipa_pprof_profile *tables,
		     struct pipa_error *err, struct pipa_pprof_builder **ret);

/*
 * Add a sample, which has a value per sample type. Returns 0, -EBADMSG if a location is not defined, -ENOMEM, or -ERANGE
 * if values exceed 64 bits.
 */
int pipa_pprof_build_sample(struct pipa_pprof_builder *builder,
			    const struct pipa_pprof_sample *sample);

void pipa_pprof_builder_free(struct pipa_pprof_builder *builder);

static inline void pipa_pprof_builder_free_auto(struct pipa_pprof_builder **builder)
{
	pipa_pprof_builder_free(*builder);
}

#endif
