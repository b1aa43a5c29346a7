#include "option/opt.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"

struct parse {
	const struct pipa_opt *opts;
	size_t n;
	int argc;
	char **argv;
	int at; /* index of the current argument */
	void *values;
	struct pipa_error *err;
};

/* Format the option as the user gave it, for messages. */
static const char *shown_name(const struct pipa_opt *opt, bool by_letter, char text[64])
{
	if (by_letter)
		snprintf(text, 64, "-%c", opt->letter);
	else
		snprintf(text, 64, "--%s", opt->name);
	return text;
}

static int bad_value(struct parse *p, const char *name, const char *thing, const char *value,
		     const char *want)
{
	return pipa_refuse(p->err, -EINVAL, "%s: invalid %s '%s', expected %s", name, thing, value,
			   want);
}

/* Refuse an integer that is too small or too large with its bounds, any other text as not an integer. */
static int bad_integer(struct parse *p, const struct pipa_opt *opt, const char *name,
		       const char *value)
{
	const char *digits = value + (value[0] == '-' || value[0] == '+');
	char bounds[80];

	if (!digits[0] || digits[strspn(digits, "0123456789")])
		return bad_value(p, name, "number", value,
				 opt->above_zero ? "an integer above 0" : "an integer");
	snprintf(bounds, sizeof(bounds), "an integer from %d to %llu", opt->above_zero,
		 opt->kind == PIPA_OPT_UINT ? (unsigned long long)UINT_MAX : ULLONG_MAX);
	return bad_value(p, name, "number", value, bounds);
}

static int set_number(struct parse *p, const struct pipa_opt *opt, const char *name,
		      const char *value)
{
	char *to = (char *)p->values + opt->offset;
	uint64_t number;

	if (pipa_str_u64(value, &number) < 0 || (opt->kind == PIPA_OPT_UINT && number > UINT_MAX) ||
	    (opt->above_zero && number == 0))
		return bad_integer(p, opt, name, value);
	if (opt->kind == PIPA_OPT_UINT)
		*(unsigned int *)(void *)to = (unsigned int)number;
	else
		*(uint64_t *)(void *)to = number;
	return 0;
}

static int set_duration(struct parse *p, const struct pipa_opt *opt, const char *name,
			const char *value)
{
	uint64_t ns;
	int rc = pipa_str_duration(value, opt->bare_ns, &ns);

	if (rc < 0 && !(value[0] == '-' && isdigit((unsigned char)value[1])))
		return bad_value(p, name, "duration", value,
				 "a duration such as 250ms, 1.5s or 2m");
	if (opt->above_zero && (rc < 0 || ns == 0))
		return bad_value(p, name, "duration", value,
				 "a duration above 0, such as 250ms, 1.5s or 2m");
	if (rc < 0)
		return bad_value(p, name, "duration", value,
				 "a duration of 0 or more, such as 250ms, 1.5s or 2m");
	*(uint64_t *)(void *)((char *)p->values + opt->offset) = ns;
	return 0;
}

static int set_option(struct parse *p, const struct pipa_opt *opt, const char *name,
		      const char *value)
{
	char *to = (char *)p->values + opt->offset;

	switch (opt->kind) {
	case PIPA_OPT_TITLE:
	case PIPA_OPT_LIST: return 0;
	case PIPA_OPT_FLAG: *(bool *)to = true; return 0;
	case PIPA_OPT_COUNT: ++*(unsigned int *)(void *)to; return 0;
	case PIPA_OPT_TEXT: *(const char **)(void *)to = value; return 0;
	case PIPA_OPT_CALL: return opt->set(p->values, opt->arg ? value : opt->given, p->err);
	case PIPA_OPT_FIELD: return opt->set(to, value, p->err);
	case PIPA_OPT_UINT:
	case PIPA_OPT_U64: return set_number(p, opt, name, value);
	case PIPA_OPT_DURATION: return set_duration(p, opt, name, value);
	}
	return -EINVAL;
}

/* Get the value of an option: attached to it, or the next argument. */
static int get_value(struct parse *p, const struct pipa_opt *opt, const char *name,
		     const char *attached)
{
	const char *value = attached;

	if (opt->kind == PIPA_OPT_LIST) {
		char *const *values = p->argv + p->at + 1;

		if (attached || p->at + opt->n_values >= p->argc)
			return pipa_refuse(p->err, -EINVAL, "%s needs %d values: %s", name,
					   opt->n_values, opt->arg);
		p->at += opt->n_values;
		return opt->set_list(p->values, values, p->err);
	}
	if (!opt->arg) {
		if (!attached)
			return set_option(p, opt, name, NULL);
		return pipa_refuse(p->err, -EINVAL, "%s takes no value", name);
	}
	if (!value && opt->optional && opt->takes && p->at + 1 < p->argc &&
	    opt->takes(p->argv[p->at + 1]))
		value = p->argv[++p->at];
	if (!value && opt->optional)
		return set_option(p, opt, name, NULL);
	if (!value) {
		if (p->at + 1 >= p->argc)
			return pipa_refuse(p->err, -EINVAL, "%s needs a value: %s", name, opt->arg);
		value = p->argv[++p->at];
	}
	return set_option(p, opt, name, value);
}

