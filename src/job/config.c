#include "job/config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "import/config.h"
#include "measure/count/count_plan.h"

enum { LARGEST = 1 << 20 }; /* a valid file has about thirty keys */

int pipa_config_load(const char *path, struct pipa_config *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = LARGEST };
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int rc = standard ? pipa_file_read_fd(STDIN_FILENO, &text) :
			    pipa_file_read(path, &text, err);

	if (rc == -EFBIG)
		return pipa_refuse(err, rc, "%s is too large for a configuration file", name);
	if (rc < 0)
		return standard ? pipa_fail(err, rc, "read standard input") : rc;
	return pipa_config_decode(pipa_buf_str(&text), text.len, name, ret, err);
}

int pipa_config_check_event(const char *text, struct pipa_root *root, struct pipa_error *why)
{
	const struct pipa_event_arg arg = { .text = text };
	const struct pipa_count_options options = { .target.system_wide = true,
						    .events = &arg,
						    .n_events = 1 };
	struct pipa_count_plan plan = { 0 };
	int rc = pipa_count_plan_make(&options, root, &plan, why);

	pipa_count_plan_done(&plan);
	if (rc == -ENOMEM)
		return rc;
	return rc == 0;
}
