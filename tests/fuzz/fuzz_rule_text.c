/*
 * Templates of findings: the HTML has only tags of the list, without attributes, each closed in the order of
 * nesting, and no other markup; with and without a value that is markup itself.
 */
#include "fuzz.h"

#include "analyze/rules/rule_text.h"
#include "base/buf.h"

static const char *const tags[] = { "strong", "em", "code", "ul", "ol", "li", "div", "blockquote" };

enum { N_TAGS = sizeof(tags) / sizeof(tags[0]), DEEPEST = 64 };

/* Return the tag at `text`, N_TAGS for a line break; the length is that of the whole tag. */
static size_t tag_at(const char *text, bool *closes, size_t *len)
{
	size_t i;

	if (strncmp(text, "<br>", 4) == 0) {
		*len = 4;
		return N_TAGS;
	}
	*closes = text[1] == '/';
	text += 1 + *closes;
	for (i = 0; i < N_TAGS; i++)
		if (strncmp(text, tags[i], strlen(tags[i])) == 0 && text[strlen(tags[i])] == '>')
			break;
	MUST(i < N_TAGS);
	*len = strlen(tags[i]) + 2 + *closes;
	return i;
}

static void check_html(const char *html)
{
	size_t open[DEEPEST], n = 0, len, tag;
	bool closes = false;

	while (*html) {
		MUST(*html != '>' && *html != '"' && *html != '\'');
		if (*html != '<') {
			html++;
			continue;
		}
		tag = tag_at(html, &closes, &len);
		html += len;
		if (tag == N_TAGS)
			continue;
		if (closes)
			MUST(n && open[--n] == tag);
		else
			MUST(n < DEEPEST && (open[n++] = tag) == tag);
	}
	MUST(n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pipa_variable hostile = {
		.name = "x", .value = { PIPA_VALUE_TEXT, 0, "</div><script a='\"'>&**{x}" }
	};
	char *text = fuzz_text(data, size);
	struct pipa_context context = { 0 };
	struct pipa_placeholder p;
	struct pipa_buf out = { 0 };
	size_t offset = 0, before = 0;

	MUST(pipa_context_set(&context, &hostile));
	pipa_rule_text_write(text, &context, PIPA_MARKUP_HTML, &out);
	check_html(pipa_buf_str(&out));
	pipa_buf_reset(&out);
	pipa_rule_text_write(text, &context, PIPA_MARKUP_TEXT, &out);
	while (pipa_placeholder_next(text, &offset, &p)) {
		MUST(p.start >= before && p.end > p.start && p.end <= strlen(text) &&
		     offset == p.end);
		MUST((p.fault != NULL) == (p.name[0] == '\0'));
		before = p.end;
	}
	pipa_buf_done(&out);
	pipa_context_done(&context);
	free(text);
	return 0;
}
