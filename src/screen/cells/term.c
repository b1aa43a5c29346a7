#include "screen/cells/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "screen/cells/canvas.h"
#include "screen/cells/key.h"

struct pipa_term {
	SCREEN *screen;
	FILE *drawn; /* output of ncurses, in memory: see flush_drawn() */
	struct termios saved[2];
	bool has_saved[2];
	bool utf8, color;
	int mouse_x, mouse_y;	 /* of the last click */
	struct pipa_canvas last; /* as shown */
	int attributes[PIPA_STYLE_NR];
	short pairs[PIPA_STYLE_NR];
};

/*
 * A terminal that does what ECMA-48 says, eight colours and the alternate screen, for where no
 * terminfo is. Made by `tic -x` and `infocmp -Q2 -q` of ncurses 6 from
 *
 *	pipa-ansi|plain ANSI terminal,
 *	am, mir, msgr, xenl, bce, km, colors#8, cols#80, lines#24, pairs#64, it#8, bel=^G,
 *	blink=\E[5m, bold=\E[1m, dim=\E[2m, rev=\E[7m, smul=\E[4m, rmul=\E[24m, sgr0=\E[m,
 *	civis=\E[?25l, cnorm=\E[?25h, clear=\E[H\E[2J, ed=\E[J, el=\E[K, el1=\E[1K, cr=\r,
 *	cub=\E[%p1%dD, cub1=^H, cud=\E[%p1%dB, cud1=\n, cuf=\E[%p1%dC, cuf1=\E[C,
 *	cup=\E[%i%p1%d;%p2%dH, cuu=\E[%p1%dA, cuu1=\E[A, home=\E[H, ind=\n, ht=^I,
 *	hpa=\E[%i%p1%dG, vpa=\E[%i%p1%dd, smcup=\E[?1049h, rmcup=\E[?1049l, op=\E[39;49m,
 *	setaf=\E[3%p1%dm, setab=\E[4%p1%dm, kbs=^?, kcub1=\E[D, kcud1=\E[B, kcuf1=\E[C,
 *	kcuu1=\E[A, kend=\E[F, khome=\E[H, knp=\E[6~, kpp=\E[5~,
 */
static const char ansi_name[] = "pipa-ansi";
static const char ansi_entry[] =
	"b64:GgEeAB0ADwBpAfwAcGlwYS1hbnNpfHBsYWluIEFOU0kgdGVybWluYWwAAAEAAAEAAAABAAAAAAEBAAAA"
	"AAAAAAAAAAAAAAEAUAAIABgA__________________________8IAEAA__8AAAIA_____wQADAAQABQA__8f"
	"ADAAMgA2AD0A__8_AEYA__9KAP_______________04AUwBYAP__YQD_______9mAP__awD_____cAB0AP__"
	"_____30A__________________________-DAP____________-FAP______________________________"
	"______-JAP____-NAP__kQCWAJsA________nwD_____________________________________________"
	"_____6MA________rAC1AP__vgD________________________________HAP__0gD__________9QA____"
	"_________________________________________________________________________9YA________"
	"____________________________________________________________________________________"
	"____________________________________________________________________________________"
	"____________________________________________________________________________________"
	"_________________9oA________________________________________________________________"
	"________3wD_________________________________________________________________________"
	"____________________________________________________________________________________"
	"_____-gA8gAHAA0AG1tIG1sySgAbW0sAG1tKABtbJWklcDElZEcAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAb"
	"Wz8yNWwACAAbWz8yNWgAG1tDABtbQQAbWzVtABtbMW0AG1s_MTA0OWgAG1sybQAbWzdtABtbNG0AG1ttABtb"
	"PzEwNDlsABtbMjRtAH8AG1tCABtbSAAbW0QAG1s2fgAbWzV-ABtbQwAbW0EAG1slcDElZEIAG1slcDElZEQA"
	"G1slcDElZEMAG1slcDElZEEAG1slaSVwMSVkZAAKAAkAG1tGABtbMUsAG1szOTs0OW0AG1szJXAxJWRtABtb"
	"NCVwMSVkbQA=";

