/*
 * Terminal in full-screen mode: the only file that includes ncurses. Only one may be open at a
 * time; closing restores the terminal.
 */
#ifndef PIPA_SCREEN_CELLS_TERM_H
#define PIPA_SCREEN_CELLS_TERM_H

#include <stdbool.h>

struct pipa_canvas;
struct pipa_error;
struct pipa_term;

/*
 * Open standard input and output. -ENODEV if the terminal cannot position text. A TERM without a
 * terminfo entry is treated as an ANSI terminal.
 */
int pipa_term_open(struct pipa_term **ret, struct pipa_error *err);
void pipa_term_close(struct pipa_term *term);

/* Fit the canvas to the terminal's size and abilities, and invalidate the screen. */
int pipa_term_fit(struct pipa_term *term, struct pipa_canvas *canvas);

/* Write the cells that differ from those shown last to the terminal; 0 or a negative errno. */
int pipa_term_show(struct pipa_term *term, const struct pipa_canvas *canvas);

/*
 * Return the next key without waiting: PIPA_TYPED_NONE if there is none. After PIPA_TYPED_CLICK and the
 * wheel pipa_term_mouse() returns the cell of the pointer.
 */
int pipa_term_key(struct pipa_term *term);
void pipa_term_mouse(const struct pipa_term *term, int *ret_x, int *ret_y);

/* Ask the terminal to report clicks and the wheel; one that cannot is left alone. */
void pipa_term_enable_mouse(struct pipa_term *term);

/* Suspend the terminal, and resume it with a full redraw. */
void pipa_term_leave(struct pipa_term *term);
void pipa_term_enter(struct pipa_term *term);

#endif
