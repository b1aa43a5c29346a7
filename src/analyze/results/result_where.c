#include "analyze/results/result_where.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rules/rule_expr.h"
#include "base/buf.h"
#include "base/error.h"

enum { UPLOAD_TIME = -1 };

struct pipa_result_where {
	struct pipa_arena arena;
	struct pipa_rule_expr expr;
	struct pipa_context context; /* a variable per name of the expression */
	struct pipa_variable variables[PIPA_RULE_EXPR_NAMES];
	int fields[PIPA_RULE_EXPR_NAMES]; /* number of the field, or UPLOAD_TIME */
	struct pipa_buf texts;		  /* of the current row */
	size_t offsets[PIPA_RULE_EXPR_NAMES];
};

void pipa_result_where_free(struct pipa_result_where *where)
{
	if (!where)
		return;
	pipa_arena_done(&where->arena);
	pipa_buf_done(&where->texts);
	free(where);
}

static int find_names(struct pipa_result_where *where, struct pipa_error *err)
{
	size_t i;

	for (i = 0; i < where->expr.n_names; i++) {
		const char *name = where->expr.names[i];
		enum pipa_result_field field = pipa_result_field_find(name);

		where->fields[i] = (int)field;
		if (!field && strcmp(name, "upload_time") == 0)
			where->fields[i] = UPLOAD_TIME;
		if (!where->fields[i])
			return pipa_refuse(err, -EINVAL,
					   "cannot select results: no field is named '%.64s'",
					   name);
		where->variables[i] = (struct pipa_variable){
			.name = name, .unit = "", .source = "", .quality = 1
		};
	}
	where->context.items = where->variables;
	where->context.n = where->expr.n_names;
	return 0;
}

int pipa_result_where_new(struct pipa_span text, struct pipa_result_where **ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_result_where_free)
	struct pipa_result_where *where = calloc(1, sizeof(*where));
	struct pipa_rule_fault fault = { 0 };
	const char *copy;
	int rc;

	if (!where)
		return pipa_fail(err, -ENOMEM, "select results");
	if (text.size > PIPA_RULE_EXPR_BYTES || (text.size && memchr(text.data, '\0', text.size)))
		return pipa_refuse(err, -EINVAL,
				   "cannot select results: the expression is longer than %d bytes, "
				   "or has a NUL",
				   PIPA_RULE_EXPR_BYTES);
	copy = pipa_arena_text(&where->arena, (const char *)text.data, text.size);
	rc = copy ? pipa_rule_expr_parse(copy, &where->arena, &where->expr, &fault) : -ENOMEM;
	if (rc == -EINVAL) {
		pipa_refuse(err, rc, "cannot select results: %s at character %zu of '%.64s'",
			    fault.what, fault.offset + 1, copy);
		return rc;
	}
	if (rc < 0)
		return pipa_fail(err, rc, "select results");
	rc = find_names(where, err);
	if (!rc)
		*ret = PIPA_TAKE(where);
	return rc;
}

static struct pipa_value value_of_number(double number)
{
	bool is_whole = number >= -9007199254740992.0 && number <= 9007199254740992.0 &&
			floor(number) >= number;

	return (struct pipa_value){ .kind = is_whole ? PIPA_VALUE_INTEGER : PIPA_VALUE_NUMBER,
				    .number = number };
}

/* Set the variable of a field. Texts are appended, their pointers are set when all are there. */
static void set_variable(struct pipa_result_where *where, size_t i,
			 const struct pipa_result_row *row)
{
	struct pipa_value *value = &where->variables[i].value;
	const union pipa_result_value *field;

	*value = (struct pipa_value){ .kind = PIPA_VALUE_ABSENT };
	if (where->fields[i] == UPLOAD_TIME) {
		*value = value_of_number((double)row->upload_time_us / 1e6);
		return;
	}
	if (!pipa_result_has(row->result, (enum pipa_result_field)where->fields[i]))
		return;
	field = &row->result->values[where->fields[i]];
	switch (pipa_result_fields[where->fields[i]].type) {
	case PIPA_RESULT_UINT64: *value = value_of_number((double)field->number); return;
	case PIPA_RESULT_DOUBLE: *value = value_of_number(field->real); return;
	default: break;
	}
	value->kind = PIPA_VALUE_TEXT;
	where->offsets[i] = where->texts.len;
	if (pipa_result_fields[where->fields[i]].type == PIPA_RESULT_LIST)
		pipa_result_put_list(&where->texts, field->list.items, field->list.n);
	else
		pipa_buf_add(&where->texts, field->text.data, field->text.size);
	pipa_buf_putc(&where->texts, '\0');
}

int pipa_result_where_matches(struct pipa_result_where *where, const struct pipa_result_row *row,
			      struct pipa_error *err)
{
	struct pipa_rule_fault fault = { 0 };
	enum pipa_truth truth;
	size_t i;

	pipa_buf_reset(&where->texts);
	for (i = 0; i < where->expr.n_names; i++)
		set_variable(where, i, row);
	if (where->texts.status)
		return pipa_fail(err, where->texts.status, "select results");
	for (i = 0; i < where->expr.n_names; i++)
		if (where->variables[i].value.kind == PIPA_VALUE_TEXT)
			where->variables[i].value.text = pipa_buf_str(&where->texts) +
							 where->offsets[i];
	truth = pipa_rule_expr_truth(&where->expr, &where->context, &fault);
	if (truth == PIPA_TRUTH_ERROR)
		return pipa_refuse(err, -EINVAL, "cannot select results: %s, in run %.*s",
				   fault.what, (int)(row->hash.size < 64 ? row->hash.size : 64),
				   row->hash.size ? (const char *)row->hash.data : "");
	return truth == PIPA_TRUTH_TRUE;
}