/* ---- opening ----------------------------------------------------------------------------------- */

/*
 * Select a UTF-8 locale as the user's environment requests, even if that locale is not installed.
 */
static bool start_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *wanted = NULL;
	size_t i;

	for (i = 0; i < PIPA_COUNT(names) && !(wanted && *wanted); i++)
		wanted = getenv(names[i]);
	if (!setlocale(LC_CTYPE, "") && wanted &&
	    (strcasestr(wanted, "utf-8") || strcasestr(wanted, "utf8")))
		setlocale(LC_CTYPE, "C.UTF-8");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int fail_unusable(struct pipa_error *err, const char *name)
{
	return pipa_refuse(err, -ENODEV, "text cannot be placed on a terminal of type '%s'", name);
}

/* Choose the terminfo entry: that of TERM, or the built-in one if TERM has none. */
static int find_entry(const char **ret, struct pipa_error *err)
{
	const char *name = getenv("TERM");
	bool can_place;
	int status;

	if (!name || !*name)
		return pipa_refuse(err, -ENODEV, "TERM is not set");
	if (strcmp(name, "dumb") == 0)
		return fail_unusable(err, name);
	if (setupterm(name, STDOUT_FILENO, &status) != OK) {
		if (status == 1)
			return fail_unusable(err, name); /* a hardcopy terminal */
		if (setenv("TERMINFO", ansi_entry, 1) < 0)
			return pipa_fail(err, -errno, "describe the terminal");
		*ret = ansi_name;
		return 0;
	}
	can_place = cursor_address != NULL;
	del_curterm(cur_term);
	*ret = name;
	return can_place ? 0 : fail_unusable(err, name);
}

/*
 * Read single keys without echo and disable output processing. Flow control is off: Ctrl-S is a
 * key, and a terminal stopped by it continues. TCSANOW, because waiting for output to drain can
 * block forever.
 */
static void set_modes(const struct pipa_term *term)
{
	int fd;

	for (fd = 0; fd < 2; fd++) {
		struct termios raw = term->saved[fd];

		if (!term->has_saved[fd])
			continue;
		raw.c_iflag &= (tcflag_t) ~(ICRNL | INLCR | IGNCR | IXON | IXOFF);
		raw.c_oflag &= (tcflag_t)~ONLCR;
		raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ECHONL);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		tcsetattr(fd, TCSANOW, &raw);
	}
}

static void save_modes(struct pipa_term *term)
{
	int fd;

	for (fd = 0; fd < 2; fd++)
		term->has_saved[fd] = tcgetattr(fd, &term->saved[fd]) == 0;
}

static void restore_modes(const struct pipa_term *term)
{
	int fd;

	for (fd = 0; fd < 2; fd++)
		if (term->has_saved[fd])
			tcsetattr(fd, TCSANOW, &term->saved[fd]);
}

/*
 * Write what ncurses has drawn. ncurses draws into memory, because it would retry a blocked
 * write(2) forever, even after signals.
 */
static int flush_drawn(struct pipa_term *term)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	int fd = fileno(term->drawn), rc;

	fflush(term->drawn);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	rc = pipa_file_read_fd(fd, &text);
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	return rc < 0 ? rc : pipa_file_write(STDOUT_FILENO, text.data, text.len);
}

