/* Key codes: a character as its Unicode code point, or one of the constants above all of them. */
#ifndef PIPA_SCREEN_CELLS_KEY_H
#define PIPA_SCREEN_CELLS_KEY_H

enum pipa_typed {
	PIPA_TYPED_NONE = 0,
	PIPA_TYPED_ENTER = '\n',
	PIPA_TYPED_ESCAPE = 27,
	PIPA_TYPED_UP = 0x110000,
	PIPA_TYPED_DOWN,
	PIPA_TYPED_LEFT,
	PIPA_TYPED_RIGHT,
	PIPA_TYPED_PAGE_UP,
	PIPA_TYPED_PAGE_DOWN,
	PIPA_TYPED_HOME,
	PIPA_TYPED_END,
	PIPA_TYPED_BACKSPACE,
	PIPA_TYPED_CLICK, /* of the mouse: the position is in struct pipa_tui */
	PIPA_TYPED_WHEEL_UP,
	PIPA_TYPED_WHEEL_DOWN,
	PIPA_TYPED_F1, /* F1 to F12, in this order */
	PIPA_TYPED_F12 = PIPA_TYPED_F1 + 11,
	PIPA_TYPED_OTHER, /* an unknown key */
};

#endif
