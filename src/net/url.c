#include "net/url.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PORT_MAX = 65535 };

/* Has it only printable characters other than a space, as a request line requires? */
static bool is_clean(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
			return false;
	return true;
}

static int set_path(const char *text, struct pipa_url *url)
{
	size_t len = strcspn(text, "#");

	if (!is_clean(text, len) || len + 2 > sizeof(url->path))
		return -EINVAL;
	snprintf(url->path, sizeof(url->path), "%s%.*s", text[0] == '/' ? "" : "/", (int)len, text);
	return 0;
}

static int set_port(const char *text, size_t len, struct pipa_url *url)
{
	size_t i;

	if (len >= sizeof(url->port))
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!isdigit((unsigned char)text[i]))
			return -EINVAL;
	snprintf(url->port, sizeof(url->port), "%.*s", (int)len, text);
	return strtoul(url->port, NULL, 10) > PORT_MAX ? -EINVAL : 0; /* getaddrinfo() drops bits */
}

int pipa_url_parse(const char *text, struct pipa_url *ret)
{
	struct pipa_url url = { 0 };
	const char *host, *end;
	size_t len;

	url.secure = strncasecmp(text, "https://", 8) == 0;
	if (!url.secure && strncasecmp(text, "http://", 7) != 0)
		return -EINVAL;
	host = text + (url.secure ? 8 : 7);
	end = host + strcspn(host, "/?#");
	if (memchr(host, '@', (size_t)(end - host)))
		return -EINVAL;
	if (host[0] == '[') { /* an IPv6 address has colons */
		host++;
		len = strcspn(host, "]/");
	} else {
		len = strcspn(host, ":/?#");
	}
	if (!len || len >= sizeof(url.host) || !is_clean(host, len))
		return -EINVAL;
	memcpy(url.host, host, len);
	host += len + (host[len] == ']');
	if (host < end &&
	    (host[0] != ':' || set_port(host + 1, (size_t)(end - host - 1), &url) < 0))
		return -EINVAL;
	url.has_port = url.port[0];
	if (!url.has_port)
		snprintf(url.port, sizeof(url.port), "%s", url.secure ? "443" : "80");
	if (set_path(end, &url) < 0)
		return -EINVAL;
	*ret = url;
	return 0;
}

int pipa_url_join(const struct pipa_url *base, const char *location, struct pipa_url *ret)
{
	struct pipa_url url = *base;

	if (location[0] != '/')
		return pipa_url_parse(location, ret);
	if (location[1] == '/' || set_path(location, &url) < 0)
		return -EINVAL;
	*ret = url;
	return 0;
}

bool pipa_percent_decode(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]))
			return false;
		*to = (char)strtoul((char[]){ text[1], text[2], '\0' }, NULL, 16);
		if (!*to++)
			return false;
		text += 2;
	}
	*to = '\0';
	return true;
}
