/*
 * Find what would give a file its symbols: the package with its debug file, by the machine's own package
 * database, and a debuginfod server. No program is started.
 *
 * dpkg: the lists of installed files, /var/lib/dpkg/info/PACKAGE.list. rpm: its database is not read; its packages
 * own the path of the debug file, which dnf and zypper install by name.
 */
#ifndef PIPA_LOCATE_DEBUG_PACKAGE_H
#define PIPA_LOCATE_DEBUG_PACKAGE_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_DEBUG_PACKAGE_MAX = 160 };

/*
 * Write the name of the package to install for the symbols of an absolute path, "libssl3-dbgsym"; "" if the path
 * belongs to none or the database is unknown. `build_id` (len 0: unknown) names the debug file of rpm. `root` is
 * where the database is; NULL: this machine.
 */
void pipa_debug_package_find(const char *root, const char *path, const uint8_t *build_id,
			     size_t build_id_len, char ret[static PIPA_DEBUG_PACKAGE_MAX]);

/* Return the debuginfod server of the distribution, of elfutils if it is unknown. A constant. */
const char *pipa_debug_server(const char *root);

#endif
