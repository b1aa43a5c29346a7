#include "cli/analyze_args.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/cpus.h"
#include "base/error.h"
#include "job/analyze/analysis.h"

int pipa_cli_add_rules(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_analyze_args *args = field;

	if (args->n_rules == PIPA_CLI_RULES_MAX)
		return pipa_refuse(err, -EINVAL, "--rules: more than %d files", PIPA_CLI_RULES_MAX);
	args->rules[args->n_rules++] = text;
	return 0;
}

int pipa_cli_set_language(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_analyze_args *args = field;
	enum pipa_language i;

	for (i = 0; i < PIPA_LANGUAGE_NR; i++)
		if (strcmp(pipa_language_code(i), text) == 0) {
			args->language = i;
			return 0;
		}
	return pipa_refuse(err, -EINVAL, "--lang: invalid language '%s', expected en or zh", text);
}

int pipa_cli_set_analysis(const struct pipa_analyze_args *args, struct pipa_analysis_options *ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };

	if (args->expected_cpus && pipa_cpus_parse(args->expected_cpus, &cpus, NULL) < 0)
		return pipa_refuse(
			err, -EINVAL,
			"--expected-cpus: invalid CPUs '%.80s', expected a list like 0-3,7",
			args->expected_cpus);
	ret->rules = args->rules;
	ret->n_rules = args->n_rules;
	ret->expected_cpus = args->expected_cpus;
	ret->language = args->language;
	return 0;
}
