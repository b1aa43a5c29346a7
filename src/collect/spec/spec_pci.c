/* Describe PCI devices in the terms of lspci(8), if a database of names is installed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "collect/spec/spec_own.h"
#include "kernel/text/pci_ids.h"

static void read_database(struct spec *spec, struct pipa_buf *ret)
{
	static const char *const places[] = { "share/misc/pci.ids", "share/hwdata/pci.ids",
					      "local/share/pciids/pci.ids", "share/pci.ids" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(places); i++)
		if (pipa_spec_read(spec, PIPA_USR, places[i], ret) == 0)
			return;
}

static uint64_t number_of(struct spec *spec, const char *device, const char *file)
{
	uint64_t number = 0;

	pipa_root_read_u64(spec->root, PIPA_SYS, &number, "bus/pci/devices/%s/%s", device, file);
	return number;
}

static void put_class(struct pipa_buf *out, const struct pipa_buf *ids, uint16_t class)
{
	struct pipa_pci_name name, sub;

	pipa_pci_ids_class(pipa_buf_str(ids), ids->len, class, &name, &sub);
	if (sub.text)
		pipa_buf_printf(out, "%.*s: ", (int)sub.len, sub.text);
	else if (name.text)
		pipa_buf_printf(out, "%.*s [%04x]: ", (int)name.len, name.text, class);
	else
		pipa_buf_printf(out, "Class %04x: ", class);
}

/* Append "Host bridge: Intel Corporation 440FX - 82441FX PMC [Natoma] (rev 02)". */
static void put_details(struct spec *spec, struct pipa_buf *out, const struct pipa_buf *ids,
			const char *device)
{
	uint16_t vendor_id = (uint16_t)number_of(spec, device, "vendor");
	uint16_t device_id = (uint16_t)number_of(spec, device, "device");
	uint64_t revision = number_of(spec, device, "revision");
	struct pipa_pci_name vendor, name;

	put_class(out, ids, (uint16_t)(number_of(spec, device, "class") >> 8));
	pipa_pci_ids_device(pipa_buf_str(ids), ids->len, vendor_id, device_id, &vendor, &name);
	if (name.text)
		pipa_buf_printf(out, "%.*s %.*s", (int)vendor.len, vendor.text, (int)name.len,
				name.text);
	else if (vendor.text)
		pipa_buf_printf(out, "%.*s Device %04x", (int)vendor.len, vendor.text, device_id);
	else
		pipa_buf_printf(out, "Device %04x:%04x", vendor_id, device_id);
	if (revision)
		pipa_buf_printf(out, " (rev %02" PRIx64 ")", revision);
}

/* Are there several domains? As lspci, "0000:" is omitted if there is only one. */
static bool has_domains(const struct spec_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (!pipa_str_starts(names->items[i], "0000:"))
			return true;
	return false;
}

void pipa_spec_pci(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names names = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf ids = { 0 }, details = { .max = 4096 };
	struct pipa_fact *list, *map;
	size_t i, skip;

	pipa_spec_list(spec, PIPA_SYS, "bus/pci/devices", "", &names);
	if (!names.n) {
		pipa_spec_status(spec, section, "no devices in /sys/bus/pci");
		return;
	}
	read_database(spec, &ids);
	skip = has_domains(&names) ? 0 : strlen("0000:");
	list = pipa_facts_list(spec->facts, section, "pci_devices");
	for (i = 0; i < names.n; i++) {
		pipa_buf_reset(&details);
		put_details(spec, &details, &ids, names.items[i]);
		if (details.status == -ENOMEM)
			spec->facts->status = -ENOMEM;
		map = pipa_facts_map(spec->facts, list, NULL);
		pipa_facts_number(spec->facts, map, "device_id", i);
		pipa_facts_text(spec->facts, map, "device", names.items[i] + skip);
		pipa_facts_text(spec->facts, map, "details", pipa_buf_str(&details));
	}
}
