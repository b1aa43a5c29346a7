/*
 * What every full screen needs: the terminal, a loop with its keys and signals, and the way back. A
 * signal that ends the program, stops it or resizes the terminal is handled here; the terminal is as it was
 * before in any case.
 */
#ifndef PIPA_SCREEN_CELLS_TUI_H
#define PIPA_SCREEN_CELLS_TUI_H

#include "screen/cells/canvas.h"

struct pipa_error;
struct pipa_loop;
struct pipa_term;

struct pipa_stage {
	/* the owner's, set before it is opened; they return 0 or a negative errno, which ends it */
	int (*paint)(void *ctx, struct pipa_canvas *canvas);
	int (*key)(void *ctx, int key);
	void *ctx;
	struct pipa_error *err;

	struct pipa_loop *loop; /* for the owner's timers and descriptors */
	struct pipa_term *term;
	struct pipa_canvas canvas;
	int status; /* to leave with */
	int silent; /* times that the terminal had something to read and it was no key */
};

/* -ENODEV when this terminal cannot do it; nothing was shown then. Close it in any case. */
int pipa_stage_open(struct pipa_stage *stage);
void pipa_stage_close(struct pipa_stage *stage);

/* Until the end: 0, 128 + n after signal n (not SIGINT, which is a way to quit), or a negative errno. */
int pipa_stage_run(struct pipa_stage *stage);
void pipa_stage_quit(struct pipa_stage *stage);

int pipa_stage_paint(struct pipa_stage *stage);

#endif
