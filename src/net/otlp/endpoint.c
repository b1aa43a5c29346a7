#include "net/otlp/endpoint.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

#define DEFAULT_TIMEOUT_NS (10 * PIPA_NS_PER_SEC)

enum { HEADERS_BYTES_MAX = 16 << 10 };

static const char *const protocols[PIPA_OTLP_PROTOCOL_NR] = {
	[PIPA_OTLP_GRPC] = "grpc",
	[PIPA_OTLP_HTTP_PROTOBUF] = "http/protobuf",
	[PIPA_OTLP_HTTP_JSON] = "http/json",
};

static const char *const compressions[PIPA_OTLP_COMPRESSION_NR] = {
	[PIPA_OTLP_GZIP] = "gzip",
	[PIPA_OTLP_ZSTD] = "zstd",
	[PIPA_OTLP_UNCOMPRESSED] = "none",
};

const char *pipa_otlp_protocol_name(enum pipa_otlp_protocol protocol)
{
	return protocols[protocol];
}

/* ---- the environment ------------------------------------------------------------------------------------- */

/* A variable that is set: its name, for messages, and its value. An empty one counts as unset. */
struct variable {
	char name[64];
	const char *value;
	bool general; /* not of the profiles signal */
};

static bool find_variable(const char *suffix, struct variable *ret)
{
	static const char *const prefixes[] = { "OTEL_EXPORTER_OTLP_PROFILES_",
						"OTEL_EXPORTER_OTLP_" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(prefixes); i++) {
		snprintf(ret->name, sizeof(ret->name), "%s%s", prefixes[i], suffix);
		ret->value = getenv(ret->name);
		ret->general = i == 1;
		if (ret->value && ret->value[0])
			return true;
	}
	return false;
}

static const char *find_text(const char *option, const char *suffix)
{
	struct variable variable;

	if (option)
		return option;
	return find_variable(suffix, &variable) ? variable.value : NULL;
}

static int find_word(const char *const *words, size_t n, const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], text) == 0)
			return (int)i;
	return -1;
}

/* Set *ret to the index of a word; it stays the same if neither option nor variable is given. */
static int choose_word(const char *const *words, size_t n, const char *option, const char *name,
		       const char *suffix, const struct pipa_log *log, int *ret,
		       struct pipa_error *err)
{
	struct variable variable;
	int found;

	if (option) {
		found = find_word(words, n, option);
		if (found < 0)
			return pipa_refuse(err, -EINVAL,
					   "%s: invalid value '%s', expected %s, %s or %s", name,
					   option, words[0], words[1], words[2]);
		*ret = found;
		return 0;
	}
	if (!find_variable(suffix, &variable))
		return 0;
	found = find_word(words, n, variable.value);
	if (found < 0)
		pipa_log_put(log, PIPA_LOG_WARN, "%s: ignoring the unknown value '%s'",
			     variable.name, variable.value);
	else
		*ret = found;
	return 0;
}

/* ---- the URL --------------------------------------------------------------------------------------------- */

enum pipa_otlp_protocol pipa_otlp_guess_protocol(const struct pipa_url *url)
{
	return strcmp(url->port, "4318") == 0 || strcmp(url->path, "/") != 0 ?
		       PIPA_OTLP_HTTP_PROTOBUF :
		       PIPA_OTLP_GRPC;
}

/* Parse an endpoint of the environment. Without a scheme it uses TLS, unless the variable ..._INSECURE is true. */
static int parse_variable(const struct variable *variable, struct pipa_url *ret)
{
	struct variable insecure;
	char text[2500];

	if (strstr(variable->value, "://"))
		return pipa_url_parse(variable->value, ret);
	snprintf(text, sizeof(text), "%s://%s",
		 find_variable("INSECURE", &insecure) && strcasecmp(insecure.value, "true") == 0 ?
			 "http" :
			 "https",
		 variable->value);
	return pipa_url_parse(text, ret);
}

