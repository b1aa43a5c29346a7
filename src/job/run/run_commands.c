#include "job/run/run_commands.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "job/run/run.h"

enum { COMMANDS_MAX = 10000 };

static const char blanks[] = " \t\n";

/* The values of a parameter. */
struct values {
	char **items;
	size_t n, cap;
};

/* State while commands are listed. */
struct expansion {
	const struct pipa_run_options *o;
	struct values *values; /* one per parameter */
	size_t *chosen;	       /* index of the current value of each parameter */
	bool *used;	       /* does any command use the parameter? */
	struct pipa_run_commands *ret;
	struct pipa_error *err;
};

static void free_strings(char **strings)
{
	size_t i;

	for (i = 0; strings && strings[i]; i++)
		free(strings[i]);
	free(strings);
}

void pipa_run_commands_done(struct pipa_run_commands *commands)
{
	size_t i;
	enum pipa_run_hook hook;

	for (i = 0; i < commands->n; i++) {
		free(commands->items[i].text);
		free_strings(commands->items[i].argv);
		free_strings(commands->items[i].values);
		for (hook = 0; hook < PIPA_RUN_HOOKS; hook++)
			free(commands->items[i].hooks[hook]);
	}
	free(commands->items);
	free(commands->parameters);
	*commands = (struct pipa_run_commands){ 0 };
}

/* ---- parameters --------------------------------------------------------------------------------- */

/* Append a value; takes ownership of text, which may be NULL on allocation failure. */
static int add_value(struct values *values, char *text)
{
	char **slot = text ? PIPA_VEC_ADD(values) : NULL;

	if (!slot) {
		free(text);
		return -ENOMEM;
	}
	*slot = text;
	return 0;
}

static int list_values(const char *list, struct values *ret)
{
	const char *at = list;
	int rc = 0;

	while (!rc) {
		size_t len = strcspn(at, ",");

		rc = add_value(ret, strndup(at, len));
		if (!at[len])
			break;
		at += len + 1;
	}
	return rc;
}

static int digits_after_point(const char *number)
{
	const char *point = strchr(number, '.');

	return point ? (int)strlen(point + 1) : 0;
}

/* List first, first + step ... last, with as many decimals as the numbers were given with. */
static int scan_values(const struct pipa_run_parameter *p, const char *step_text,
		       struct values *ret, struct pipa_error *err)
{
	double first, last, step = 1, n;
	int digits = digits_after_point(p->first), rc = 0;
	char text[64];
	size_t i;

	if (pipa_str_double(p->first, &first) < 0 || pipa_str_double(p->last, &last) < 0 ||
	    strpbrk(p->first, "eE") || !(first <= last))
		return pipa_refuse(err, -EINVAL,
				   "--parameter-scan %s: invalid range '%s' to '%s', expected two "
				   "numbers in ascending order",
				   p->name, p->first, p->last);
	if (step_text && (pipa_str_double(step_text, &step) < 0 || !(step > 0)))
		return pipa_refuse(err, -EINVAL,
				   "--parameter-step-size: invalid step '%s', expected a number "
				   "above 0",
				   step_text);
	if (step_text && digits_after_point(step_text) > digits)
		digits = digits_after_point(step_text);
	n = floor((last - first) / step + 1e-9) + 1;
	if (n > COMMANDS_MAX)
		return pipa_refuse(err, -E2BIG, "--parameter-scan %s: more than %d values", p->name,
				   COMMANDS_MAX);
	for (i = 0; !rc && i < (size_t)n; i++) {
		snprintf(text, sizeof(text), "%.*f", digits < 9 ? digits : 9,
			 first + (double)i * step);
		rc = add_value(ret, strdup(text));
	}
	return rc ? pipa_fail(err, rc, "list commands") : 0;
}

static bool is_name(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
			return false;
	return i > 0;
}

static int read_parameters(struct expansion *x)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < x->o->n_parameters; i++) {
		const struct pipa_run_parameter *p = &x->o->parameters[i];

		if (!is_name(p->name))
			return pipa_refuse(x->err, -EINVAL,
					   "%s: invalid name '%s', expected letters, digits, - and "
					   "_",
					   p->list ? "--parameter-list" : "--parameter-scan",
					   p->name);
		for (k = 0; k < i; k++)
			if (strcmp(p->name, x->o->parameters[k].name) == 0)
				return pipa_refuse(x->err, -EINVAL, "parameter '%s' given twice",
						   p->name);
		x->ret->parameters[i] = p->name;
		if (!p->list)
			rc = scan_values(p, x->o->step, &x->values[i], x->err);
		else if (list_values(p->list, &x->values[i]) < 0)
			rc = pipa_fail(x->err, -ENOMEM, "list commands");
	}
	return rc;
}

