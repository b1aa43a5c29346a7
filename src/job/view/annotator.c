#include "job/view/annotator.h"

#include <errno.h>
#include <stdlib.h>

#include "job/view/annotate_own.h"
#include "symbolize/symbolize.h"

struct pipa_annotator {
	struct pipa_annotate_options options;
	struct pipa_annotating state;
};

int pipa_annotator_new(const struct pipa_profile *profile, uint32_t event,
		       struct pipa_symbolizer *symbolizer, struct pipa_annotator **ret)
{
	struct pipa_annotator *annotator = calloc(1, sizeof(*annotator));
	int rc;

	if (!annotator)
		return -ENOMEM;
	annotator->options.code = annotator->options.source = true;
	annotator->state = (struct pipa_annotating){
		.o = &annotator->options,
		.profile = profile,
		.symbolizer = symbolizer,
		.sources.symfs = pipa_symbolizer_options(symbolizer)->symfs,
	};
	rc = pipa_hot_make(profile, event, &annotator->state.hot);
	if (rc < 0)
		free(annotator);
	else
		*ret = annotator;
	return rc;
}

void pipa_annotator_free(struct pipa_annotator *annotator)
{
	if (!annotator)
		return;
	pipa_annotate_close(&annotator->state);
	pipa_hot_done(&annotator->state.hot);
	pipa_source_texts_done(&annotator->state.sources);
	pipa_arena_done(&annotator->state.texts);
	free(annotator);
}

int pipa_annotator_list(struct pipa_annotator *annotator, const char *object, const char *symbol,
			struct pipa_listing *ret)
{
	struct pipa_hot_symbol found;
	bool inlined;
	int rc;

	*ret = (struct pipa_listing){ 0 };
	annotator->options.symbol = symbol;
	if (!pipa_annotate_find(&annotator->state, object, &found, &inlined))
		return 0;
	rc = pipa_annotate_list(&annotator->state, &found, inlined, ret);
	return rc < 0 ? rc : 1;
}

const char *pipa_annotator_line(void *annotator, const char *file, uint32_t number, size_t *ret_len)
{
	struct pipa_annotator *of = annotator;

	return pipa_source_texts_line(&of->state.sources, file, number, ret_len);
}
