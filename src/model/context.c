#include "model/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void pipa_context_done(struct pipa_context *context)
{
	free(context->items);
	pipa_arena_done(&context->arena);
	*context = (struct pipa_context){ 0 };
}

static struct pipa_variable *find_variable(const struct pipa_context *context, const char *name)
{
	size_t i;

	for (i = 0; i < context->n; i++)
		if (strcmp(context->items[i].name, name) == 0)
			return &context->items[i];
	return NULL;
}

const struct pipa_variable *pipa_context_find(const struct pipa_context *context, const char *name)
{
	return find_variable(context, name);
}

/* Copy a text, NULL as ""; NULL on allocation failure, which is kept. */
static const char *copy_text(struct pipa_context *context, const char *text)
{
	const char *copy = text && text[0] ? pipa_arena_text(&context->arena, text, strlen(text)) :
					     "";

	if (!copy)
		context->status = -ENOMEM;
	return copy;
}

struct pipa_variable *pipa_context_set(struct pipa_context *context,
				       const struct pipa_variable *variable)
{
	struct pipa_variable copy = *variable, *item;

	copy.name = copy_text(context, variable->name);
	copy.unit = copy_text(context, variable->unit);
	copy.source = copy_text(context, variable->source);
	if (copy.value.kind == PIPA_VALUE_TEXT)
		copy.value.text = copy_text(context, variable->value.text);
	if (context->status)
		return NULL;
	item = find_variable(context, copy.name);
	if (!item)
		item = PIPA_VEC_ADD(context);
	if (!item) {
		context->status = -ENOMEM;
		return NULL;
	}
	*item = copy;
	return item;
}