/* Append the path of the profiles signal to the path of a base URL. */
static int append_signal_path(struct pipa_url *url)
{
	size_t len = strlen(url->path);

	if (len && url->path[len - 1] == '/')
		len--;
	if (len + sizeof(PIPA_OTLP_HTTP_PATH) > sizeof(url->path) || strchr(url->path, '?'))
		return -EINVAL;
	memcpy(url->path + len, PIPA_OTLP_HTTP_PATH, sizeof(PIPA_OTLP_HTTP_PATH));
	return 0;
}

static int refuse_url(const char *name, const char *url, struct pipa_error *err)
{
	return pipa_refuse(
		err, -EINVAL,
		"%s: invalid URL '%.100s', expected http://HOST[:PORT][/PATH] or https://...", name,
		url);
}

static int choose_url(const struct pipa_otlp_options *o, const struct pipa_log *log,
		      struct pipa_otlp_endpoint *ret, struct pipa_error *err)
{
	struct variable variable = { 0 };
	bool is_base = true; /* the signal's path is appended */
	int protocol = -1, rc;

	if (o->url && o->url[0]) {
		if (pipa_url_parse(o->url, &ret->url) < 0)
			return refuse_url("--otlp", o->url, err);
		is_base = strcmp(ret->url.path, "/") == 0;
	} else if (find_variable("ENDPOINT", &variable)) {
		if (parse_variable(&variable, &ret->url) < 0)
			return refuse_url(variable.name, variable.value, err);
		is_base = variable.general;
	} else {
		pipa_url_parse(PIPA_OTLP_DEFAULT_URL, &ret->url);
		ret->url.has_port = false; /* that of the protocol */
	}
	rc = choose_word(protocols, PIPA_OTLP_PROTOCOL_NR, o->protocol, "--otlp-protocol",
			 "PROTOCOL", log, &protocol, err);
	if (rc < 0)
		return rc;
	ret->protocol = protocol >= 0 ? (enum pipa_otlp_protocol)protocol :
					pipa_otlp_guess_protocol(&ret->url);
	if (!ret->url.has_port && !ret->url.secure)
		snprintf(ret->url.port, sizeof(ret->url.port), "%s",
			 ret->protocol == PIPA_OTLP_GRPC ? "4317" : "4318");
	if (ret->protocol != PIPA_OTLP_GRPC && is_base && append_signal_path(&ret->url) < 0)
		return refuse_url(variable.value ? variable.name : "--otlp",
				  variable.value ? variable.value : o->url, err);
	snprintf(ret->text, sizeof(ret->text),
		 strchr(ret->url.host, ':') ? "%s://[%s]:%s%s" : "%s://%s:%s%s",
		 ret->url.secure ? "https" : "http", ret->url.host, ret->url.port,
		 ret->protocol == PIPA_OTLP_GRPC ? "" : ret->url.path);
	return 0;
}

/* ---- headers --------------------------------------------------------------------------------------------- */

/* Is it a token of RFC 9110, and not a field that the transport sets itself? */
static bool is_permitted_name(const char *name)
{
	static const char *const own[] = { "host",	   "connection",       "content-length",
					   "content-type", "content-encoding", "transfer-encoding",
					   "te",	   "user-agent",       "upgrade",
					   "keep-alive",   "proxy-connection" };
	size_t i;

	if (!name[0])
		return false;
	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("!#$%&'*+-.^_`|~", name[i]))
			return false;
	for (i = 0; i < PIPA_COUNT(own); i++)
		if (strcmp(name, own[i]) == 0)
			return false;
	return strncmp(name, "grpc-", 5) != 0;
}

static bool is_permitted_value(const char *value)
{
	for (; *value; value++)
		if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
			return false;
	return true;
}

/* Add "name=value"; the text is modified and stays in use. One of the same name is replaced. */
static bool add_header(struct pipa_otlp_endpoint *ret, char *text, bool encoded)
{
	char *value = strchr(text, '=');
	size_t i;

	if (!value)
		return false;
	*value++ = '\0';
	text = pipa_str_trim(text);
	value = pipa_str_trim(value);
	for (i = 0; text[i]; i++)
		text[i] = (char)tolower((unsigned char)text[i]);
	if ((encoded && (!pipa_percent_decode(text) || !pipa_percent_decode(value))) ||
	    !is_permitted_name(text) || !is_permitted_value(value))
		return false;
	for (i = 0; i < ret->n_headers; i++)
		if (strcmp(ret->headers[i].name, text) == 0)
			break;
	if (i == PIPA_OTLP_HEADERS_MAX)
		return false;
	ret->headers[i] = (struct pipa_h2_field){ .name = text, .value = value, .secret = true };
	if (i == ret->n_headers)
		ret->n_headers++;
	return true;
}

