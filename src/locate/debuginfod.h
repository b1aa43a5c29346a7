/*
 * Get debug files from debuginfod servers by build id, with the cache of elfutils' client, so that
 * both share results.
 *
 * Environment as in debuginfod_find_debuginfo(3): DEBUGINFOD_URLS (space-separated servers; unset:
 * no request is ever made), DEBUGINFOD_CACHE_PATH, XDG_CACHE_HOME, DEBUGINFOD_TIMEOUT (seconds for
 * the next 100 KiB, default 30, 5 to connect), DEBUGINFOD_MAXTIME (seconds per file over all
 * servers, default no limit), DEBUGINFOD_MAXSIZE (bytes).
 */
#ifndef PIPA_LOCATE_DEBUGINFOD_H
#define PIPA_LOCATE_DEBUGINFOD_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_debuginfod;
struct pipa_log;

/*
 * Create a client of the servers in the environment; NULL when none is named, or on allocation
 * failure. `log` is copied, may be NULL, and gets one message for each server that fails.
 */
struct pipa_debuginfod *pipa_debuginfod_new(const struct pipa_log *log);
void pipa_debuginfod_free(struct pipa_debuginfod *debuginfod);

/*
 * Map "debuginfo" or "executable" of a build id; end it with pipa_locate_unmap(). False if it is
 * not available. No further requests are sent to a server that failed.
 */
bool pipa_debuginfod_find(struct pipa_debuginfod *debuginfod, struct pipa_span id, const char *what,
			  struct pipa_span *ret);

#endif
