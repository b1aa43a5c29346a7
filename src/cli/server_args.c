#include "cli/server_args.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "store/output_check.h"

int pipa_server_args_check(const struct pipa_remote_options *server, const char **output,
			   const char *binary, struct pipa_error *err)
{
	int rc;

	if (!server->address) {
		pipa_refuse(err, -EINVAL, "no server is given");
		return pipa_hint(err, "use --server HOST:PORT");
	}
	rc = pipa_remote_check(server, err);
	if (rc < 0)
		return rc;
	if (*output && strcmp(*output, "-") == 0)
		*output = NULL;
	if (binary && !*output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write %s to a terminal", binary);
		return pipa_hint(err, "use -o FILE or redirect standard output");
	}
	return PIPA_OUTPUT_CHECK(*output, STDOUT_FILENO, err, server->token_file, server->ca_file,
				 server->cert_file, server->key_file);
}
