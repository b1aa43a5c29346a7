#include "job/query/otlp_check.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/table/otlp_findings.h"
#include "load/whole_file.h"
#include "store/input.h"

enum { ALL_RECEIVERS = (1 << PIPA_OTLP_RECEIVER_NR) - 1 };

int pipa_otlp_receivers_parse(const char *text, unsigned int *ret, struct pipa_error *err)
{
	unsigned int set = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		enum pipa_otlp_receiver i;

		for (i = 0; i < PIPA_OTLP_RECEIVER_NR; i++)
			if (strlen(pipa_otlp_receiver_name(i)) == len &&
			    strncasecmp(pipa_otlp_receiver_name(i), text, len) == 0)
				break;
		if (i == PIPA_OTLP_RECEIVER_NR)
			return pipa_refuse(err, -EINVAL,
					   "--receiver: invalid receiver '%.*s', expected "
					   "profcheck, Parca, Pyroscope or collector",
					   (int)(len < 80 ? len : 80), text);
		set |= 1U << i;
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret = set;
	return 0;
}

/* Refuse files of other kinds, whose bytes would only be malformed. */
static int check_kind(const struct pipa_input *input, struct pipa_span bytes,
		      struct pipa_error *err)
{
	switch (input->kind) {
	case PIPA_KIND_OTLP:
	case PIPA_KIND_OTLP_JSON:
	case PIPA_KIND_EMPTY: /* an empty request is valid */
	case PIPA_KIND_UNKNOWN: return 0;
	default: break;
	}
	if (pipa_otlp_is_json(bytes))
		return 0;
	pipa_refuse(err, -EINVAL, "cannot check %s: it is %s", input->name,
		    pipa_kind_name(input->kind));
	return pipa_hint(err, "pipa export -f otlp converts it");
}

int pipa_otlp_check_run(const struct pipa_otlp_check_job *job, struct pipa_buf *out,
			bool *ret_valid, struct pipa_error *err)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	PIPA_AUTO(pipa_whole_file_close) struct pipa_whole_file file = { 0 };
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check check = { 0 };
	struct pipa_otlp_findings findings = { .check = &check,
					       .receivers = job->receivers ? job->receivers :
									     ALL_RECEIVERS };
	uint64_t errors, warnings;
	int rc = pipa_input_open(job->path, false, &input, err);

	if (rc < 0)
		return rc;
	if (input->cut)
		return pipa_refuse(err, -EBADMSG,
				   "cannot decompress %s: it is truncated or corrupt", input->name);
	rc = pipa_whole_file_open(&input->bytes, &file);
	if (rc < 0)
		return pipa_fail(err, rc, "read %s", input->name);
	rc = check_kind(input, file.span, err);
	if (rc < 0)
		return rc;
	rc = pipa_otlp_check(file.span, &job->check, &check);
	if (rc == -E2BIG)
		return pipa_refuse(err, rc, "cannot check %s: it is too large or nested too deeply",
				   input->name);
	if (rc < 0)
		return pipa_fail(err, rc, "check %s", input->name);
	findings.name = input->name;
	if (job->json)
		pipa_otlp_findings_write_json(&findings, out);
	else
		pipa_otlp_findings_write_text(&findings, out);
	pipa_otlp_findings_count(&findings, &errors, &warnings);
	*ret_valid = !errors && !(job->strict && warnings);
	return 0;
}
