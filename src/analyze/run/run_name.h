/* Derive the name of a workload from its command. */
#ifndef PIPA_ANALYZE_RUN_RUN_NAME_H
#define PIPA_ANALYZE_RUN_RUN_NAME_H

/*
 * The name of the program, or of the benchmark that was recognised in its output (NULL: none): "perf bench
 * futex hash", where the command begins with the benchmark's name and tells what kind in plain words,
 * "sysbench" of sh -c 'sysbench...'. NULL when memory is out; the caller frees.
 */
char *pipa_run_name(char *const *command, const char *benchmark);

#endif
