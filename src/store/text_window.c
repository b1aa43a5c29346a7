#include "store/text_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 20, MAX_WINDOW = 64 << 20 };

void pipa_text_window_done(struct pipa_text_window *w)
{
	pipa_member_reader_close(&w->member);
	free(w->text);
	w->text = NULL;
}

int pipa_text_window_fill(struct pipa_text_window *w)
{
	size_t left = w->len - w->used;
	ssize_t n;

	if (left == w->cap) { /* the first window, or a line that does not fit */
		size_t cap = w->cap ? 2 * w->cap : WINDOW;
		char *bigger = cap <= MAX_WINDOW ? realloc(w->text, cap) : NULL;

		if (!bigger)
			return cap <= MAX_WINDOW ? -ENOMEM : -EMSGSIZE;
		w->text = bigger;
		w->cap = cap;
	}
	memmove(w->text, w->text + w->used, left);
	w->used = 0;
	n = pipa_member_reader_fill(&w->member, w->text + left, w->cap - left);
	w->len = left + (n > 0 ? (size_t)n : 0);
	w->last = n >= 0 && (size_t)n < w->cap - left;
	return n < 0 ? (int)n : 0;
}
