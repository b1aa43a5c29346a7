#include "job/exchange/otlp_resource.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "net/url.h"

/* Add an attribute; of two with the same key the first one stays. False if there are too many. */
static bool add_attribute(struct pipa_otlp_resource_list *list, const char *key, const char *text)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (strcmp(list->items[i].key, key) == 0)
			return true;
	if (list->n == PIPA_OTLP_RESOURCE_MAX)
		return false;
	list->items[list->n++] = (struct pipa_otlp_resource_text){ key, text };
	return true;
}

/* Parse "key=value,key=value", percent-encoded. */
static bool parse_attributes(char *text, struct pipa_otlp_resource_list *list)
{
	char *item, *value;

	while ((item = strsep(&text, ","))) {
		if (!item[strspn(item, " \t")])
			continue;
		value = strchr(item, '=');
		if (!value)
			return false;
		*value++ = '\0';
		item = pipa_str_trim(item);
		value = pipa_str_trim(value);
		if (!item[0] || !pipa_percent_decode(item) || !pipa_percent_decode(value) ||
		    !add_attribute(list, item, value))
			return false;
	}
	return true;
}

int pipa_otlp_resource_read(const struct pipa_otlp_resource_text *more, size_t n_more,
			    const struct pipa_log *log, struct pipa_otlp_resource_list *ret)
{
	const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
	const char *service = getenv("OTEL_SERVICE_NAME");
	size_t i, before;

	*ret = (struct pipa_otlp_resource_list){ 0 };
	if (service && service[0])
		add_attribute(ret, "service.name", service);
	before = ret->n;
	if (attributes && attributes[0]) {
		ret->strings = strdup(attributes);
		if (!ret->strings)
			return -ENOMEM;
		if (!parse_attributes(ret->strings, ret)) {
			ret->n = before;
			pipa_log_put(log, PIPA_LOG_WARN,
				     "OTEL_RESOURCE_ATTRIBUTES: ignored, expected KEY=VALUE,...");
		}
	}
	for (i = 0; i < n_more; i++)
		add_attribute(ret, more[i].key, more[i].text);
	return 0;
}

const char *pipa_otlp_arch_name(const char *machine)
{
	return strcmp(machine, "x86_64") == 0  ? "amd64" :
	       strcmp(machine, "aarch64") == 0 ? "arm64" :
						 machine;
}
