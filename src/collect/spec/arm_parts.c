#include "collect/spec/arm_parts.h"

#include <stddef.h>

#include "base/auto.h"

/* MIDR_EL1 bits 31:24, assigned by ARM. */
static const struct {
	unsigned int id;
	const char *name;
} vendors[] = {
	{ 0x41, "ARM" },       { 0x42, "Broadcom" }, { 0x43, "Cavium" }, { 0x46, "FUJITSU" },
	{ 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },   { 0x50, "APM" },	 { 0x51, "Qualcomm" },
	{ 0x53, "Samsung" },   { 0x56, "Marvell" },  { 0x61, "Apple" },	 { 0x6d, "Microsoft" },
	{ 0x70, "Phytium" },   { 0xc0, "Ampere" },
};

/* Bits 15:4 beside them: servers, and what boards have. */
static const struct {
	unsigned int vendor, part;
	const char *name;
} parts[] = {
	{ 0x41, 0xd03, "Cortex-A53" },	     { 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },	     { 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },	     { 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },	     { 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse-N1" },	     { 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd40, "Neoverse-V1" },	     { 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },	     { 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },	     { 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" },	     { 0x41, 0xd4a, "Neoverse-E1" },
	{ 0x41, 0xd4d, "Cortex-A715" },	     { 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse-V2" },	     { 0x43, 0x0a1, "ThunderX-88XX" },
	{ 0x43, 0x0af, "ThunderX2-99xx" },   { 0x46, 0x001, "A64FX" },
	{ 0x48, 0xd01, "TaiShan-v110" },     { 0x48, 0xd02, "TaiShan-v120" },
	{ 0x4e, 0x004, "Carmel" },	     { 0x50, 0x000, "X-Gene" },
	{ 0x51, 0xc00, "Falkor" },	     { 0x51, 0x001, "Oryon" },
	{ 0x61, 0x022, "Icestorm-M1" },	     { 0x61, 0x023, "Firestorm-M1" },
	{ 0x6d, 0xd49, "Azure-Cobalt-100" }, { 0x70, 0x662, "FTC662" },
	{ 0x70, 0x663, "FTC663" },	     { 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1a" },
};

const char *pipa_arm_vendor(unsigned int implementer)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(vendors); i++)
		if (vendors[i].id == implementer)
			return vendors[i].name;
	return NULL;
}

const char *pipa_arm_part(unsigned int implementer, unsigned int part)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(parts); i++)
		if (parts[i].vendor == implementer && parts[i].part == part)
			return parts[i].name;
	return NULL;
}
