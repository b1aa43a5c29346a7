/*
 * Describe the firmware: SMBIOS structures, which only root may read; else the strings that the
 * kernel shows to all users; else, on boards without SMBIOS, the model in the device tree.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "collect/spec/spec_own.h"
#include "kernel/text/smbios.h"

enum { TEXT_SIZE = 256 };

/* ---- fields ------------------------------------------------------------------------------------------------ */

enum kind { TEXT, MHZ, MT, NAMED };

struct field {
	const char *name;
	size_t at;
	enum kind kind;
	const char *const *names; /* of NAMED, by value; NULL-terminated */
};

static const char *const chassis_types[] = { "N/A",
					     "Other",
					     "Unknown",
					     "Desktop",
					     "Low Profile Desktop",
					     "Pizza Box",
					     "Mini Tower",
					     "Tower",
					     "Portable",
					     "Laptop",
					     "Notebook",
					     "Hand Held",
					     "Docking Station",
					     "All In One",
					     "Sub Notebook",
					     "Space-saving",
					     "Lunch Box",
					     "Main Server Chassis",
					     "Expansion Chassis",
					     "Sub Chassis",
					     "Bus Expansion Chassis",
					     "Peripheral Chassis",
					     "RAID Chassis",
					     "Rack Mount Chassis",
					     "Sealed-case PC",
					     "Multi-system",
					     "CompactPCI",
					     "AdvancedTCA",
					     "Blade",
					     "Blade Enclosing",
					     "Tablet",
					     "Convertible",
					     "Detachable",
					     "IoT Gateway",
					     "Embedded PC",
					     "Mini PC",
					     "Stick PC",
					     NULL };

static const char *const processor_types[] = {
	"N/A",		 "Other",	    "Unknown", "Central Processor", "Math Processor",
	"DSP Processor", "Video Processor", NULL
};

static const char *const form_factors[] = { "N/A",     "Other",	 "Unknown",
					    "SIMM",    "SIP",	 "Chip",
					    "DIP",     "ZIP",	 "Proprietary Card",
					    "DIMM",    "TSOP",	 "Row Of Chips",
					    "RIMM",    "SODIMM", "SRIMM",
					    "FB-DIMM", "Die",	 "CAMM",
					    NULL };

static const char *const memory_types[] = {
	"N/A",		"Other",  "Unknown", "DRAM",
	"EDRAM",	"VRAM",	  "SRAM",    "RAM",
	"ROM",		"Flash",  "EEPROM",  "FEPROM",
	"EPROM",	"CDRAM",  "3DRAM",   "SDRAM",
	"SGRAM",	"RDRAM",  "DDR",     "DDR2",
	"DDR2 FB-DIMM", "N/A",	  "N/A",     "N/A",
	"DDR3",		"FBD2",	  "DDR4",    "LPDDR",
	"LPDDR2",	"LPDDR3", "LPDDR4",  "Logical non-volatile device",
	"HBM",		"HBM2",	  "DDR5",    "LPDDR5",
	"HBM3",		NULL
};

static const struct field bios[] = { { "Vendor", 4, TEXT, NULL },
				     { "Version", 5, TEXT, NULL },
				     { "Release Date", 8, TEXT, NULL } };
static const struct field machine[] = { { "Manufacturer", 4, TEXT, NULL },
					{ "Product Name", 5, TEXT, NULL },
					{ "Version", 6, TEXT, NULL },
					{ "SKU Number", 0x19, TEXT, NULL },
					{ "Family", 0x1a, TEXT, NULL } };
static const struct field baseboard[] = { { "Manufacturer", 4, TEXT, NULL },
					  { "Product Name", 5, TEXT, NULL },
					  { "Version", 6, TEXT, NULL } };
static const struct field chassis[] = { { "Manufacturer", 4, TEXT, NULL },
					{ "Type", 5, NAMED, chassis_types },
					{ "Version", 6, TEXT, NULL } };
static const struct field processor[] = {
	{ "Socket Designation", 4, TEXT, NULL }, { "Type", 5, NAMED, processor_types },
	{ "Manufacturer", 7, TEXT, NULL },	 { "Version", 0x10, TEXT, NULL },
	{ "Max Speed", 0x14, MHZ, NULL },	 { "Current Speed", 0x16, MHZ, NULL }
};
static const struct field memory[] = { { "Locator", 0x10, TEXT, NULL },
				       { "Bank Locator", 0x11, TEXT, NULL },
				       { "Form Factor", 0x0e, NAMED, form_factors },
				       { "Type", 0x12, NAMED, memory_types },
				       { "Speed", 0x15, MT, NULL },
				       { "Configured Memory Speed", 0x20, MT, NULL },
				       { "Manufacturer", 0x17, TEXT, NULL },
				       { "Part Number", 0x1a, TEXT, NULL } };

