#include "serve/grafana.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "codec/doc.h"
#include "net/h2.h"
#include "net/post.h"
#include "net/url.h"

enum { WAIT_S = 10, REPLY_MAX = 1 << 16 };

static void put_datasource(const struct pipa_grafana *grafana, struct pipa_buf *out)
{
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	pipa_doc_str(&doc, "name", grafana->name);
	pipa_doc_str(&doc, "type", "frser-sqlite-datasource");
	pipa_doc_str(&doc, "access", "proxy");
	pipa_doc_map(&doc, "jsonData");
	pipa_doc_str(&doc, "path", grafana->path);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}

/* Append the path of the interface to that of the URL. */
static int parse_url(const struct pipa_grafana *grafana, struct pipa_url *url,
		     struct pipa_error *err)
{
	char text[2300];
	size_t len = strlen(grafana->url);

	while (len && grafana->url[len - 1] == '/')
		len--;
	if (len > 2000 ||
	    (snprintf(text, sizeof(text), "%.*s/api/datasources", (int)len, grafana->url),
	     pipa_url_parse(text, url) < 0))
		return pipa_refuse(err, -EINVAL, "--grafana-url: invalid URL '%.100s'",
				   grafana->url);
	return 0;
}

static int post_datasource(const struct pipa_grafana *grafana, const struct pipa_url *url,
			   struct pipa_post_reply *reply, struct pipa_error *err)
{
	const struct pipa_post_options options = { .url = url, .max_reply = REPLY_MAX };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf body = { 0 };
	char bearer[1100];
	const struct pipa_h2_field fields[] = { { "Content-Type", "application/json", false },
						{ "Accept", "application/json", false },
						{ "Authorization", bearer, true } };
	struct pipa_post_client *client;
	int rc;

	snprintf(bearer, sizeof(bearer), "Bearer %.1000s", grafana->key);
	put_datasource(grafana, &body);
	client = pipa_post_client_new(&options);
	if (!client || body.status) {
		pipa_post_client_free(client);
		return pipa_fail(err, -ENOMEM, "register the datasource");
	}
	rc = pipa_post(client, fields, PIPA_COUNT(fields),
		       (struct pipa_span){ (uint8_t *)body.data, body.len },
		       pipa_clock_ns() + WAIT_S * PIPA_NS_PER_SEC, reply, err);
	pipa_post_client_free(client);
	explicit_bzero(bearer, sizeof(bearer));
	return rc;
}

int pipa_grafana_register(const struct pipa_grafana *grafana, struct pipa_error *err)
{
	struct pipa_post_reply reply = { 0 };
	struct pipa_url url;
	int rc = parse_url(grafana, &url, err);

	if (!rc)
		rc = post_datasource(grafana, &url, &reply, err);
	if (!rc && reply.status == 409)
		rc = 1;
	else if (!rc && reply.status != 200)
		rc = pipa_refuse(err, -EREMOTEIO,
				 "cannot register the datasource: Grafana answers %d",
				 reply.status);
	pipa_post_reply_done(&reply);
	return rc;
}
