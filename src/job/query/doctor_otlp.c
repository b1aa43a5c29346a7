#include "job/query/doctor_otlp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "job/query/finding.h"
#include "net/otlp/client.h"
#include "net/otlp/endpoint.h"

#define TIMEOUT_NS (3 * PIPA_NS_PER_SEC)

/* Does the reason mean that a receiver of profiles read the request and found it empty? */
static bool is_empty_refused(const struct pipa_error *err)
{
	return strstr(err->what, "INVALID_ARGUMENT") || strstr(err->what, "HTTP status 400");
}

/* Return the text after "cannot send profiles to URL: ". */
static const char *reason(const struct pipa_error *err, const char *url)
{
	const char *found = strstr(err->what, url);

	return found && found[strlen(url)] == ':' ? found + strlen(url) + 2 : err->what;
}

/* Send an empty request by one protocol. Returns 1 if a receiver answered, 0 if not, or a negative errno. */
static int probe(const struct pipa_doctor_otlp_options *o, const char *protocol,
		 struct pipa_finding *finding, struct pipa_error *err)
{
	static const uint8_t nothing;
	struct pipa_otlp_options options = *o->endpoint;
	struct pipa_otlp_endpoint endpoint;
	struct pipa_otlp_client *client;
	struct pipa_otlp_sent sent;
	struct pipa_error failure = { 0 };
	int rc;

	options.protocol = protocol;
	options.timeout_ns = options.timeout_ns ? options.timeout_ns : TIMEOUT_NS;
	rc = pipa_otlp_endpoint_init(&options, o->log, &endpoint, err);
	if (rc < 0)
		return rc;
	client = pipa_otlp_client_new(&endpoint, o->version, NULL);
	rc = client ?
		     pipa_otlp_send(client, (struct pipa_span){ &nothing, 0 }, 0, &sent, &failure) :
		     pipa_fail(&failure, -ENOMEM, "connect");
	if (!rc)
		pipa_found(finding, PIPA_FOUND_GOOD, "%.120s accepts profiles", endpoint.text);
	else if (is_empty_refused(&failure))
		pipa_found(finding, PIPA_FOUND_GOOD,
			   "%.90s receives profiles (an empty request: %.60s)", endpoint.text,
			   reason(&failure, endpoint.text));
	else
		pipa_found(finding, PIPA_FOUND_MISSING, "%.90s: %s", endpoint.text,
			   reason(&failure, endpoint.text));
	rc = !rc || is_empty_refused(&failure);
	pipa_otlp_client_free(client);
	pipa_otlp_endpoint_done(&endpoint);
	return rc;
}

int pipa_doctor_otlp(const struct pipa_doctor_otlp_options *o, struct pipa_buf *out,
		     bool *ret_usable, struct pipa_error *err)
{
	static const char *const names[PIPA_OTLP_PROTOCOL_NR] = {
		[PIPA_OTLP_GRPC] = "OTLP/gRPC",
		[PIPA_OTLP_HTTP_PROTOBUF] = "OTLP/HTTP protobuf",
		[PIPA_OTLP_HTTP_JSON] = "OTLP/HTTP JSON",
	};
	struct pipa_finding findings[PIPA_OTLP_PROTOCOL_NR + 1] = { 0 };
	enum pipa_otlp_protocol i;
	size_t n = 0;
	int rc;

	*ret_usable = false;
	for (i = 0; i < PIPA_OTLP_PROTOCOL_NR; i++) {
		if (o->endpoint->protocol &&
		    strcmp(o->endpoint->protocol, pipa_otlp_protocol_name(i)) != 0)
			continue;
		findings[n].name = names[i];
		rc = probe(o, pipa_otlp_protocol_name(i), &findings[n], err);
		if (rc < 0)
			return rc;
		*ret_usable |= rc > 0;
		n++;
	}
	if (*ret_usable) {
		/* receivers do not report it, and those of the other layout accept wrong numbers */
		findings[n].name = "OTLP layout";
		pipa_found(&findings[n], PIPA_FOUND_PARTLY,
			   "cannot be detected: pipa sends proto 1.10 unless told otherwise");
		pipa_found_fix(
			&findings[n++],
			"--otlp-layout 1.9 for a Collector before 0.148, Pyroscope before 1.20 "
			"or Parca before 0.27");
	}
	pipa_findings_write(findings, n, o->json, o->color, out);
	return out->status ? pipa_fail(err, out->status, "write the findings") : 0;
}
