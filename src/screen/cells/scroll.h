/* Scrolling list with one selected line. */
#ifndef PIPA_SCREEN_CELLS_SCROLL_H
#define PIPA_SCREEN_CELLS_SCROLL_H

#include <stddef.h>

struct pipa_scroll {
	size_t n;    /* lines */
	size_t at;   /* the selected one */
	size_t from; /* first line on the screen */
	size_t page; /* lines that fit on the screen */
};

/* Set the number of lines and the height: the selected line stays visible. */
static inline void pipa_scroll_fit(struct pipa_scroll *s, size_t n, size_t page)
{
	s->n = n;
	s->page = page;
	if (s->at >= n)
		s->at = n ? n - 1 : 0;
	if (s->from + page > n)
		s->from = n > page ? n - page : 0;
	if (s->at < s->from)
		s->from = s->at;
	if (page && s->at >= s->from + page)
		s->from = s->at - page + 1;
}

static inline void pipa_scroll_move(struct pipa_scroll *s, long lines)
{
	if (lines < 0)
		s->at -= (size_t)-lines < s->at ? (size_t)-lines : s->at;
	else if (s->n)
		s->at = (size_t)lines < s->n - 1 - s->at ? s->at + (size_t)lines : s->n - 1;
}

#endif
