#include "kernel/text/pci_ids.h"

#include "lib/test.h"

static const char ids[] = "# a comment\n"
			  "1af4  Red Hat, Inc.\n"
			  "\t1041  Virtio 1.0 network device\n"
			  "\t\t1af4 1100  QEMU\n"
			  "\t1042  Virtio 1.0 block device\n"
			  "8086  Intel Corporation\n"
			  "\t1237  440FX\n"
			  "\n"
			  "C 02  Network controller\n"
			  "\t00  Ethernet controller\n"
			  "\t\t01  an interface\n"
			  "C 06  Bridge\n"
			  "\t00  Host bridge";

static void check_name(struct pipa_pci_name name, const char *want)
{
	CHECK_EQ(name.text != NULL, want != NULL);
	if (want)
		CHECK(name.len == strlen(want) && memcmp(name.text, want, name.len) == 0);
}

static void check_device(uint16_t vendor, uint16_t device, const char *want_vendor,
			 const char *want)
{
	struct pipa_pci_name outer, inner;

	pipa_pci_ids_device(ids, sizeof(ids) - 1, vendor, device, &outer, &inner);
	check_name(outer, want_vendor);
	check_name(inner, want);
}

TEST(devices_are_found_below_their_own_vendor)
{
	check_device(0x1af4, 0x1041, "Red Hat, Inc.", "Virtio 1.0 network device");
	check_device(0x1af4, 0x1042, "Red Hat, Inc.", "Virtio 1.0 block device");
	check_device(0x8086, 0x1237, "Intel Corporation", "440FX");
	check_device(0x8086, 0x1041, "Intel Corporation", NULL);
	check_device(0x1af4, 0x1237, "Red Hat, Inc.", NULL);
	check_device(0x1af5, 0x1041, NULL, NULL);
}

TEST(classes_are_found_with_their_subclass)
{
	struct pipa_pci_name outer, inner;

	pipa_pci_ids_class(ids, sizeof(ids) - 1, 0x0600, &outer, &inner);
	check_name(outer, "Bridge");
	check_name(inner, "Host bridge");
	pipa_pci_ids_class(ids, sizeof(ids) - 1, 0x0201, &outer, &inner);
	check_name(outer, "Network controller");
	check_name(inner, NULL);
	pipa_pci_ids_class("", 0, 0x0600, &outer, &inner);
	check_name(outer, NULL);
}
