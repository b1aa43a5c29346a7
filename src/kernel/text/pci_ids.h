/*
 * Find names of PCI devices in the text of pci.ids. Pure; results are borrowed from the text.
 *
 *	8086  Intel Corporation
 *		1237  440FX - 82441FX PMC [Natoma]
 *			1af4 1100  Qemu virtual machine
 *	C 06  Bridge
 *		00  Host bridge
 */
#ifndef PIPA_KERNEL_TEXT_PCI_IDS_H
#define PIPA_KERNEL_TEXT_PCI_IDS_H

#include <stddef.h>
#include <stdint.h>

struct pipa_pci_name {
	const char *text; /* NULL: not in the database */
	size_t len;
};

/*
 * Find the names of a vendor and its device, or of a class (upper byte) and its subclass (lower
 * byte).
 */
void pipa_pci_ids_device(const char *text, size_t len, uint16_t vendor, uint16_t device,
			 struct pipa_pci_name *ret_vendor, struct pipa_pci_name *ret_device);
void pipa_pci_ids_class(const char *text, size_t len, uint16_t class,
			struct pipa_pci_name *ret_class, struct pipa_pci_name *ret_subclass);

#endif