static int unknown_option(struct parse *p, const char *text)
{
	struct pipa_nearest near = { .wanted = text };
	char hint[200], name[64];
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->opts[i].name) {
			snprintf(name, sizeof(name), "--%s", p->opts[i].name);
			pipa_nearest_offer(&near, name);
		}
	pipa_refuse(p->err, -EINVAL, "unknown option '%s'", text);
	if (near.n)
		return pipa_hint(p->err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(p->err, "--help lists all options");
}

/* Compare a long name with len characters of an argument; underscores count as dashes. */
static bool is_named(const char *name, const char *text, size_t len)
{
	size_t i;

	if (!name || strlen(name) != len)
		return false;
	for (i = 0; i < len; i++)
		if (name[i] != (text[i] == '_' ? '-' : text[i]))
			return false;
	return true;
}

static int parse_long(struct parse *p, const char *text)
{
	const char *name = text + 2;
	size_t len = strcspn(name, "="), i;
	char shown[64];

	if (strcmp(name, "help") == 0)
		return -ECANCELED;
	for (i = 0; i < p->n; i++) {
		const struct pipa_opt *opt = &p->opts[i];

		if (is_named(opt->name, name, len) || is_named(opt->also, name, len))
			return get_value(p, opt, shown_name(opt, false, shown),
					 name[len] ? name + len + 1 : NULL);
	}
	return unknown_option(p, text);
}

/* Does the letter at c have a value: attached to it, or the next argument? */
static bool letter_has_value(const struct pipa_opt *opt, const char *c)
{
	if (!opt->arg || !opt->optional)
		return opt->arg;
	if (!opt->takes)
		return isdigit((unsigned char)c[1]);
	return !c[1] || opt->takes(c + 1);
}

/* Parse short options: -dd, -ad, -I100, -I 100. */
static int parse_letters(struct parse *p, const char *text)
{
	const char *c;
	char shown[64];
	size_t i;
	int rc;

	for (c = text + 1; *c; c++) {
		const struct pipa_opt *opt = NULL;

		if (*c == 'h')
			return -ECANCELED;
		for (i = 0; i < p->n && !opt; i++)
			if (p->opts[i].letter == *c)
				opt = &p->opts[i];
		if (!opt)
			return unknown_option(p, text);
		shown_name(opt, true, shown);
		if (letter_has_value(opt, c))
			return get_value(p, opt, shown, c[1] ? c + 1 : NULL);
		rc = opt->arg ? set_option(p, opt, shown, NULL) : get_value(p, opt, shown, NULL);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int pipa_opt_parse(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		   struct pipa_error *err)
{
	struct parse p = {
		.opts = opts, .n = n, .argc = argc, .argv = argv, .values = values, .err = err
	};
	int rc;

	for (p.at = 1; p.at < argc; p.at++) {
		const char *text = argv[p.at];

		if (text[0] != '-' || !text[1])
			break;
		if (strcmp(text, "--") == 0)
			return p.at + 1;
		rc = text[1] == '-' ? parse_long(&p, text) : parse_letters(&p, text);
		if (rc < 0)
			return rc;
	}
	return p.at;
}

int pipa_opt_words(const struct pipa_opt *opts, size_t n, int argc, char **argv, void *values,
		   const char **words, int most, struct pipa_error *err)
{
	int at = 0, n_words = 0;

	for (;;) {
		int rc = pipa_opt_parse(opts, n, argc - at, argv + at, values, err);

		if (rc < 0)
			return rc;
		at += rc;
		if (at >= argc)
			return n_words;
		if (n_words == most)
			return pipa_refuse(err, -EINVAL, "too many arguments: '%s'", argv[at]);
		words[n_words++] = argv[at];
	}
}

void pipa_opt_help(const struct pipa_opt *opts, size_t n, struct pipa_buf *out)
{
	char left[80];
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pipa_opt *opt = &opts[i];

		if (opt->kind == PIPA_OPT_TITLE) {
			pipa_buf_printf(out, "\n%s:\n", opt->help);
			continue;
		}
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s%s", opt->letter ? '-' : ' ',
			 opt->letter ? opt->letter : ' ', opt->letter ? ", " : "  ", opt->name,
			 opt->optional ? "[=" :
			 opt->arg      ? " " :
					 "",
			 opt->arg ? opt->arg : "", opt->optional ? "]" : "");
		if (strlen(left) > 30)
			pipa_buf_printf(out, "  %s\n  %-30s  %s\n", left, "", opt->help);
		else
			pipa_buf_printf(out, "  %-30s  %s\n", left, opt->help);
	}
}
