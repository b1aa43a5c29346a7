#include "export/text/template.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

static struct pipa_buf out;
static struct pipa_error err;

static int expand(enum pipa_template_language language, const char *text)
{
	static const char *const events[] = { "cycles:D", "a'b" };
	static const struct pipa_template_value values[] = {
		{ .name = "name", .text = "it's $(id) `id` \"x\"" },
		{ .name = "line", .text = "a\nb" },
		{ .name = "yes", .text = "true" },
		{ .name = "no", .text = "" },
		{ .name = "number", .text = "-1" },
		{ .name = "events", .items = events, .n_items = PIPA_COUNT(events) },
	};
	const struct pipa_template in = {
		.name = "t.sh", .language = language, .text = text, .len = strlen(text)
	};

	pipa_buf_reset(&out);
	err = (struct pipa_error){ 0 };
	return pipa_template_expand(&in, values, PIPA_COUNT(values), &out, &err);
}

static const char *shell(const char *text)
{
	CHECK_EQ(expand(PIPA_TEMPLATE_SHELL, text), 0);
	return pipa_buf_str(&out);
}

static const char *yaml(const char *text)
{
	CHECK_EQ(expand(PIPA_TEMPLATE_YAML, text), 0);
	return pipa_buf_str(&out);
}

static const char *refusal(enum pipa_template_language language, const char *text)
{
	CHECK_EQ(expand(language, text), -EINVAL);
	return err.what;
}

TEST(a_value_is_one_word_of_shell)
{
	CHECK_STR(shell("x={{name}}\n"), "x='it'\\''s $(id) `id` \"x\"'\n");
	CHECK_STR(shell("\tx_1={{line}}\n"), "\tx_1='a\nb'\n");
	CHECK_STR(shell("x={{no}}\n"), "x=''\n");
	CHECK_STR(shell("x={{events}}\n"), "x='cycles:D,a'\\''b'\n");
}

TEST(a_value_of_yaml_is_quoted_unless_it_is_a_number_or_boolean)
{
	CHECK_STR(yaml("x: {{name}}\n"), "x: \"it's $(id) `id` \\\"x\\\"\"\n");
	CHECK_STR(yaml("x: {{line}}\n"), "x: \"a\\nb\"\n");
	CHECK_STR(yaml("x: {{number}}\ny: {{yes}}\n"), "x: -1\ny: true\n");
	CHECK_STR(yaml("x: {{events}}\n"), "x: [\"cycles:D\", \"a'b\"]\n");
	CHECK_STR(yaml("  - {{yes}}\n"), "  - true\n");
	CHECK_STR(yaml("x: {{no}}\n"), "x: \"\"\n");
}

TEST(a_comment_stays_one_line)
{
	CHECK_STR(shell("# of {{line}}!\n"), "# of a\\x0ab!\n");
	CHECK_STR(yaml("  # {{line}}\n"), "  # a\\x0ab\n");
}

TEST(a_value_in_any_other_place_is_refused_with_its_position)
{
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "a\necho {{name}}\n"),
		  "t.sh:2:6: a value must be assigned on a line of its own: name={{name}}");
	CHECK(strstr(refusal(PIPA_TEMPLATE_SHELL, "x=\"{{name}}\"\n"), "t.sh:1:4: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_SHELL, "x={{name}}{{name}}\n"), "t.sh:1:3: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_SHELL, "x={{name}}; rm\n"), "t.sh:1:3: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_SHELL, "1={{name}}\n"), "t.sh:1:3: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_SHELL, "echo # {{name}}\n"), "t.sh:1:8: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_YAML, "x={{name}}\n"), "t.sh:1:3: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_YAML, "x: a{{name}}\n"), "t.sh:1:5: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_YAML, "x: {{name}} # b\n"), "t.sh:1:4: "));
	CHECK(strstr(refusal(PIPA_TEMPLATE_YAML, ": {{name}}\n"), "t.sh:1:3: "));
}

TEST(conditions_select_lines_and_leave_no_trace)
{
	CHECK_STR(shell("a\n{{if yes}}\nb\n{{else}}\nc\n{{end}}\nd\n"), "a\nb\nd\n");
	CHECK_STR(shell("a\n\t{{if no}}\nb\n{{else}}\nc\n{{end}}  \nd\n"), "a\nc\nd\n");
	CHECK_STR(shell("{{if events}}\nb\n{{end}}\n"), "b\n");
	CHECK_STR(shell("{{if no}}\n{{if yes}}\nb\n{{else}}\nc\n{{end}}\nd\n{{end}}\ne\n"), "e\n");
	CHECK_STR(shell("{{if yes}}\n{{if no}}\nb\n{{else}}\nc\n{{end}}\nd\n{{end}}\n"), "c\nd\n");
	CHECK_STR(shell("a{{if no}} b{{else}} c{{end}} d\n"), "a c d\n");
	CHECK_STR(shell("{{if no}}\nx={{name}}\n{{end}}"), "");
}

TEST(remarks_and_escaped_braces)
{
	CHECK_STR(shell("{{! not written }}\na\n\nb{{! x}}\n"), "a\n\nb\n");
	CHECK_STR(shell("awk '\\{{ print }}'\n"), "awk '{{ print }}'\n");
	CHECK_STR(shell("no newline at the end"), "no newline at the end\n");
	CHECK_STR(shell(""), "");
}

TEST(wrong_placeholders_are_refused)
{
	char deep[17 * 11 + 1] = "";
	size_t i;

	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "a\n x={{nam}}\n"),
		  "t.sh:2:4: unknown placeholder 'nam'");
	CHECK(strstr(err.hint, "name"));
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "{{if none_such}}\n{{end}}\n"),
		  "t.sh:1:1: unknown placeholder 'none_such'");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "a {{else}}\n"),
		  "t.sh:1:3: {{else}} without {{if}}");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "{{if yes}}\n{{else}}\n{{else}}\n"),
		  "t.sh:3:1: {{else}} without {{if}}");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "{{end}}\n"), "t.sh:1:1: {{end}} without {{if}}");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "\n{{if yes}}\n"),
		  "t.sh:2:1: {{if}} without {{end}}");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "x={{name\n"), "t.sh:1:3: '{{' without '}}'");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "x={{}}\n"), "t.sh:1:3: invalid placeholder '{{}}'");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, "x={{a b}}\n"),
		  "t.sh:1:3: invalid placeholder '{{a b}}'");
	for (i = 0; i < 17; i++)
		strcat(deep, "{{if yes}}\n");
	CHECK_STR(refusal(PIPA_TEMPLATE_SHELL, deep), "t.sh:17:1: more than 16 nested conditions");
}

TEST(a_nul_in_a_template_is_refused)
{
	const struct pipa_template in = { .name = "t.sh", .text = "a\0b\n", .len = 4 };

	CHECK_EQ(pipa_template_expand(&in, NULL, 0, &out, &err), -EINVAL);
}
