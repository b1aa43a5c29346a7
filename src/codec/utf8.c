#include "codec/utf8.h"

size_t pipa_utf8_len(const unsigned char *text)
{
	size_t len, i;

	if (text[0] < 0x80)
		return 1;
	len = text[0] >= 0xf0 && text[0] <= 0xf4 ? 4 :
	      text[0] >= 0xe0			 ? 3 :
	      text[0] >= 0xc2			 ? 2 :
						   0;
	if (text[0] > 0xf4)
		return 0;
	for (i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f) ||
	    (text[0] == 0xef && text[1] == 0xbf && text[2] > 0xbd))
		return 0; /* overlong, surrogate, past the end of Unicode, the two that are none */
	return len;
}
