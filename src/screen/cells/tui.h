/*
 * Full-screen session: terminal, event loop with keys and signals, and cleanup. Signals that end
 * or stop the program or resize the terminal are handled here; the terminal is restored in every
 * case.
 */
#ifndef PIPA_SCREEN_CELLS_TUI_H
#define PIPA_SCREEN_CELLS_TUI_H

#include "screen/cells/canvas.h"

struct pipa_error;
struct pipa_loop;
struct pipa_term;

struct pipa_tui {
	/*
	 * set by the owner before opening; they return 0 or a negative errno, which ends the
	 * session
	 */
	int (*paint)(void *ctx, struct pipa_canvas *canvas);
	int (*key)(void *ctx, int key, struct pipa_error *err);
	void *ctx;
	bool mouse; /* report clicks and the wheel as keys */

	struct pipa_loop *loop; /* for the owner's timers and descriptors */
	struct pipa_term *term;
	struct pipa_canvas canvas;
	int status;	      /* returned by pipa_tui_run() */
	int mouse_x, mouse_y; /* cell of the last click */
	int silent;	      /* consecutive times that the terminal was readable without a key */
};

/*
 * Open the session. -ENODEV if the terminal does not support it; nothing was shown then. Close it
 * in any case.
 */
int pipa_tui_open(struct pipa_tui *tui, struct pipa_error *err);
void pipa_tui_close(struct pipa_tui *tui);

/*
 * Run until the end. Returns 0, 128 + n after signal n (not SIGINT, which quits), or a negative
 * errno.
 */
int pipa_tui_run(struct pipa_tui *tui, struct pipa_error *err);
void pipa_tui_quit(struct pipa_tui *tui);

int pipa_tui_paint(struct pipa_tui *tui, struct pipa_error *err);

#endif
