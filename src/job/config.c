#include "job/config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "import/config.h"

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
