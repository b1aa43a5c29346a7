#include "cli/recording_arg.h"

#include <errno.h>

#include "base/error.h"
#include "option/opt.h"

int pipa_opt_recording(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		       const char **path, struct pipa_error *err)
{
	const char *words[2];
	int rc = pipa_opt_words(opts, n, argc, argv, values, words, 2, err);

	if (rc < 0)
		return rc;
	if (rc == 2 || (rc && *path))
		return pipa_refuse(err, -EINVAL, "unexpected argument '%s', expected one recording",
				   words[rc - 1]);
	if (rc)
		*path = words[0];
	if (!*path)
		*path = "perf.data";
	return 0;
}