/* Copy a text to the end of ret->strings; NULL if there is no space. */
static char *keep_string(struct pipa_otlp_endpoint *ret, size_t *used, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = ret->strings + *used;

	if (size > HEADERS_BYTES_MAX - *used)
		return NULL;
	memcpy(copy, text, size);
	*used += size;
	return copy;
}

static int collect_headers(const struct pipa_otlp_options *o, struct pipa_otlp_endpoint *ret,
			   struct pipa_error *err)
{
	struct variable variable;
	char *list, *item;
	size_t i, used = 0;

	ret->strings = malloc(HEADERS_BYTES_MAX);
	if (!ret->strings)
		return pipa_fail(err, -ENOMEM, "read the headers");
	if (find_variable("HEADERS", &variable)) {
		list = keep_string(ret, &used, variable.value);
		while (list && (item = strsep(&list, ",")))
			if (item[strspn(item, " \t")] && !add_header(ret, item, true))
				/* without the value, which may be a secret */
				return pipa_refuse(err, -EINVAL,
						   "%s: invalid header, expected NAME=VALUE,...",
						   variable.name);
	}
	for (i = 0; i < o->n_headers; i++) {
		item = keep_string(ret, &used, o->headers[i]);
		if (!item || !add_header(ret, item, false))
			return pipa_refuse(err, -EINVAL,
					   "--otlp-header: invalid header, expected NAME=VALUE");
	}
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void choose_timeout(const struct pipa_otlp_options *o, const struct pipa_log *log,
			   struct pipa_otlp_endpoint *ret)
{
	struct variable variable;
	uint64_t ms;

	ret->timeout_ns = o->timeout_ns ? o->timeout_ns : DEFAULT_TIMEOUT_NS;
	if (o->timeout_ns || !find_variable("TIMEOUT", &variable))
		return;
	if (pipa_str_u64(variable.value, &ms) < 0 || !ms || ms > UINT64_C(86400000))
		pipa_log_put(log, PIPA_LOG_WARN, "%s: ignoring '%s', expected milliseconds",
			     variable.name, variable.value);
	else
		ret->timeout_ns = ms * PIPA_NS_PER_MS;
}

int pipa_otlp_endpoint_init(const struct pipa_otlp_options *o, const struct pipa_log *log,
			    struct pipa_otlp_endpoint *ret, struct pipa_error *err)
{
	int compression = PIPA_OTLP_GZIP, rc;

	memset(ret, 0, sizeof(*ret));
	rc = choose_url(o, log, ret, err);
	if (!rc)
		rc = choose_word(compressions, PIPA_OTLP_COMPRESSION_NR, o->compression,
				 "--otlp-compression", "COMPRESSION", log, &compression, err);
	if (!rc)
		rc = collect_headers(o, ret, err);
	if (rc < 0) {
		pipa_otlp_endpoint_done(ret);
		return rc;
	}
	ret->compression = (enum pipa_otlp_compression)compression;
	ret->layout_1_9 = o->layout_1_9;
	choose_timeout(o, log, ret);
	ret->tls.ca_file = find_text(o->ca_file, "CERTIFICATE");
	ret->tls.cert_file = find_text(o->cert_file, "CLIENT_CERTIFICATE");
	ret->tls.key_file = find_text(o->key_file, "CLIENT_KEY");
	ret->tls.alpn = ret->protocol == PIPA_OTLP_GRPC ? "h2" : NULL;
	return 0;
}

void pipa_otlp_endpoint_done(struct pipa_otlp_endpoint *endpoint)
{
	free(PIPA_TAKE(endpoint->strings));
	endpoint->n_headers = 0;
}