/* Attributes that work on any background: mostly the terminal's own colours, bold and dim. */
static const struct {
	short color;	   /* -1: the terminal's */
	int with, without; /* attributes with and without colours */
} looks[PIPA_STYLE_NR] = {
	[PIPA_STYLE_PLAIN] = { -1, 0, 0 },
	[PIPA_STYLE_DIM] = { -1, (int)A_DIM, 0 },
	[PIPA_STYLE_STRONG] = { -1, (int)A_BOLD, (int)A_BOLD },
	[PIPA_STYLE_HEADER] = { -1, (int)A_REVERSE, (int)A_REVERSE },
	[PIPA_STYLE_CHOSEN] = { -1, (int)A_REVERSE, (int)A_REVERSE },
	[PIPA_STYLE_GOOD] = { COLOR_GREEN, 0, 0 },
	[PIPA_STYLE_WARN] = { COLOR_YELLOW, 0, (int)A_BOLD },
	[PIPA_STYLE_ALERT] = { COLOR_RED, (int)A_BOLD, (int)A_BOLD },
	[PIPA_STYLE_CHART] = { COLOR_CYAN, 0, 0 },
	[PIPA_STYLE_USER] = { COLOR_GREEN, 0, 0 },
	[PIPA_STYLE_SYSTEM] = { COLOR_RED, 0, 0 },
	[PIPA_STYLE_STEAL] = { COLOR_MAGENTA, 0, 0 },
	[PIPA_STYLE_IOWAIT] = { COLOR_YELLOW, 0, 0 },
	[PIPA_STYLE_USED] = { COLOR_GREEN, 0, 0 },
	[PIPA_STYLE_BUFFERS] = { COLOR_BLUE, 0, 0 },
	[PIPA_STYLE_CACHE] = { COLOR_YELLOW, 0, 0 },
};

static void start_colors(struct pipa_term *term)
{
	const char *no_color = getenv("NO_COLOR");
	int i;

	term->color = !(no_color && no_color[0]) && has_colors() && start_color() == OK &&
		      use_default_colors() == OK;
	for (i = 0; i < PIPA_STYLE_NR; i++) {
		term->attributes[i] = term->color ? looks[i].with : looks[i].without;
		if (term->color && looks[i].color >= 0 &&
		    init_pair((short)(i + 1), looks[i].color, -1) == OK)
			term->pairs[i] = (short)(i + 1);
	}
}

static int open_drawn(struct pipa_term *term)
{
	int fd = memfd_create("pipa-screen", MFD_CLOEXEC), rc;

	term->drawn = fd < 0 ? NULL : fdopen(fd, "w+");
	if (term->drawn)
		return 0;
	rc = -errno;
	pipa_fd_close(fd);
	return rc;
}

int pipa_term_open(struct pipa_term **ret, struct pipa_error *err)
{
	struct pipa_term *term;
	const char *name = ansi_name;
	int rc;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return pipa_refuse(err, -ENODEV, "not a terminal");
	rc = find_entry(&name, err);
	if (rc < 0)
		return rc;
	term = calloc(1, sizeof(*term));
	if (!term)
		return pipa_fail(err, -ENOMEM, "open the terminal");
	rc = open_drawn(term);
	if (rc < 0) {
		free(term);
		return pipa_fail(err, rc, "open the terminal");
	}
	term->utf8 = start_utf8();
	term->screen = newterm(name, term->drawn, stdin);
	if (!term->screen) {
		fclose(term->drawn);
		free(term);
		return fail_unusable(err, name);
	}
	save_modes(term);
	set_modes(term);
	start_colors(term);
	cbreak(); /* only for the state of ncurses: its output is not a terminal */
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	*ret = term;
	return 0;
}

void pipa_term_close(struct pipa_term *term)
{
	if (!term)
		return;
	endwin();
	flush_drawn(term);
	restore_modes(term);
	delscreen(term->screen);
	fclose(term->drawn);
	pipa_canvas_done(&term->last);
	free(term);
}

/* ---- showing ----------------------------------------------------------------------------------- */

int pipa_term_fit(struct pipa_term *term, struct pipa_canvas *canvas)
{
	struct winsize size;
	int rc;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
	    is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
	canvas->utf8 = term->utf8;
	canvas->color = term->color;
	rc = pipa_canvas_resize(canvas, COLS, LINES);
	if (!rc)
		rc = pipa_canvas_resize(&term->last, COLS, LINES);
	erase();
	return rc;
}

static void show_cell(struct pipa_term *term, int x, int y, const struct pipa_cell *cell, int width)
{
	wchar_t text[2] = { (wchar_t)cell->ch, 0 };
	cchar_t shown;

	/* wcwidth() of libc, which ncurses uses, can return another width than ours */
	if (cell->ch >= 0x80 && wcwidth(text[0]) != width)
		text[0] = '?';
	setcchar(&shown, text, (attr_t)term->attributes[cell->style], term->pairs[cell->style],
		 NULL);
	mvadd_wch(y, x, &shown);
	if (width == 2 && text[0] == '?')
		mvaddch(y, x + 1, ' ');
}

