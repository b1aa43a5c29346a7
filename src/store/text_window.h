/*
 * Read a text in windows of about 1 MiB that consist of complete lines: the text may be larger than
 * memory. A line of more than 64 MiB is refused.
 */
#ifndef PIPA_STORE_TEXT_WINDOW_H
#define PIPA_STORE_TEXT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "store/member_reader.h"

struct pipa_text_window {
	struct pipa_member_reader member; /* opened by the caller */
	char *text;
	size_t cap, len; /* size of the memory and of the text */
	size_t used;	 /* bytes of the window that the caller has consumed: whole lines */
	bool last;	 /* no bytes follow the window */
};

/*
 * Move the unconsumed bytes to the start of the window and fill it. 0, -ENOMEM, -EMSGSIZE for too
 * long a line, or the errno of the read.
 */
int pipa_text_window_fill(struct pipa_text_window *window);
void pipa_text_window_done(struct pipa_text_window *window);

static inline void pipa_text_window_done_auto(struct pipa_text_window *window)
{
	pipa_text_window_done(window);
}

#endif
