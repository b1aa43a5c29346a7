#include "cli/upload_questions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/str.h"
#include "job/remote/remote.h"
#include "model/config.h"

/* Print a question and read the answer into the arena; an empty one is the default, which may be "". */
static int ask(struct pipa_config *config, const char *question, const char *otherwise,
	       const char **ret, struct pipa_error *err)
{
	PIPA_AUTO(free) char *line = NULL;
	size_t size = 0;
	ssize_t len;
	char *text;

	fprintf(stderr, otherwise[0] ? "%s [%s]: " : "%s: ", question, otherwise);
	fflush(stderr);
	len = getline(&line, &size, stdin);
	if (len < 0)
		return pipa_refuse(err, -ECANCELED, "no answer to '%s'", question);
	if (strlen(line) != (size_t)len)
		return pipa_refuse(err, -EINVAL, "%s: the answer has a NUL", question);
	while (len && strchr(" \t\r\n", line[len - 1]))
		line[--len] = '\0';
	text = line + strspn(line, " \t");
	if (!*text)
		*ret = otherwise;
	else
		*ret = pipa_arena_text(&config->arena, text, strlen(text));
	return *ret ? 0 : pipa_fail(err, -ENOMEM, "read the answer");
}

static int ask_text(struct pipa_config *config, enum pipa_config_key key, const char *question,
		    const char *otherwise, const char **ret, struct pipa_error *err)
{
	int rc = ask(config, question, otherwise, ret, err);

	if (!rc && **ret)
		config->given |= UINT64_C(1) << key;
	else
		*ret = NULL;
	return rc;
}

static int ask_needed(struct pipa_config *config, enum pipa_config_key key, const char *question,
		      const char **ret, struct pipa_error *err)
{
	int rc = ask_text(config, key, question, "", ret, err);

	return rc || *ret ? rc : pipa_refuse(err, -EINVAL, "%s: an answer is required", question);
}

static int ask_number(struct pipa_config *config, enum pipa_config_key key, const char *question,
		      const char *otherwise, uint64_t max, uint64_t *ret, struct pipa_error *err)
{
	const char *text;
	int rc = ask(config, question, otherwise, &text, err);

	if (rc)
		return rc;
	if (!*text || text[strspn(text, "0123456789")] || pipa_str_u64(text, ret) < 0 || *ret > max)
		return pipa_refuse(err, -EINVAL, "%s: expected a whole number, not '%.60s'",
				   question, text);
	config->given |= UINT64_C(1) << key;
	return 0;
}

static int ask_cores(struct pipa_config *config, struct pipa_error *err)
{
	static const char question[] = "Logical CPUs used by the workload";
	const char *text;
	int rc = ask(config, question, "0,1,2,3", &text, err);

	if (rc)
		return rc;
	if (text[strspn(text, "0123456789,- ")] || pipa_cpus_parse(text, &config->cores, NULL) < 0)
		return pipa_refuse(err, -EINVAL, "%s: expected numbers such as 0,1,2, not '%.60s'",
				   question, text);
	config->given |= UINT64_C(1) << PIPA_CONFIG_CORES;
	return 0;
}

static int ask_frequency(struct pipa_config *config, struct pipa_error *err)
{
	uint64_t mhz = 0;
	int rc;

	if (!config->platform || !strcasestr(config->platform, "huawei"))
		return 0;
	rc = ask_number(config, PIPA_CONFIG_CPU_FREQUENCY_MHZ, "CPU frequency in MHz", "2600",
			1000000, &mhz, err);
	config->cpu_frequency_mhz = (double)mhz;
	return rc;
}

static int ask_measurement(struct pipa_config *c, struct pipa_error *err)
{
	int rc = ask_needed(c, PIPA_CONFIG_WORKLOAD, "Workload", &c->workload, err);

	if (!rc)
		rc = ask_number(c, PIPA_CONFIG_TRANSACTION, "Number of transactions", "", INT64_MAX,
				&c->transaction, err);
	if (!rc)
		rc = ask_needed(c, PIPA_CONFIG_DATA_LOCATION, "Directory of the data",
				&c->data_location, err);
	if (!rc && access(c->data_location, R_OK) < 0)
		rc = pipa_fail(err, -errno, "open %s", c->data_location);
	return rc ? rc : ask_cores(c, err);
}

static int ask_description(struct pipa_config *c, struct pipa_error *err)
{
	int rc = ask_text(c, PIPA_CONFIG_DEV, "Disk, empty for the busiest", "", &c->dev, err);

	if (!rc)
		rc = ask_text(c, PIPA_CONFIG_HW_INFO, "Hardware: sockets*cores*SMT", "1*1*1",
			      &c->hw_info, err);
	if (!rc)
		rc = ask_text(c, PIPA_CONFIG_SW_INFO, "Software", "", &c->sw_info, err);
	if (!rc)
		rc = ask_text(c, PIPA_CONFIG_PLATFORM, "Platform", "IceLake 8383C", &c->platform,
			      err);
	if (!rc)
		rc = ask_frequency(c, err);
	return rc ? rc : ask_text(c, PIPA_CONFIG_COMMENT, "Comment", "", &c->comment, err);
}

int pipa_cli_ask_upload(struct pipa_config *ret, struct pipa_error *err)
{
	int rc = ask_measurement(ret, err);

	if (!rc)
		rc = ask_description(ret, err);
	if (!rc)
		rc = ask_text(ret, PIPA_CONFIG_PIPAD_ADDR, "Address of the server", "127.0.0.1",
			      &ret->pipad_addr, err);
	return rc ? rc :
		    ask_number(ret, PIPA_CONFIG_PIPAD_PORT, "Port of the server", PIPA_REMOTE_PORT,
			       65535, &ret->pipad_port, err);
}
