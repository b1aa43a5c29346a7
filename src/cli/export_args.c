#include "cli/export_args.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "job/exchange/export.h"

int pipa_cli_set_export_format(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_export_options *o = field;
	char names[PIPA_EXPORT_NAMES_MAX];

	o->format = pipa_export_format_find(text);
	if (o->format == PIPA_EXPORT_FORMAT_NR)
		return pipa_refuse(err, -EINVAL, "--format: invalid format '%s', expected %s", text,
				   pipa_export_format_names(names, sizeof(names)));
	o->has_format = true;
	return 0;
}

int pipa_cli_finish_export(struct pipa_export_options *o, struct pipa_error *err)
{
	int rc = pipa_filter_check(&o->selection.filter, err);

	if (rc < 0)
		return rc;
	o->version = pipa_cli_version + strlen("pipa ");
	if (!o->has_format && o->output) {
		o->format = pipa_export_format_of_file(o->output);
		if (o->format == PIPA_EXPORT_FORMAT_NR)
			o->format = PIPA_EXPORT_PPROF;
	}
	if (pipa_export_is_binary(o->format) && !o->output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write a %s profile to a terminal",
			    pipa_export_format_name(o->format));
		return pipa_hint(err, "use -o FILE, for example -o profile.%s",
				 o->format == PIPA_EXPORT_OTLP ? "otlp" : "pb.gz");
	}
	return 0;
}
