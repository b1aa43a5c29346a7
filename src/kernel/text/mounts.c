#include "kernel/text/mounts.h"

#include <string.h>

static bool split_line(const char *pos, const char *end, struct pipa_mount *ret)
{
	int i;

	for (i = 0; i < PIPA_MOUNT_FIELDS; i++) {
		const char *blank = memchr(pos, ' ', (size_t)(end - pos));

		ret->field[i] = pos;
		ret->len[i] = (size_t)((blank ? blank : end) - pos);
		if (!ret->len[i] || (!blank && i < PIPA_MOUNT_FIELDS - 1))
			return false;
		pos = blank ? blank + 1 : end;
	}
	return true;
}

static bool next_with(const char **pos, const char *end, struct pipa_mount *ret,
		      bool (*split)(const char *pos, const char *end, struct pipa_mount *ret))
{
	while (*pos < end) {
		const char *line = *pos, *newline = memchr(line, '\n', (size_t)(end - line));

		*pos = newline ? newline + 1 : end;
		if (split(line, newline ? newline : end, ret))
			return true;
	}
	return false;
}

bool pipa_mount_next(const char **pos, const char *end, struct pipa_mount *ret)
{
	return next_with(pos, end, ret, split_line);
}

/* Number, parent, device, root, place, options, any number of others, a dash, type, source. */
static bool split_info(const char *pos, const char *end, struct pipa_mount *ret)
{
	static const int order[] = { -1,
				     -1,
				     PIPA_MOUNT_NUMBER,
				     PIPA_MOUNT_ROOT,
				     PIPA_MOUNT_PLACE,
				     PIPA_MOUNT_OPTIONS,
				     PIPA_MOUNT_TYPE,
				     PIPA_MOUNT_DEVICE };
	enum { BEHIND_DASH = 6 };
	bool dash = false;
	size_t i = 0;

	while (pos < end) {
		const char *blank = memchr(pos, ' ', (size_t)(end - pos));
		size_t len = (size_t)((blank ? blank : end) - pos);

		if (i == BEHIND_DASH && !dash) {
			dash = len == 1 && *pos == '-';
		} else if (!len) {
			return false;
		} else {
			if (order[i] >= 0) {
				ret->field[order[i]] = pos;
				ret->len[order[i]] = len;
			}
			if (++i == sizeof(order) / sizeof(order[0]))
				return true;
		}
		pos = blank ? blank + 1 : end;
	}
	return false;
}

bool pipa_mountinfo_next(const char **pos, const char *end, struct pipa_mount *ret)
{
	return next_with(pos, end, ret, split_info);
}

bool pipa_mount_is(const struct pipa_mount *mount, int field, const char *text)
{
	return mount->len[field] == strlen(text) &&
	       memcmp(mount->field[field], text, mount->len[field]) == 0;
}

static bool is_octal(const char *p, size_t len)
{
	return len > 3 && p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' &&
	       p[2] <= '7' && p[3] >= '0' && p[3] <= '7';
}

bool pipa_mount_copy(const struct pipa_mount *mount, int field, char *ret, size_t size)
{
	const char *p = mount->field[field], *end = p + mount->len[field];

	for (; p < end && size > 1; size--) {
		if (is_octal(p, (size_t)(end - p))) {
			*ret++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 4;
		} else {
			*ret++ = *p++;
		}
	}
	*ret = '\0';
	return p == end;
}
