/* Find kallsyms, vmlinux and the files of kernel modules. */
#ifndef PIPA_LOCATE_KERNEL_FILES_H
#define PIPA_LOCATE_KERNEL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;
struct pipa_locate_options;
struct pipa_located;
struct pipa_wanted_file;

/* Identity of a recorded kernel. */
struct pipa_wanted_kernel {
	const uint8_t *build_id;
	size_t build_id_len; /* 0: unknown */
	const char *release; /* NULL: unknown */
};

/* Is it the running kernel? Compares the build id; if that is unknown, the release. */
bool pipa_locate_is_running(const struct pipa_wanted_kernel *kernel);
/* Is it certainly not the running kernel? */
bool pipa_locate_is_foreign(const struct pipa_wanted_kernel *kernel);

/* Open perf's copy of kallsyms; -1 if there is none. */
int pipa_locate_kallsyms_copy(const struct pipa_locate_options *options,
			      const struct pipa_wanted_kernel *kernel);

/* Append kallsyms of the bundle. 1, 0 if it has none, or a negative errno. */
int pipa_locate_kallsyms_packed(const struct pipa_locate_options *options,
				const struct pipa_wanted_kernel *kernel, struct pipa_buf *ret);

/*
 * Find vmlinux in the usual directories, if its build id matches; without a build id none is used.
 * Like pipa_locate(), but without debuginfod; `main` is always set.
 */
void pipa_locate_kernel(const struct pipa_locate_options *options,
			const struct pipa_wanted_kernel *kernel, struct pipa_located *ret);
/* Like pipa_locate_kernel(), for the running kernel. */
void pipa_locate_running_kernel(const struct pipa_locate_options *options,
				struct pipa_located *ret);

/*
 * Find the file of a module, compressed or not. Its path may be only its name, "[ext4]": then
 * modules.dep of that release has the path. Like pipa_locate().
 */
void pipa_locate_module(const struct pipa_locate_options *options,
			const struct pipa_wanted_kernel *kernel,
			const struct pipa_wanted_file *wanted, struct pipa_located *ret);

#endif