/* Return the index of the parameter whose {NAME} is at the start of text, n_parameters if there is none. */
static size_t parameter_at(const struct expansion *x, const char *text)
{
	size_t i, len;

	for (i = 0; i < x->o->n_parameters; i++) {
		len = strlen(x->o->parameters[i].name);
		if (text[0] == '{' && strncmp(text + 1, x->o->parameters[i].name, len) == 0 &&
		    text[1 + len] == '}')
			break;
	}
	return i;
}

/* Replace each {NAME} by the chosen value. NULL on allocation failure. */
static char *substitute(const struct expansion *x, const char *text)
{
	struct pipa_buf out = { 0 };

	while (*text) {
		size_t i = parameter_at(x, text);

		if (i == x->o->n_parameters) {
			pipa_buf_putc(&out, *text++);
			continue;
		}
		pipa_buf_puts(&out, x->values[i].items[x->chosen[i]]);
		text += strlen(x->o->parameters[i].name) + 2;
	}
	return pipa_buf_take(&out);
}

static void mark_used(const struct expansion *x, const char *text, bool *used)
{
	size_t i;

	for (; text && *text; text++) {
		i = parameter_at(x, text);
		if (i < x->o->n_parameters)
			used[i] = true;
	}
}

/* ---- commands ----------------------------------------------------------------------------------- */

/* Split a string into words as a shell does with quotes and backslashes. -EINVAL: a quote is open. */
static int split_words(const char *text, struct values *ret)
{
	struct pipa_buf word = { 0 };
	bool in_word = false;
	char quote = 0;
	int rc = 0;

	for (; !rc && *text; text++) {
		if (quote ? *text == quote : *text == '\'' || *text == '"') {
			quote = quote ? 0 : *text;
			in_word = true;
		} else if (*text == '\\' && quote != '\'' && text[1]) {
			pipa_buf_putc(&word, *++text);
			in_word = true;
		} else if (quote || !strchr(blanks, *text)) {
			pipa_buf_putc(&word, *text);
			in_word = true;
		} else if (in_word) {
			rc = add_value(ret, pipa_buf_take(&word));
			in_word = false;
		}
	}
	if (!rc && in_word)
		rc = add_value(ret, pipa_buf_take(&word));
	pipa_buf_done(&word);
	return rc ? rc : quote ? -EINVAL : 0;
}

/* Take ownership of the words as an argument vector. */
static int take_argv(struct values *words, char ***ret)
{
	char **end = PIPA_VEC_ADD(words);

	if (!end)
		return -ENOMEM;
	*end = NULL;
	*ret = words->items;
	*words = (struct values){ 0 };
	return 0;
}

static void free_values(struct values *values)
{
	size_t i;

	for (i = 0; i < values->n; i++)
		free(values->items[i]);
	free(values->items);
}

/* Make the argument vector of a command that was given as one string. */
static int argv_of_string(const struct expansion *x, struct pipa_run_command *command)
{
	struct values words = { 0 };
	int rc;

	command->by_shell = x->o->shell != PIPA_RUN_SHELL_NONE;
	if (command->by_shell) {
		rc = add_value(&words, strdup("sh"));
		if (!rc)
			rc = add_value(&words, strdup("-c"));
		if (!rc)
			rc = add_value(&words, strdup(command->text));
	} else {
		rc = split_words(command->text, &words);
	}
	if (rc == -EINVAL)
		pipa_refuse(x->err, rc, "unterminated quote in command: %s", command->text);
	if (!rc)
		rc = take_argv(&words, &command->argv);
	free_values(&words);
	return rc;
}

/* Make the argument vector, and the text, of a command that was given as words. */
static int argv_of_words(const struct expansion *x, char **given, struct pipa_run_command *command)
{
	struct pipa_buf text = { 0 };
	struct values words = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && given[i]; i++) {
		rc = add_value(&words, substitute(x, given[i]));
		if (!rc)
			pipa_buf_printf(&text, "%s%s", i ? " " : "", words.items[i]);
	}
	command->text = pipa_buf_take(&text);
	if (!rc)
		rc = command->text ? take_argv(&words, &command->argv) : -ENOMEM;
	free_values(&words);
	return rc;
}

