/* Ask on the terminal for an upload, in the order of the Python tool PIPA. */
#ifndef PIPA_CLI_UPLOAD_QUESTIONS_H
#define PIPA_CLI_UPLOAD_QUESTIONS_H

struct pipa_config;
struct pipa_error;

/*
 * Ask for workload, transactions, data location, CPUs, disk, hardware, software, platform, frequency (of platforms of
 * Huawei), comment and server; an empty answer is the default. Prompts go to standard error. `ret` must be zero.
 * -EINVAL if an answer is invalid, -ECANCELED at the end of input.
 */
int pipa_cli_ask_upload(struct pipa_config *ret, struct pipa_error *err);

#endif
