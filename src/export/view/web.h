/*
 * Files of web/, rules/ and templates/ as strings, made by cmake/embed.cmake.
 *
 * The page has placeholders, each once and in this order: {{style-hash}} and {{script-hash}}
 * (base64 of SHA-256, for the content security policy), {{title}}, {{style}}, {{data}} (the
 * payload, web/README.md), {{script}}. Style and script are inserted unchanged, because the hashes
 * are of these bytes; title and data are escaped by the writer.
 */
#ifndef PIPA_EXPORT_VIEW_WEB_H
#define PIPA_EXPORT_VIEW_WEB_H

#include <stddef.h>

struct pipa_web_text {
	const char *bytes; /* a NUL follows */
	size_t len;
};

extern const struct pipa_web_text pipa_web_page, pipa_web_style, pipa_web_script;

/*
 * The report of an analysis. Its page has {{lang}} before {{title}}, {{blocks}} before {{data}} and
 * {{profile}} after it.
 */
extern const struct pipa_web_text pipa_web_report_page, pipa_web_report_style,
	pipa_web_report_script;

/*
 * Style and script of an SVG flame graph. They are inserted in CDATA sections, which they must not
 * end.
 */
extern const struct pipa_web_text pipa_web_svg_style, pipa_web_svg_script;

/* rules/default.yaml: the built-in rules. */
extern const struct pipa_web_text pipa_rules_default;

/* templates/: the built-in templates of `pipa generate`. */
extern const struct pipa_web_text pipa_template_collect, pipa_template_parse, pipa_template_run,
	pipa_template_config, pipa_template_upload;

#endif