static const char *name_of(const char *const *names, uint64_t number)
{
	uint64_t i;

	for (i = 0; names[i]; i++)
		if (i == number)
			return names[i];
	return "N/A";
}

static void put_field(struct spec *spec, struct pipa_fact *map, const struct pipa_smbios *s,
		      const struct field *field)
{
	size_t bytes = field->kind == NAMED ? 1 : 2;
	char text[TEXT_SIZE] = "";
	uint64_t number = 0;
	bool there = field->kind == TEXT || pipa_smbios_number(s, field->at, bytes, &number);

	switch (field->kind) {
	case TEXT: pipa_smbios_text(s, field->at, text, sizeof(text)); break;
	case MHZ:
	case MT:
		if (there && number && number != 0xffff)
			snprintf(text, sizeof(text), "%" PRIu64 " %s", number,
				 field->kind == MHZ ? "MHz" : "MT/s");
		break;
	case NAMED: /* the top bit of a chassis' type is its lock */
		if (there)
			snprintf(text, sizeof(text), "%s", name_of(field->names, number & 0x7f));
		break;
	}
	pipa_spec_text(spec, map, field->name, text);
}

static void put_fields(struct spec *spec, struct pipa_fact *map, const struct pipa_smbios *s,
		       const struct field *fields, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put_field(spec, map, s, &fields[i]);
}

/* ---- structures with rules of their own ------------------------------------------------------------------- */

/* Write a count: a byte, or two further bytes if it is 255. */
static void put_count(struct spec *spec, struct pipa_fact *map, const struct pipa_smbios *s,
		      const char *name, size_t at, size_t wide)
{
	char text[32] = "";
	uint64_t number;

	if (pipa_smbios_number(s, at, 1, &number)) {
		if (number == 0xff)
			pipa_smbios_number(s, wide, 2, &number);
		snprintf(text, sizeof(text), "%" PRIu64, number);
	}
	pipa_spec_text(spec, map, name, text);
}

static void put_processor(struct spec *spec, struct pipa_fact *list, const struct pipa_smbios *s)
{
	struct pipa_fact *map;
	uint64_t status;

	if (pipa_smbios_number(s, 0x18, 1, &status) && !(status & 0x40))
		return; /* an empty socket */
	map = pipa_facts_map(spec->facts, list, NULL);
	put_fields(spec, map, s, processor, PIPA_COUNT(processor));
	put_count(spec, map, s, "Core Count", 0x23, 0x2a);
	put_count(spec, map, s, "Core Enabled", 0x24, 0x2c);
	put_count(spec, map, s, "Thread Count", 0x25, 0x2e);
}

/*
 * Decode the size: MiB in 15 bits, KiB if the 16th is set, or four bytes elsewhere if that is too
 * small.
 */
static bool memory_size(const struct pipa_smbios *s, uint64_t *ret_kib)
{
	uint64_t size;

	if (!pipa_smbios_number(s, 0x0c, 2, &size) || size == 0 || size == 0xffff)
		return false;
	if (size == 0x7fff && pipa_smbios_number(s, 0x1c, 4, &size))
		*ret_kib = (size & 0x7fffffff) << 10;
	else
		*ret_kib = size & 0x8000 ? size & 0x7fff : size << 10;
	return true;
}

/* Write a size as dmidecode does, in the largest unit without a remainder. */
static void put_size(struct spec *spec, struct pipa_fact *map, const char *name, uint64_t kib)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB" };
	char text[64];
	size_t unit = 0;

	while (kib && kib % 1024 == 0 && unit + 1 < PIPA_COUNT(units)) {
		kib /= 1024;
		unit++;
	}
	snprintf(text, sizeof(text), "%" PRIu64 " %s", kib, units[unit]);
	pipa_facts_text(spec->facts, map, name, text);
}

static void put_memory(struct spec *spec, struct pipa_fact *list, const struct pipa_smbios *s)
{
	struct pipa_fact *map;
	uint64_t kib;

	if (!memory_size(s, &kib))
		return; /* an empty slot */
	map = pipa_facts_map(spec->facts, list, NULL);
	put_size(spec, map, "Size", kib);
	put_fields(spec, map, s, memory, PIPA_COUNT(memory));
}

/* ---- the section ------------------------------------------------------------------------------------------------ */

