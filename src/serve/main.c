/* The program pipad: options, help, exit status. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "serve/daemon.h"
#include "serve/log.h"
#include "serve/options.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static int print_text(const struct pipa_buf *text)
{
	return text->status || pipa_file_write(STDOUT_FILENO, text->data, text->len) < 0 ?
		       EXIT_FAILED :
		       0;
}

static int print_help(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_serve_options_help(&text);
	return print_text(&text);
}

static int print_version(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_buf_puts(&text, "pipad " PIPA_VERSION "\n");
	return print_text(&text);
}

int main(int argc, char **argv)
{
	struct pipa_serve_options options = { 0 };
	struct pipa_error err = { 0 };
	char line[PIPA_ERROR_LINE_MAX];
	sigset_t pipe;
	int rc;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE); /* handle EPIPE instead */
	sigaddset(&pipe, SIGXFSZ); /* handle EFBIG instead */
	sigprocmask(SIG_BLOCK, &pipe, NULL);
	rc = pipa_serve_options_parse(argc, argv, &options, &err);
	if (rc == -ECANCELED)
		return print_help();
	if (rc < 0) {
		pipa_serve_note(PIPA_SERVE_ERROR, "%s", pipa_error_line(&err, line));
		return EXIT_USAGE;
	}
	if (options.version)
		return print_version();
	pipa_serve_log_setup(options.log_json);
	pipa_serve_log_set_level(options.log_level);
	rc = pipa_daemon_run(&options, argc, argv, &err);
	if (rc < 0)
		pipa_serve_note(PIPA_SERVE_ERROR, "%s", pipa_error_line(&err, line));
	pipa_serve_options_done(&options);
	return rc < 0 ? EXIT_FAILED : 0;
}
