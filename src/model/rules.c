#include "model/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

const char *pipa_language_code(enum pipa_language language)
{
	static const char *const codes[PIPA_LANGUAGE_NR] = { "en", "zh" };

	return codes[language];
}

const char *pipa_severity_text(enum pipa_severity severity)
{
	static const char *const texts[PIPA_SEVERITY_NR] = { "info", "notice", "warning",
							     "critical" };

	return texts[severity];
}

void pipa_rules_done(struct pipa_rules *rules)
{
	free(rules->items);
	free(rules->constants.items);
	free(rules->problems.items);
	pipa_arena_done(&rules->arena);
	*rules = (struct pipa_rules){ 0 };
}

const struct pipa_rule_scalar *pipa_rule_words_in(const struct pipa_rule_words *words,
						  enum pipa_language language)
{
	enum pipa_language i;

	if (words->in[language].text)
		return &words->in[language];
	for (i = 0; i < PIPA_LANGUAGE_NR; i++)
		if (words->in[i].text)
			return &words->in[i];
	return NULL;
}

int pipa_rules_add_problem(struct pipa_rules *rules, const struct pipa_rule_problem *problem)
{
	struct pipa_rule_problem *item;
	const char *what;

	rules->n_problems++;
	if (rules->problems.n == PIPA_RULE_PROBLEMS)
		return 0;
	what = pipa_arena_text(&rules->arena, problem->what, strlen(problem->what));
	item = what ? PIPA_VEC_ADD(&rules->problems) : NULL;
	if (!item)
		return -ENOMEM;
	*item = *problem;
	item->what = what;
	return 0;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Step over one byte of the file and keep line and column. */
static void step(const char **raw, size_t *line, size_t *column)
{
	if (**raw == '\n') {
		++*line;
		*column = 1;
	} else if (((unsigned char)**raw & 0xc0) != 0x80) { /* not within a character */
		++*column;
	}
	++*raw;
}

void pipa_rule_scalar_position(const struct pipa_rule_scalar *scalar, size_t offset,
			       size_t *ret_line, size_t *ret_column)
{
	const char *raw = scalar->raw, *text = scalar->text;
	size_t line = scalar->line, column = scalar->column, i = 0;

	*ret_line = line;
	*ret_column = column;
	if (*raw == '\'' || *raw == '"') {
		step(&raw, &line, &column);
	} else if (*raw == '|' || *raw == '>') {
		while (*raw && *raw != '\n') /* the header of a block scalar */
			step(&raw, &line, &column);
	}
	for (;;) {
		while (i < offset && is_blank(text[i]))
			i++;
		while (is_blank(*raw))
			step(&raw, &line, &column);
		if (i >= offset || !text[i])
			break;
		if (*raw != text[i])
			return; /* an escape or a tag: the position stays that of the scalar */
		step(&raw, &line, &column);
		i++;
	}
	*ret_line = line;
	*ret_column = column;
}

int pipa_rules_set_constants(const struct pipa_rules *rules, struct pipa_context *context)
{
	size_t i;

	for (i = 0; i < rules->constants.n; i++) {
		const struct pipa_rule_constant *constant = &rules->constants.items[i];
		const struct pipa_variable variable = { .name = constant->name,
							.value = constant->value,
							.unit = constant->unit,
							.source = constant->file,
							.quality = 1,
							.is_constant = true };

		if (!pipa_context_set(context, &variable))
			return -ENOMEM;
	}
	return 0;
}
