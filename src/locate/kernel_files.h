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

/* Which kernel a recording is of. */
struct pipa_wanted_kernel {
	const uint8_t *build_id;
	size_t build_id_len; /* 0: not known */
	const char *release; /* NULL: not known */
};

/* Is it the one that runs here? By its build id; where that is not known, by its release. */
bool pipa_locate_is_running(const struct pipa_wanted_kernel *kernel);
/* Is it known to be another one? */
bool pipa_locate_is_foreign(const struct pipa_wanted_kernel *kernel);

/* Open perf's copy of kallsyms; -1 if there is none. */
int pipa_locate_kallsyms_copy(const struct pipa_locate_options *options,
			      const struct pipa_wanted_kernel *kernel);

/* That list as it came along with the recording, appended: 1; 0 when it did not, or a negative errno. */
int pipa_locate_kallsyms_packed(const struct pipa_locate_options *options,
				const struct pipa_wanted_kernel *kernel, struct pipa_buf *ret);

/*
 * Find vmlinux in the usual directories, if its build id matches: without one none is used. As
 * pipa_locate(), but without debuginfod; `main` is always set.
 */
void pipa_locate_kernel(const struct pipa_locate_options *options,
			const struct pipa_wanted_kernel *kernel, struct pipa_located *ret);
/* The same of the kernel that runs here. */
void pipa_locate_running_kernel(const struct pipa_locate_options *options,
				struct pipa_located *ret);

/*
 * Find a module's file, compressed or not. Its path may be only its name, "[ext4]": then
 * modules.dep of that release has the path. As pipa_locate().
 */
void pipa_locate_module(const struct pipa_locate_options *options,
			const struct pipa_wanted_kernel *kernel,
			const struct pipa_wanted_file *wanted, struct pipa_located *ret);

#endif