static void show_row(struct pipa_term *term, const struct pipa_canvas *canvas, int y)
{
	size_t row = (size_t)y * (size_t)canvas->width;
	const struct pipa_cell *now = canvas->cells + row;
	int x;

	for (x = 0; x < canvas->width; x++) {
		int width = x + 1 < canvas->width && !now[x + 1].ch ? 2 : 1;

		if (now[x].ch)
			show_cell(term, x, y, &now[x], width);
	}
	memcpy(term->last.cells + row, now, (size_t)canvas->width * sizeof(*now));
}

int pipa_term_show(struct pipa_term *term, const struct pipa_canvas *canvas)
{
	size_t bytes = (size_t)canvas->width * sizeof(*canvas->cells);
	int y;

	for (y = 0; y < canvas->height; y++) {
		size_t row = (size_t)y * (size_t)canvas->width;

		if (memcmp(term->last.cells + row, canvas->cells + row, bytes) != 0)
			show_row(term, canvas, y);
	}
	refresh();
	return flush_drawn(term);
}

void pipa_term_leave(struct pipa_term *term)
{
	endwin();
	flush_drawn(term);
	restore_modes(term);
}

void pipa_term_enter(struct pipa_term *term)
{
	set_modes(term);
	endwin(); /* after SIGSTOP and SIGCONT the terminal can be in any state */
	clearok(curscr, TRUE);
	refresh();
	flush_drawn(term);
}

/* ---- keys -------------------------------------------------------------------------------------- */

void pipa_term_enable_mouse(struct pipa_term *term)
{
	(void)term;
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0); /* a press is a click: no wait for a second one */
}

void pipa_term_mouse(const struct pipa_term *term, int *ret_x, int *ret_y)
{
	*ret_x = term->mouse_x;
	*ret_y = term->mouse_y;
}

static int mouse_key(struct pipa_term *term)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return PIPA_TYPED_OTHER;
	term->mouse_x = event.x;
	term->mouse_y = event.y;
	if (event.bstate & BUTTON4_PRESSED)
		return PIPA_TYPED_WHEEL_UP;
	if (event.bstate & BUTTON5_PRESSED)
		return PIPA_TYPED_WHEEL_DOWN;
	return event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? PIPA_TYPED_CLICK :
								    PIPA_TYPED_OTHER;
}

static int function_key(struct pipa_term *term, wint_t code)
{
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return PIPA_TYPED_F1 + (int)(code - KEY_F(1));
	switch (code) {
	case KEY_MOUSE: return mouse_key(term);
	case KEY_UP: return PIPA_TYPED_UP;
	case KEY_DOWN: return PIPA_TYPED_DOWN;
	case KEY_LEFT: return PIPA_TYPED_LEFT;
	case KEY_RIGHT: return PIPA_TYPED_RIGHT;
	case KEY_PPAGE: return PIPA_TYPED_PAGE_UP;
	case KEY_NPAGE: return PIPA_TYPED_PAGE_DOWN;
	case KEY_HOME: return PIPA_TYPED_HOME;
	case KEY_END: return PIPA_TYPED_END;
	case KEY_BACKSPACE: return PIPA_TYPED_BACKSPACE;
	case KEY_ENTER: return PIPA_TYPED_ENTER;
	default: return PIPA_TYPED_OTHER;
	}
}

int pipa_term_key(struct pipa_term *term)
{
	wint_t code;

	switch (get_wch(&code)) {
	case OK:
		if (code == '\r')
			return PIPA_TYPED_ENTER;
		if (code == 0x7f || code == '\b')
			return PIPA_TYPED_BACKSPACE;
		return code ? (int)code : PIPA_TYPED_OTHER;
	case KEY_CODE_YES: return function_key(term, code);
	default: return PIPA_TYPED_NONE;
	}
}
