#include "analyze/run/run_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

enum { MOST_WORDS = 4, WORD_LENGTH = 24 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * Is the word a kind of work ("futex", "sha256", "read-write") and not an option, a file or a size?
 */
static bool is_plain(const char *word)
{
	size_t len = strlen(word), i;

	if (!isalpha((unsigned char)word[0]) || len > WORD_LENGTH)
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]) && word[i] != '-' && word[i] != '_')
			return false;
	return true;
}

/* Does the command begin with the words of the name? */
static bool begins_with(char *const *command, const char *name)
{
	const char *word = base_name(command[0]);
	size_t i, len;

	for (i = 0; *name; i++) {
		len = strcspn(name, " ");
		if (i)
			word = command[i];
		if (!word || strlen(word) != len || strncmp(word, name, len) != 0)
			return false;
		name += len + (name[len] == ' ');
	}
	return true;
}

char *pipa_run_name(char *const *command, const char *benchmark)
{
	struct pipa_buf name = { 0 };
	size_t i;

	if (benchmark && !begins_with(command, benchmark)) {
		pipa_buf_puts(&name, benchmark);
		return pipa_buf_take(&name);
	}
	pipa_buf_puts(&name, base_name(command[0]));
	for (i = 1; benchmark && i < MOST_WORDS && command[i] && is_plain(command[i]); i++)
		pipa_buf_printf(&name, " %s", command[i]);
	return pipa_buf_take(&name);
}
