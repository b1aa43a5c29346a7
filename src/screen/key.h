/* What was typed: a character as its Unicode number, or one of these above them all. */
#ifndef PIPA_SCREEN_KEY_H
#define PIPA_SCREEN_KEY_H

enum pipa_key {
	PIPA_KEY_NONE = 0,
	PIPA_KEY_ENTER = '\n',
	PIPA_KEY_ESCAPE = 27,
	PIPA_KEY_UP = 0x110000,
	PIPA_KEY_DOWN,
	PIPA_KEY_PAGE_UP,
	PIPA_KEY_PAGE_DOWN,
	PIPA_KEY_HOME,
	PIPA_KEY_END,
	PIPA_KEY_BACKSPACE,
	PIPA_KEY_OTHER, /* one nobody here knows */
};

#endif
