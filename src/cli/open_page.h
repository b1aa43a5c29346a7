/* Show a page that a command has written in the user's browser: the option --open. */
#ifndef PIPA_CLI_OPEN_PAGE_H
#define PIPA_CLI_OPEN_PAGE_H

struct pipa_cmd;
struct pipa_error;

/*
 * If *output is NULL, set it to a new temporary file with that suffix, which only the user can read; *ret_page, which has to
 * be freed, is its path. 0 or a negative errno with err filled.
 */
int pipa_cli_page_file(const char *suffix, const char **output, char **ret_page,
		       struct pipa_error *err);

/*
 * Start the browser on the page and print its path; without a browser print only the path. After a failure of the command
 * (rc below 0) remove the temporary file `page`, if there is one, instead.
 */
void pipa_cli_open_page(const struct pipa_cmd *cmd, int rc, const char *path, const char *page);

#endif
