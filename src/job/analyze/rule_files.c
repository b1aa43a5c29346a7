#include "job/analyze/rule_files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "export/view/web.h"
#include "import/rules.h"

int pipa_rules_read(const char *path, struct pipa_rules *rules, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = PIPA_RULES_BYTES + 1 };
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int rc;

	if (strcmp(path, PIPA_RULES_DEFAULT) == 0)
		return pipa_rules_decode(pipa_rules_default.bytes, pipa_rules_default.len, path,
					 rules, err);
	rc = standard ? pipa_file_read_fd(STDIN_FILENO, &text) : pipa_file_read(path, &text, err);
	if (rc == -EFBIG)
		return pipa_refuse(err, rc, "cannot read %s: it is too large for a rule file",
				   name);
	if (rc < 0)
		return standard ? pipa_fail(err, rc, "read standard input") : rc;
	return pipa_rules_decode(pipa_buf_str(&text), text.len, name, rules, err);
}
