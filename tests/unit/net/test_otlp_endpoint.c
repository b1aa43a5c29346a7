#include "net/otlp/endpoint.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "lib/test.h"
#include "net/otlp/client.h"
#include "net/retry.h"

static struct pipa_otlp_endpoint e;
static struct pipa_error err;
static char warning[200];

static void on_log(void *ctx PIPA_UNUSED, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	snprintf(warning, sizeof(warning), "%s", text);
}

static int find(struct pipa_otlp_options o)
{
	const struct pipa_log log = { .write = on_log };

	pipa_otlp_endpoint_done(&e);
	return pipa_otlp_endpoint_init(&o, &log, &e, &err);
}

static void check(const char *url, const char *protocol, const char *want,
		  enum pipa_otlp_protocol want_protocol)
{
	CHECK_EQ(find((struct pipa_otlp_options){ .url = url, .protocol = protocol }), 0);
	CHECK_STR(e.text, want);
	CHECK_EQ(e.protocol, want_protocol);
}

TEST(port_4318_or_a_path_means_http_unless_the_protocol_is_given)
{
	check(NULL, NULL, "http://localhost:4317", PIPA_OTLP_GRPC);
	check("", NULL, "http://localhost:4317", PIPA_OTLP_GRPC);
	check(NULL, "http/protobuf", "http://localhost:4318/v1development/profiles",
	      PIPA_OTLP_HTTP_PROTOBUF);
	check("http://a:4318", NULL, "http://a:4318/v1development/profiles",
	      PIPA_OTLP_HTTP_PROTOBUF);
	check("http://a:4318/", NULL, "http://a:4318/v1development/profiles",
	      PIPA_OTLP_HTTP_PROTOBUF);
	check("http://a:80/x/y", NULL, "http://a:80/x/y", PIPA_OTLP_HTTP_PROTOBUF);
	check("http://a:4318", "grpc", "http://a:4318", PIPA_OTLP_GRPC);
	check("http://a:4317/x", "grpc", "http://a:4317", PIPA_OTLP_GRPC);
	check("http://a", "http/json", "http://a:4318/v1development/profiles", PIPA_OTLP_HTTP_JSON);
	check("https://a", NULL, "https://a:443", PIPA_OTLP_GRPC);
	check("http://[::1]:9", NULL, "http://[::1]:9", PIPA_OTLP_GRPC);
}

TEST(options_precede_the_variables_of_profiles_and_those_the_general_ones)
{
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://general:4318/base/", 1);
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", 1);
	setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none", 1);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2500", 1);
	setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca", 1);
	check(NULL, NULL, "http://general:4318/base/v1development/profiles",
	      PIPA_OTLP_HTTP_PROTOBUF);
	CHECK_EQ(e.compression, PIPA_OTLP_UNCOMPRESSED);
	CHECK_EQ(e.timeout_ns, 2500 * PIPA_NS_PER_MS);
	CHECK_STR(e.tls.ca_file, "/ca");
	setenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://profiles:9/p", 1);
	setenv("OTEL_EXPORTER_OTLP_PROFILES_COMPRESSION", "zstd", 1);
	setenv("OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL", "", 1); /* empty: unset */
	check(NULL, NULL, "http://profiles:9/p", PIPA_OTLP_HTTP_PROTOBUF);
	CHECK_EQ(e.compression, PIPA_OTLP_ZSTD);
	setenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://profiles:4318", 1);
	check(NULL, NULL, "http://profiles:4318/", PIPA_OTLP_HTTP_PROTOBUF); /* as it is */
	check("http://option:4317", NULL, "http://option:4317/v1development/profiles",
	      PIPA_OTLP_HTTP_PROTOBUF); /* the variable overrides the default */
	check("http://option:4317", "grpc", "http://option:4317", PIPA_OTLP_GRPC);
	CHECK_EQ(find((struct pipa_otlp_options){
			 .compression = "gzip", .timeout_ns = 7, .ca_file = "/mine" }),
		 0);
	CHECK_EQ(e.compression, PIPA_OTLP_GZIP);
	CHECK_EQ(e.timeout_ns, 7);
	CHECK_STR(e.tls.ca_file, "/mine");
}

TEST(endpoint_of_a_variable_without_a_scheme_uses_tls_unless_insecure_is_set)
{
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", 1);
	check(NULL, NULL, "https://collector:4317", PIPA_OTLP_GRPC);
	setenv("OTEL_EXPORTER_OTLP_INSECURE", "TRUE", 1);
	check(NULL, NULL, "http://collector:4317", PIPA_OTLP_GRPC);
}

TEST(unknown_values_of_variables_are_reported_and_ignored)
{
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon", 1);
	check(NULL, NULL, "http://localhost:4317", PIPA_OTLP_GRPC);
	CHECK_HAS(warning, "OTEL_EXPORTER_OTLP_PROTOCOL: ignoring");
	unsetenv("OTEL_EXPORTER_OTLP_PROTOCOL");
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", 1);
	check(NULL, NULL, "http://localhost:4317", PIPA_OTLP_GRPC);
	CHECK_HAS(warning, "OTEL_EXPORTER_OTLP_TIMEOUT: ignoring");
	CHECK_EQ(e.timeout_ns, 10 * PIPA_NS_PER_SEC);
}

