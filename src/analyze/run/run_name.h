/* Derive the name of a workload from its command. */
#ifndef PIPA_ANALYZE_RUN_RUN_NAME_H
#define PIPA_ANALYZE_RUN_RUN_NAME_H

/*
 * Return the name of the program, or of the benchmark that was recognized in its output (NULL:
 * none): "perf bench futex hash" if the command begins with the benchmark's name and its kind in
 * plain words, "sysbench" of sh -c 'sysbench...'. NULL on allocation failure; the caller frees it.
 */
char *pipa_run_name(char *const *command, const char *benchmark);

#endif
