#include "cli/otlp_args.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

/* Also HOST:PORT, which is refused with the right form, instead of being read as a file. */
bool pipa_cli_is_otlp_url(const char *text)
{
	const char *port = strrchr(text, ':');

	return strstr(text, "://") ||
	       (port && port[1] && !port[1 + strspn(port + 1, "0123456789")]);
}

int pipa_cli_set_otlp(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_otlp_args *args = field;

	(void)err;
	args->on = true;
	args->options.url = text;
	return 0;
}

int pipa_cli_set_otlp_layout(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_otlp_args *args = field;

	args->options.layout_1_9 = strcmp(text, "1.9") == 0;
	if (!args->options.layout_1_9 && strcmp(text, "1.10") != 0)
		return pipa_refuse(err, -EINVAL,
				   "--otlp-layout: invalid version '%s', expected 1.10 or 1.9",
				   text);
	return 0;
}

int pipa_cli_add_otlp_header(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_otlp_args *args = field;

	if (args->options.n_headers == PIPA_OTLP_HEADERS_MAX)
		return pipa_refuse(err, -EINVAL, "--otlp-header: more than %d headers",
				   PIPA_OTLP_HEADERS_MAX);
	args->options.headers[args->options.n_headers++] = text;
	return 0;
}

int pipa_cli_check_otlp(const struct pipa_otlp_args *args, struct pipa_error *err)
{
	const struct pipa_otlp_options *o = &args->options;

	if (!args->on && (o->protocol || o->compression || o->n_headers || o->timeout_ns ||
			  o->ca_file || o->cert_file || o->key_file || args->retry_ns))
		return pipa_refuse(err, -EINVAL, "--otlp-* options require --otlp");
	return 0;
}
