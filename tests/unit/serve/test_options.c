#include "serve/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "lib/test.h"

enum { ARGS_MAX = 10 };

static struct pipa_serve_options options;
static struct pipa_error err;

/* Parse "pipad" with arguments; the last is NULL. */
static int parse(const char *const *args)
{
	static char *argv[ARGS_MAX + 2];
	int argc = 1;

	argv[0] = (char *)"pipad";
	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)args[argc - 1];
	err = (struct pipa_error){ 0 };
	return pipa_serve_options_parse(argc, argv, &options, &err);
}

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

/* Parse a configuration file with this text, and the option --table after it unless it is NULL. */
static int parse_file(const char *text, const char *table)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/pipad.yaml", pipa_test_dir());
	pipa_test_file(pipa_test_dir(), "pipad.yaml", text);
	return table ? PARSE("--config", path, "--table", table) : PARSE("--config", path);
}

TEST(defaults_are_those_of_pipas_server)
{
	CHECK(PARSE() >= 0);
	CHECK_STR(options.address, "127.0.0.1");
	CHECK_STR(options.port, "50051");
	CHECK_STR(options.http_port, "8080");
	CHECK_STR(options.table, "example");
	CHECK_STR(pipa_serve_options_path(&options), "./example.db");
	CHECK_EQ(options.max_message, 16 << 20);
	CHECK(!options.insecure && !options.tls_cert && !options.token_file);
	pipa_serve_options_done(&options);
}

TEST(the_database_is_below_the_data_location_unless_it_is_absolute)
{
	static const struct {
		const char *location, *database, *path;
	} cases[] = {
		{ "/srv", "a.db", "/srv/a.db" },
		{ "/srv/", "a.db", "/srv/a.db" },
		{ "/srv", "/var/a.db", "/var/a.db" },
		{ "", "a.db", "a.db" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		CHECK(PARSE("-l", cases[i].location, "-d", cases[i].database) >= 0);
		CHECK_STR(pipa_serve_options_path(&options), cases[i].path);
		pipa_serve_options_done(&options);
	}
	CHECK(PARSE("--store", "sqlite:x.db", "-l", "/srv") >= 0);
	CHECK_STR(pipa_serve_options_path(&options), "x.db");
	pipa_serve_options_done(&options);
}

TEST(sizes_and_times_have_units)
{
	CHECK(PARSE("--max-message", "64M", "--retention", "90d", "--idle", "5m", "--grace",
		    "500ms") >= 0);
	CHECK_EQ(options.max_message, 64000000);
	CHECK_EQ(options.retention_ns, 90 * 86400 * PIPA_NS_PER_SEC);
	CHECK_EQ(options.idle_ns, 300 * PIPA_NS_PER_SEC);
	CHECK_EQ(options.grace_ns, PIPA_NS_PER_SEC / 2);
	pipa_serve_options_done(&options);
	CHECK(PARSE("--retention=36h") >= 0);
	CHECK_EQ(options.retention_ns, 36 * 3600 * PIPA_NS_PER_SEC);
	pipa_serve_options_done(&options);
}

TEST(invalid_values_are_refused_with_the_name_of_the_option)
{
	static const struct {
		const char *option, *value, *why;
	} cases[] = {
		{ "--max-message", "0", "--max-message: invalid size '0'" },
		{ "--max-message", "3G", "--max-message: invalid size '3G'" },
		{ "--max-header", "2M", "--max-header: invalid size" },
		{ "--max-buffered", "x", "--max-buffered: invalid size 'x'" },
		{ "--retention", "d", "--retention: invalid duration 'd'" },
		{ "--retention", "100000d", "--retention: invalid duration" },
		{ "--log-level", "loud", "--log-level: invalid level 'loud'" },
		{ "--threads", "0", "threads" },
		{ "--max-connections", "-1", "max-connections" },
		{ "--store", "clickhouse:x", "--store: invalid store" },
		{ "--store", "sqlite:", "--store: invalid path '', expected a file" },
		{ "--store", "sqlite::memory:", "--store: invalid path ':memory:'" },
		{ "--database", "", "--database: invalid path ''" },
		{ "--tls-key", "x", "--tls-key requires --tls-cert" },
		{ "--client-ca", "x", "--client-ca requires --tls-cert" },
		{ "--grafana-path", "/x", "--grafana-path requires --grafana-url" },
		{ "--grafana-key", "x", "require each other" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		CHECK_EQ(PARSE(cases[i].option, cases[i].value), -EINVAL);
		CHECK_HAS(err.what, cases[i].why);
	}
	CHECK_EQ(PARSE("-l", "", "-d", ":memory:"), -EINVAL);
	CHECK_HAS(err.what, "--database: invalid path ':memory:'");
	CHECK_EQ(PARSE("word"), -EINVAL);
	CHECK_EQ(PARSE("--help"), -ECANCELED);
}

TEST(a_file_sets_options_and_the_command_line_overrides_it)
{
	CHECK(parse_file("# comment\nport: 1234\ntable: of_file\nlog-json: true\ninsecure: false\n",
			 NULL) >= 0);
	CHECK_STR(options.port, "1234");
	CHECK_STR(options.table, "of_file");
	CHECK(options.log_json && !options.insecure);
	pipa_serve_options_done(&options);
	CHECK(parse_file("table: of_file\nport: 1\n", "of_line") >= 0);
	CHECK_STR(options.table, "of_line");
	CHECK_STR(options.port, "1");
	pipa_serve_options_done(&options);
}

TEST(a_file_with_a_mistake_is_refused_with_its_name)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "tabel: x\n", "pipad.yaml" },
		{ "insecure: yes please\n", "insecure: invalid value" },
		{ "config: other.yaml\n", "config cannot be set" },
		{ "version: true\n", "version cannot be set" },
		{ "table: a\ntable: b\n", "table occurs twice" },
		{ "table: [a]\n", "expected a plain value" },
		{ "max-message: 0\n", "pipad.yaml: --max-message" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		CHECK(parse_file(cases[i].text, NULL) < 0);
		CHECK_HAS(err.what, cases[i].why);
	}
	CHECK_EQ(PARSE("--config", "/none/pipad.yaml"), -ENOENT);
}

TEST(the_help_lists_each_option)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_serve_options_help(&text);
	CHECK_HAS(pipa_buf_str(&text), "--max-buffered SIZE");
	CHECK_HAS(pipa_buf_str(&text), "-a, --address ADDR");
}
