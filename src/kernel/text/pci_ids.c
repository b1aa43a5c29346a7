#include "kernel/text/pci_ids.h"

#include <stdbool.h>
#include <string.h>

/* Does the line begin with these digits and two spaces? Then what follows is the name. */
static bool names(const char *line, size_t len, const char *digits, struct pipa_pci_name *ret)
{
	size_t n = strlen(digits);

	if (len < n + 2 || memcmp(line, digits, n) != 0 || memcmp(line + n, "  ", 2) != 0)
		return false;
	*ret = (struct pipa_pci_name){ line + n + 2, len - n - 2 };
	return true;
}

static void find(const char *text, size_t len, const char *outer, const char *inner,
		 struct pipa_pci_name *ret_outer, struct pipa_pci_name *ret_inner)
{
	const char *end = text + len;
	bool inside = false;

	*ret_outer = *ret_inner = (struct pipa_pci_name){ 0 };
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (inside && n > 1 && text[0] == '\t' && text[1] != '\t') {
			if (names(text + 1, n - 1, inner, ret_inner))
				return;
		} else if (n && text[0] != '\t' && text[0] != '#') {
			if (inside)
				return;
			inside = names(text, n, outer, ret_outer);
		}
		text += n + 1;
	}
}

static const char *hex(char *text, unsigned int value, int digits)
{
	static const char letters[] = "0123456789abcdef";
	char *p = text;

	for (; digits > 0; digits--)
		*p++ = letters[value >> 4 * (digits - 1) & 15];
	*p = '\0';
	return text;
}

void pipa_pci_ids_device(const char *text, size_t len, uint16_t vendor, uint16_t device,
			 struct pipa_pci_name *ret_vendor, struct pipa_pci_name *ret_device)
{
	char outer[5], inner[5];

	find(text, len, hex(outer, vendor, 4), hex(inner, device, 4), ret_vendor, ret_device);
}

void pipa_pci_ids_class(const char *text, size_t len, uint16_t class,
			struct pipa_pci_name *ret_class, struct pipa_pci_name *ret_subclass)
{
	char outer[5] = "C ", inner[3];

	hex(outer + 2, class >> 8, 2);
	find(text, len, outer, hex(inner, class & 0xff, 2), ret_class, ret_subclass);
}
