#include "kernel/text/maps_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line at *text without its newline; *text moves after it. */
static bool next_line(const char **text, const char **ret, size_t *ret_len)
{
	const char *line = *text;

	if (!*line)
		return false;
	*ret = line;
	*ret_len = strcspn(line, "\n");
	*text = line + *ret_len + (line[*ret_len] == '\n');
	return true;
}

static bool take_number(const char **at, int base, char stop, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	*ret = strtoull(*at, &end, base);
	if (end == *at || (stop && *end != stop))
		return false;
	*at = end + (stop != '\0');
	return true;
}

/* A newline in a name is written as \012. */
static void copy_path(char *to, const char *from, size_t len)
{
	size_t n = 0;

	while (len && n + 1 < PIPA_MAP_PATH) {
		if (len >= 4 && memcmp(from, "\\012", 4) == 0) {
			to[n++] = '\n';
			from += 4;
			len -= 4;
		} else {
			to[n++] = *from++;
			len--;
		}
	}
	to[n] = '\0';
}

/* 7f10c000-7f10e000 r-xp 00002000 fe:00 331792                     /usr/lib/ld.so */
static bool parse_map(const char *at, size_t len, struct pipa_map_line *ret)
{
	const char *line_end = at + len;
	uint64_t major, minor;

	if (!take_number(&at, 16, '-', &ret->start) || !take_number(&at, 16, ' ', &ret->end) ||
	    line_end - at < 5 || ret->end <= ret->start)
		return false;
	ret->readable = at[0] == 'r';
	ret->writable = at[1] == 'w';
	ret->executable = at[2] == 'x';
	ret->shared = at[3] == 's';
	at += 5;
	if (!take_number(&at, 16, ' ', &ret->offset) || !take_number(&at, 16, ':', &major) ||
	    !take_number(&at, 16, ' ', &minor) || !take_number(&at, 10, '\0', &ret->inode))
		return false;
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	while (at < line_end && *at == ' ')
		at++;
	copy_path(ret->path, at, (size_t)(line_end - at));
	return true;
}

bool pipa_map_line_next(const char **text, struct pipa_map_line *ret)
{
	const char *line;
	size_t len;

	while (next_line(text, &line, &len))
		if (parse_map(line, len, ret))
			return true;
	return false;
}

/* ext4 1007616 2 - Live 0xffffffffc0a1c000 */
bool pipa_module_line_next(const char **text, struct pipa_module_line *ret)
{
	const char *line, *at;
	size_t len, name;

	while (next_line(text, &line, &len)) {
		name = strcspn(line, " \n");
		if (!name || name >= sizeof(ret->name) || name >= len)
			continue;
		memcpy(ret->name, line, name);
		ret->name[name] = '\0';
		at = line + name + 1;
		if (!take_number(&at, 10, ' ', &ret->size))
			continue;
		at = memmem(at, (size_t)(line + len - at), " 0x", 3);
		if (!at)
			continue;
		at += 3;
		if (take_number(&at, 16, '\0', &ret->start))
			return true;
	}
	return false;
}

/* ffffffff81000000 T _stext */
bool pipa_kallsyms_find(const char *text, const char *name, uint64_t *ret)
{
	size_t wanted = strlen(name), len;
	const char *line, *at;

	while (next_line(&text, &line, &len)) {
		if (line[len] != '\n' || len < wanted + 3 ||
		    memcmp(line + len - wanted, name, wanted) != 0)
			continue;
		at = line;
		if (!take_number(&at, 16, ' ', ret) || line + len - at != (ptrdiff_t)wanted + 2 ||
		    at[1] != ' ')
			continue;
		return *ret != 0;
	}
	return false;
}

/* "  01000000-02206447 : Kernel code" */
uint64_t pipa_iomem_code_size(const char *text)
{
	const char *line, *at;
	uint64_t from, to;
	size_t len;

	while (next_line(&text, &line, &len)) {
		if (!memmem(line, len, " : Kernel code", 14))
			continue;
		at = line + strspn(line, " ");
		if (take_number(&at, 16, '-', &from) && take_number(&at, 16, ' ', &to) && to > from)
			return to - from + 1;
	}
	return 0;
}