static const struct part {
	const char *name;
	uint8_t type;
	const struct field *fields; /* the first structure of the type is a map */
	size_t n;
	/* or all structures of the type are a list */
	void (*put)(struct spec *spec, struct pipa_fact *list, const struct pipa_smbios *s);
} parts[] = {
	{ "bios", PIPA_SMBIOS_BIOS, bios, PIPA_COUNT(bios), NULL },
	{ "system", PIPA_SMBIOS_SYSTEM, machine, PIPA_COUNT(machine), NULL },
	{ "baseboard", PIPA_SMBIOS_BASEBOARD, baseboard, PIPA_COUNT(baseboard), NULL },
	{ "chassis", PIPA_SMBIOS_CHASSIS, chassis, PIPA_COUNT(chassis), NULL },
	{ "processor", PIPA_SMBIOS_PROCESSOR, NULL, 0, put_processor },
	{ "memory", PIPA_SMBIOS_MEMORY, NULL, 0, put_memory },
};

static void put_part(struct spec *spec, struct pipa_fact *section, const struct part *part,
		     struct pipa_span tables)
{
	struct pipa_fact *in = part->put ? pipa_facts_list(spec->facts, section, part->name) :
					   pipa_facts_map(spec->facts, section, part->name);
	struct pipa_smbios s;

	while (pipa_smbios_next(&tables, &s)) {
		if (s.type != part->type)
			continue;
		if (part->put) {
			part->put(spec, in, &s);
			continue;
		}
		put_fields(spec, in, &s, part->fields, part->n);
		return;
	}
}

/* Strings that the kernel shows to all users. */
static const struct {
	const char *part, *name, *file;
} shown[] = {
	{ "bios", "Vendor", "bios_vendor" },
	{ "bios", "Version", "bios_version" },
	{ "bios", "Release Date", "bios_date" },
	{ "system", "Manufacturer", "sys_vendor" },
	{ "system", "Product Name", "product_name" },
	{ "system", "Version", "product_version" },
	{ "system", "SKU Number", "product_sku" },
	{ "system", "Family", "product_family" },
	{ "baseboard", "Manufacturer", "board_vendor" },
	{ "baseboard", "Product Name", "board_name" },
	{ "baseboard", "Version", "board_version" },
	{ "chassis", "Manufacturer", "chassis_vendor" },
	{ "chassis", "Type", "chassis_type" },
	{ "chassis", "Version", "chassis_version" },
};

static void put_shown(struct spec *spec, struct pipa_fact *section)
{
	struct pipa_fact *map = NULL;
	char text[TEXT_SIZE];
	uint64_t type;
	size_t i;

	for (i = 0; i < PIPA_COUNT(shown); i++) {
		if (!i || strcmp(shown[i].part, shown[i - 1].part) != 0)
			map = pipa_facts_map(spec->facts, section, shown[i].part);
		pipa_spec_line(spec, PIPA_SYS, text, sizeof(text), "class/dmi/id/%s",
			       shown[i].file);
		if (strcmp(shown[i].file, "chassis_type") == 0 && pipa_str_u64(text, &type) == 0)
			snprintf(text, sizeof(text), "%s", name_of(chassis_types, type));
		pipa_spec_text(spec, map, shown[i].name, text);
	}
	for (i = 0; i < PIPA_COUNT(parts); i++)
		if (parts[i].put)
			pipa_spec_status(spec, pipa_facts_map(spec->facts, section, parts[i].name),
					 "readable only by root");
}

/* Write the board's model; it ends with a NUL in the device tree. */
static bool put_board(struct spec *spec, struct pipa_fact *section)
{
	char text[TEXT_SIZE];

	if (!pipa_spec_line(spec, PIPA_PROC, text, sizeof(text), "device-tree/model")[0])
		return false;
	pipa_facts_text(spec->facts, pipa_facts_map(spec->facts, section, "system"), "Product Name",
			text);
	return true;
}

void pipa_spec_firmware(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tables = { 0 };
	size_t i;

	if (pipa_spec_read(spec, PIPA_SYS, "firmware/dmi/tables/DMI", &tables) == 0 && tables.len) {
		for (i = 0; i < PIPA_COUNT(parts); i++)
			put_part(spec, section, &parts[i],
				 (struct pipa_span){ (const uint8_t *)tables.data, tables.len });
	} else if (pipa_root_has(spec->root, PIPA_SYS, "class/dmi/id/sys_vendor")) {
		put_shown(spec, section);
	} else if (!put_board(spec, section)) {
		pipa_spec_status(spec, section,
				 "the firmware shows neither SMBIOS tables nor a device tree");
	}
}