TEST(invalid_options_are_refused)
{
	CHECK_EQ(find((struct pipa_otlp_options){ .url = "localhost:4317" }), -EINVAL);
	CHECK_HAS(err.what, "--otlp: invalid URL 'localhost:4317'");
	CHECK_EQ(find((struct pipa_otlp_options){ .url = "http://u:p@a/" }), -EINVAL);
	CHECK_EQ(find((struct pipa_otlp_options){ .protocol = "http" }), -EINVAL);
	CHECK_HAS(err.what, "--otlp-protocol: invalid value 'http'");
	CHECK_EQ(find((struct pipa_otlp_options){ .compression = "xz" }), -EINVAL);
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://", 1);
	CHECK_EQ(find((struct pipa_otlp_options){ 0 }), -EINVAL);
	CHECK_HAS(err.what, "OTEL_EXPORTER_OTLP_ENDPOINT");
}

static const char *header(const char *name)
{
	size_t i;

	for (i = 0; i < e.n_headers; i++)
		if (strcmp(e.headers[i].name, name) == 0)
			return e.headers[i].value;
	return NULL;
}

TEST(headers_of_variables_are_percent_decoded_and_replaced_by_options)
{
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20YTpi%3D , x-a = 1%2C2,,x-b=3",
	       1);
	CHECK_EQ(find((struct pipa_otlp_options){ .headers = { "X-B=50%25", "x-c==" },
						  .n_headers = 2 }),
		 0);
	CHECK_EQ(e.n_headers, 4);
	CHECK_STR(header("authorization"), "Basic YTpi=");
	CHECK_STR(header("x-a"), "1,2");
	CHECK_STR(header("x-b"), "50%25"); /* an option is taken as it is */
	CHECK_STR(header("x-c"), "=");
}

TEST(headers_that_would_break_the_request_are_refused)
{
	static const char *const bad[] = { "no-value",	    "=x",     "a b=c",
					   "x=a\r\nb: c",   "host=x", ":path=/x",
					   "grpc-status=0", "te=x",   "content-length=1" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(bad); i++) {
		CHECK_EQ(find((struct pipa_otlp_options){ .headers = { bad[i] }, .n_headers = 1 }),
			 -EINVAL);
		CHECK_HAS(err.what, "--otlp-header: invalid header");
	}
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=%0d%0ab: secret", 1);
	CHECK_EQ(find((struct pipa_otlp_options){ 0 }), -EINVAL);
	CHECK(!strstr(err.what, "secret")); /* values are not printed */
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=%0", 1);
	CHECK_EQ(find((struct pipa_otlp_options){ 0 }), -EINVAL);
}

TEST(waits_between_attempts_grow_by_half_up_to_30_seconds)
{
	CHECK_EQ(pipa_retry_backoff_ns(1, 0), 500 * PIPA_NS_PER_MS);
	CHECK_EQ(pipa_retry_backoff_ns(1, PIPA_NS_PER_SEC - 1), 1500 * PIPA_NS_PER_MS - 1);
	CHECK_EQ(pipa_retry_backoff_ns(2, 0), 750 * PIPA_NS_PER_MS);
	CHECK_EQ(pipa_retry_backoff_ns(50, 0), 15 * PIPA_NS_PER_SEC);
	CHECK_EQ(pipa_retry_backoff_ns(4000000000u, UINT64_MAX) <= 45 * PIPA_NS_PER_SEC, 1);
}

TEST(retry_after_is_seconds_or_a_date)
{
	const uint64_t wall = UINT64_C(784111777) * PIPA_NS_PER_SEC; /* the date of RFC 9110 */
	uint64_t ns = 1;

	CHECK_EQ(pipa_otlp_retry_after("120", wall, &ns), 0);
	CHECK_EQ(ns, 120 * PIPA_NS_PER_SEC);
	CHECK_EQ(pipa_otlp_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", wall, &ns), 0);
	CHECK_EQ(ns, 0);
	CHECK_EQ(pipa_otlp_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", wall, &ns), 0);
	CHECK_EQ(ns, 60 * PIPA_NS_PER_SEC);
	CHECK_EQ(pipa_otlp_retry_after("99999999999999", wall, &ns), 0);
	CHECK_EQ(ns, INT64_MAX);
	CHECK_EQ(pipa_otlp_retry_after("soon", wall, &ns), -EINVAL);
	CHECK_EQ(pipa_otlp_retry_after("Sun, 06 anF 1994 08:50:37 GMT", wall, &ns), -EINVAL);
	CHECK_EQ(pipa_otlp_retry_after("", wall, &ns), -EINVAL);
}
