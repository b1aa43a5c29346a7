#include "kernel/text/smbios.h"

#include <string.h>

enum { HEADER = 4 };

/* How long the texts are with the NUL after them, 0 when it does not come. */
static size_t texts_len(struct pipa_span rest)
{
	size_t i;

	for (i = 0; i + 1 < rest.size; i++)
		if (rest.data[i] == 0 && rest.data[i + 1] == 0)
			return i + 2;
	return 0;
}

bool pipa_smbios_next(struct pipa_span *rest, struct pipa_smbios *ret)
{
	size_t len, texts;

	if (rest->size < HEADER || rest->data[0] == PIPA_SMBIOS_END)
		return false;
	len = rest->data[1];
	if (len < HEADER || len > rest->size)
		return false;
	texts = texts_len((struct pipa_span){ rest->data + len, rest->size - len });
	if (!texts)
		return false;
	*ret = (struct pipa_smbios){ rest->data[0],
				     { rest->data, len },
				     { rest->data + len, texts } };
	*rest = (struct pipa_span){ rest->data + len + texts, rest->size - len - texts };
	return true;
}

const char *pipa_smbios_text(const struct pipa_smbios *s, size_t offset, char *ret, size_t size)
{
	const char *pos = (const char *)s->texts.data, *end = pos + s->texts.size;
	size_t number = offset < s->fields.size ? s->fields.data[offset] : 0, len;

	ret[0] = '\0';
	if (!number)
		return ret;
	while (--number && pos < end && *pos)
		pos += strnlen(pos, (size_t)(end - pos)) + 1;
	if (pos >= end)
		return ret;
	len = strnlen(pos, (size_t)(end - pos));
	while (len && *pos == ' ') {
		pos++;
		len--;
	}
	while (len && pos[len - 1] == ' ')
		len--;
	if (len >= size)
		len = size - 1;
	memcpy(ret, pos, len);
	ret[len] = '\0';
	return ret;
}

bool pipa_smbios_number(const struct pipa_smbios *s, size_t offset, size_t bytes, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i;

	if (offset > s->fields.size || bytes > s->fields.size - offset)
		return false;
	for (i = bytes; i > 0; i--)
		value = value << 8 | s->fields.data[offset + i - 1];
	*ret = value;
	return true;
}
