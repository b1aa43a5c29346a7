/*
 * The database of PCI names: four bytes of vendor and device, then its text. Names lie within it.
 */
#include "fuzz.h"
#include "kernel/text/pci_ids.h"

static void check_name(struct pipa_pci_name name, const char *text, size_t len)
{
	MUST(!name.text || (name.text >= text && name.text + name.len <= text + len));
	MUST(!name.text || !memchr(name.text, '\n', name.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_pci_name outer, inner;
	uint16_t ids[2] = { 0 };
	size_t len = size < sizeof(ids) ? 0 : size - sizeof(ids);
	char *text = malloc(len ? len : 1);

	MUST(text);
	if (size >= sizeof(ids))
		memcpy(ids, data, sizeof(ids));
	if (len)
		memcpy(text, data + sizeof(ids), len);
	pipa_pci_ids_device(text, len, ids[0], ids[1], &outer, &inner);
	check_name(outer, text, len);
	check_name(inner, text, len);
	MUST(outer.text || !inner.text);
	pipa_pci_ids_class(text, len, ids[0], &outer, &inner);
	check_name(outer, text, len);
	check_name(inner, text, len);
	free(text);
	return 0;
}