static int add_command(struct expansion *x, const char *string, const bool *used)
{
	struct pipa_run_command *command = PIPA_VEC_ADD(x->ret);
	enum pipa_run_hook hook;
	size_t i;
	int rc = 0;

	if (!command)
		return -ENOMEM;
	*command = (struct pipa_run_command){ 0 };
	if (string) {
		command->text = substitute(x, string);
		rc = command->text ? argv_of_string(x, command) : -ENOMEM;
	} else {
		rc = argv_of_words(x, x->o->command, command);
	}
	if (!rc && (!command->argv[0] || command->text[strspn(command->text, blanks)] == '\0'))
		rc = pipa_refuse(x->err, -EINVAL, "empty command");
	command->values = calloc(x->o->n_parameters + 1, sizeof(*command->values));
	for (i = 0; !rc && i < x->o->n_parameters; i++) {
		command->values[i] = strdup(used[i] ? x->values[i].items[x->chosen[i]] : "");
		if (!command->values[i])
			rc = -ENOMEM;
	}
	for (hook = 0; !rc && hook < PIPA_RUN_HOOKS; hook++) {
		if (!x->o->hooks[hook])
			continue;
		command->hooks[hook] = substitute(x, x->o->hooks[hook]);
		if (!command->hooks[hook])
			rc = -ENOMEM;
	}
	return rc;
}

/* Choose the next combination of values, the last parameter first. False after the last combination. */
static bool choose_next(struct expansion *x, const bool *used)
{
	size_t i = x->o->n_parameters;

	while (i-- > 0) {
		if (used[i] && ++x->chosen[i] < x->values[i].n)
			return true;
		x->chosen[i] = 0;
	}
	return false;
}

/* Add a command for each combination of the parameters that it, or a hook, contains. */
static int expand_command(struct expansion *x, const char *string)
{
	PIPA_AUTO(free) bool *used = calloc(x->o->n_parameters + 1, sizeof(*used));
	enum pipa_run_hook hook;
	size_t i;
	int rc = used ? 0 : -ENOMEM;

	if (rc)
		return rc;
	if (string)
		mark_used(x, string, used);
	for (i = 0; !string && x->o->command && x->o->command[i]; i++)
		mark_used(x, x->o->command[i], used);
	for (hook = 0; hook < PIPA_RUN_HOOKS; hook++)
		mark_used(x, x->o->hooks[hook], used);
	for (i = 0; i < x->o->n_parameters; i++) {
		x->used[i] |= used[i];
		x->chosen[i] = 0;
	}
	do {
		if (x->ret->n == COMMANDS_MAX)
			return pipa_refuse(x->err, -E2BIG, "more than %d commands", COMMANDS_MAX);
		rc = add_command(x, string, used);
	} while (!rc && choose_next(x, used));
	return rc;
}

/* --shell=sh with words: sh gets them joined by spaces. */
static int expand_joined(struct expansion *x)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i;

	for (i = 0; x->o->command[i]; i++)
		pipa_buf_printf(&text, "%s%s", i ? " " : "", x->o->command[i]);
	return text.status ? text.status : expand_command(x, pipa_buf_str(&text));
}

static int expand_all(struct expansion *x)
{
	const struct pipa_run_options *o = x->o;
	bool strings = o->command && (strpbrk(o->command[0], blanks) != NULL);
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < o->n_commands; i++)
		rc = expand_command(x, o->commands[i]);
	for (i = 0; !rc && strings && o->command[i]; i++)
		rc = expand_command(x, o->command[i]);
	if (!rc && o->command && !strings)
		rc = o->shell == PIPA_RUN_SHELL_SH ? expand_joined(x) : expand_command(x, NULL);
	for (i = 0; !rc && i < o->n_parameters; i++)
		if (!x->used[i])
			rc = pipa_refuse(x->err, -EINVAL,
					 "unknown parameter '%s': no command contains {%s}",
					 o->parameters[i].name, o->parameters[i].name);
	return rc;
}

int pipa_run_commands_list(const struct pipa_run_options *o, struct pipa_run_commands *ret,
			   struct pipa_error *err)
{
	size_t n = o->n_parameters, i;
	struct expansion x = {
		.o = o,
		.values = calloc(n + 1, sizeof(*x.values)),
		.chosen = calloc(n + 1, sizeof(*x.chosen)),
		.used = calloc(n + 1, sizeof(*x.used)),
		.ret = ret,
		.err = err,
	};
	int rc;

	*ret = (struct pipa_run_commands){ .parameters = calloc(n + 1, sizeof(*ret->parameters)),
					   .n_parameters = n };
	if (!x.values || !x.chosen || !x.used || !ret->parameters)
		rc = -ENOMEM;
	else
		rc = read_parameters(&x);
	if (!rc)
		rc = expand_all(&x);
	for (i = 0; x.values && i < n; i++)
		free_values(&x.values[i]);
	free(x.values);
	free(x.chosen);
	free(x.used);
	if (rc)
		pipa_run_commands_done(ret);
	return rc == -ENOMEM ? pipa_fail(err, rc, "list commands") : rc;
}
