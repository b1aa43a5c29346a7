#include "collect/spec/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/machines.h"
#include "lib/test.h"
#include "model/facts.h"

/* ---- the invented host ------------------------------------------------------------------------------------- */

static int machine(void *ctx PIPA_UNUSED, char *ret, unsigned long size)
{
	snprintf(ret, size, "riscv64");
	return 0;
}

static int room(void *ctx PIPA_UNUSED, const char *place, struct pipa_spec_room *ret)
{
	if (strcmp(place, "/my disk") != 0)
		return -ENOENT;
	*ret = (struct pipa_spec_room){ .total = 1000, .unused = 400, .available = 300 };
	return 0;
}

static int addresses(void *ctx PIPA_UNUSED,
		     void (*each)(void *arg, const char *iface, bool is_v6, const char *text),
		     void *arg)
{
	each(arg, "lo", false, "127.0.0.1/8");
	each(arg, "eth2", false, "192.0.2.1/24");
	each(arg, "eth2", true, "fe80::1/64");
	return 0;
}

static const struct pipa_spec_host host = { .machine = machine,
					    .room = room,
					    .addresses = addresses };

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static struct pipa_facts facts;

#define FILE_OF(...) machine_file(pipa_test_dir(), __VA_ARGS__)

static void collect(void)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;

	FILE_OF("proc/nothing", "%s", "");
	FILE_OF("sys/nothing", "%s", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_spec_collect(root, &host, &facts, NULL), 0);
}

/* Return the fact at a path as "disk_info/block_devices/0/name", or NULL */
static const struct pipa_fact *at(const char *path)
{
	const struct pipa_fact *fact = &facts.top;
	char copy[256], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", path);
	while (fact && (word = strsep(&rest, "/"))) {
		if (fact->kind == PIPA_FACT_LIST) {
			int n = (int)strtol(word, NULL, 10);

			for (fact = fact->first; fact && n; n--)
				fact = fact->next;
		} else {
			fact = pipa_fact_find(fact, word);
		}
	}
	return fact;
}

static const char *text(const char *path)
{
	const struct pipa_fact *fact = at(path);

	return fact && fact->kind == PIPA_FACT_TEXT ? fact->text : "(no text)";
}

static int64_t number(const char *path)
{
	const struct pipa_fact *fact = at(path);

	return fact && fact->kind == PIPA_FACT_NUMBER ? (int64_t)fact->number : -1;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

TEST(an_empty_machine_has_every_section_with_the_missing_paths)
{
	static const char *const names[] = {
		"os_info",	"kernel_version",    "cpu_info",	   "numa_info",
		"cpu_governor", "memory_info",	     "disk_info",	   "io_scheduler",
		"net_info",	"kernel_parameters", "interrupt_info",	   "ulimit_info",
		"module_info",	"pci_info",	     "bios_hardware_info",
	};
	const struct pipa_fact *fact;
	size_t i = 0;

	collect();
	for (fact = facts.top.first; fact; fact = fact->next, i++) {
		CHECK(i < PIPA_COUNT(names));
		CHECK_STR(fact->key, names[i]);
		CHECK(fact->first); /* none is empty */
	}
	CHECK_EQ(i, PIPA_COUNT(names));
	CHECK_STR(text("os_info/status"), "/etc/os-release: No such file or directory");
	CHECK_STR(text("kernel_version/version"), "N/A");
	CHECK_STR(text("cpu_info/Architecture"), "riscv64");
	CHECK_STR(text("cpu_info/Model name"), "N/A");
	CHECK_HAS(text("disk_info/status"), "/sys/block");
	CHECK_HAS(text("module_info/status"), "/proc/modules");
	CHECK_STR(text("kernel_parameters/vm.swappiness"), "N/A");
}

TEST(fields_of_os_release_are_unquoted)
{
	FILE_OF("etc/os-release",
		"NAME=\"A \\\"b\\\" \\$c\"\nID=debian\n# no=1\nX='a\\b'\nodd\n=y\n");
	FILE_OF("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	collect();
	CHECK_STR(text("os_info/NAME"), "A \"b\" $c");
	CHECK_STR(text("os_info/ID"), "debian");
	CHECK_STR(text("os_info/X"), "a\\b");
	CHECK(!at("os_info/X")->next);
	CHECK_STR(text("kernel_version/version"), "6.1.0-18-amd64");
}

TEST(cpus_of_x86_are_described_as_lscpu_does)
{
	int i;

	FILE_OF("proc/sys/kernel/arch", "x86_64\n");
	FILE_OF("proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 106\n"
		"model name\t: Intel(R) Xeon(R)  Gold\ncpu MHz\t\t: 2000.001\nflags\t\t: fpu vme\n"
		"bogomips\t: 4000.00\n\nprocessor\t: 1\nmodel name\t: other\n");
	FILE_OF("sys/devices/system/cpu/present", "0-8\n");
	FILE_OF("sys/devices/system/cpu/online", "0-7\n");
	for (i = 0; i < 8; i++)
		machine_cpu(pipa_test_dir(), i, i / 4, 0, i % 4 / 2);
	collect();
	CHECK_STR(text("cpu_info/Architecture"), "x86_64");
	CHECK_EQ(number("cpu_info/CPU(s)"), 9);
	CHECK_STR(text("cpu_info/Model name"), "Intel(R) Xeon(R) Gold");
	CHECK_STR(text("cpu_info/Vendor ID"), "GenuineIntel");
	CHECK_STR(text("cpu_info/CPU MHz (max)"), "2000.001");
	CHECK_STR(text("cpu_info/BogoMIPS"), "4000.00");
	CHECK_STR(text("cpu_info/Flags"), "fpu vme");
	CHECK_EQ(number("cpu_info/Socket(s)"), 2);
	CHECK_EQ(number("cpu_info/Core(s) per socket"), 2);
	CHECK_EQ(number("cpu_info/Thread(s) per core"), 2);
}

TEST(cpus_of_arm_and_riscv_have_names_too)
{
	FILE_OF("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 200.00\nFeatures\t: fp asimd\n"
				"CPU implementer\t: 0x48\nCPU part\t: 0xd01\n");
	FILE_OF("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "2600000\n");
	FILE_OF("sys/devices/system/cpu/cpu10/cpufreq/cpuinfo_max_freq", "3000500\n");
	collect();
	CHECK_STR(text("cpu_info/Model name"), "TaiShan-v110");
	CHECK_STR(text("cpu_info/Vendor ID"), "HiSilicon");
	CHECK_STR(text("cpu_info/CPU MHz (max)"), "3000.5000");
	CHECK_STR(text("cpu_info/BogoMIPS"), "200.00");
	CHECK_STR(text("cpu_info/Flags"), "fp asimd");
	pipa_facts_done(&facts);

	FILE_OF("proc/cpuinfo", "CPU implementer\t: 0x99\nCPU part\t: 0x1\n");
	collect();
	CHECK_STR(text("cpu_info/Model name"), "implementer 0x99 part 0x1");
	CHECK_STR(text("cpu_info/Vendor ID"), "0x99");
	pipa_facts_done(&facts);

	FILE_OF("proc/cpuinfo",
		"hart\t: 0\nisa\t: rv64imafdc\nuarch\t: sifive,u74-mc\nmvendorid\t: 0x489\n");
	collect();
	CHECK_STR(text("cpu_info/Model name"), "sifive,u74-mc");
	CHECK_STR(text("cpu_info/Vendor ID"), "0x489");
	CHECK_STR(text("cpu_info/Flags"), "rv64imafdc");
}

TEST(nodes_come_in_the_order_of_their_numbers_and_governors_once)
{
	FILE_OF("sys/devices/system/node/node10/cpulist", "4-7\n");
	FILE_OF("sys/devices/system/node/node2/cpulist", "0-3\n");
	FILE_OF("sys/devices/system/node/online", "2,10\n");
	FILE_OF("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
	FILE_OF("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
	FILE_OF("sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "powersave\n");
	collect();
	CHECK_STR(at("numa_info/numa_topology")->first->key, "node2");
	CHECK_STR(text("numa_info/numa_topology/node10"), "4-7");
	CHECK_STR(text("cpu_governor/unique_governors/0"), "powersave");
	CHECK_STR(text("cpu_governor/unique_governors/1"), "performance");
	CHECK(!at("cpu_governor/unique_governors/2"));
}

TEST(memory_has_every_line_with_its_unit)
{
	FILE_OF("proc/meminfo",
		"MemTotal:       24670000 kB\nActive(anon):    12 kB\nHugePages_Total:       0\n");
	collect();
	CHECK_STR(text("memory_info/MemTotal"), "24670000 kB");
	CHECK_STR(text("memory_info/Active(anon)"), "12 kB");
	CHECK_STR(text("memory_info/HugePages_Total"), "0");
}

static void make_disk(const char *name, const char *dev, int sectors)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/block/%s/size", name);
	FILE_OF(path, "%d\n", sectors);
	snprintf(path, sizeof(path), "sys/block/%s/dev", name);
	FILE_OF(path, "%s\n", dev);
}

TEST(disks_have_partitions_with_file_system_usage)
{
	make_disk("sda", "8:0", 1000);
	make_disk("sda/sda10", "8:10", 10);
	make_disk("sda/sda2", "8:2", 20);
	FILE_OF("sys/block/sda/sda2/partition", "2\n");
	FILE_OF("sys/block/sda/sda10/partition", "10\n");
	FILE_OF("sys/block/sda/queue/rotational", "1\n");
	FILE_OF("sys/block/sda/queue/scheduler", "none [mq-deadline] bfq\n");
	FILE_OF("sys/block/sda/device/model", "SAMSUNG  MZ7L3  \n");
	FILE_OF("sys/block/sda/device/vendor", "ATA     \n");
	make_disk("dm-0", "253:0", 8);
	FILE_OF("sys/block/dm-0/queue/rotational", "0\n");
	FILE_OF("sys/block/dm-0/queue/scheduler", "none\n");
	make_disk("loop0", "7:0", 8);
	FILE_OF("sys/block/loop0/queue/scheduler", "[none]\n");
	make_disk("ram0", "1:0", 8);
	FILE_OF("proc/self/mountinfo",
		"1 0 8:2 /part /bound rw - ext4 /dev/sda2 rw\n2 0 8:2 / /my\\040disk rw - ext4 /dev/root rw\n"
		"3 0 0:50 / /my\\040disk rw - btrfs /dev/dm-0 rw\n");
	collect();
	CHECK_STR(text("disk_info/block_devices/0/name"), "dm-0");
	CHECK_STR(text("disk_info/block_devices/0/type"), "lvm/dm");
	CHECK_STR(text("disk_info/block_devices/0/rotational"), "SSD");
	CHECK_STR(text("disk_info/block_devices/0/model"), "N/A");
	CHECK_EQ(number("disk_info/block_devices/0/fs_usage/total"), 1000);
	CHECK_STR(text("disk_info/block_devices/1/name"), "sda");
	CHECK_STR(text("disk_info/block_devices/1/type"), "disk");
	CHECK_STR(text("disk_info/block_devices/1/model"), "SAMSUNG MZ7L3");
	CHECK_STR(text("disk_info/block_devices/1/vendor"), "ATA");
	CHECK_STR(text("disk_info/block_devices/1/rotational"), "HDD");
	CHECK_EQ(number("disk_info/block_devices/1/size_bytes"), 512000);
	CHECK(!at("disk_info/block_devices/1/fs_usage"));
	CHECK(!at("disk_info/block_devices/2")); /* neither loop nor ram */
	CHECK_STR(text("disk_info/block_devices/1/partitions/0/name"), "sda2");
	CHECK_STR(text("disk_info/block_devices/1/partitions/0/type"), "partition");
	CHECK_STR(text("disk_info/block_devices/1/partitions/0/fs_usage/mount"), "/my disk");
	CHECK_EQ(number("disk_info/block_devices/1/partitions/0/fs_usage/used"), 600);
	CHECK_EQ(number("disk_info/block_devices/1/partitions/0/fs_usage/free"), 300);
	CHECK_EQ(number("disk_info/block_devices/1/partitions/0/fs_usage/percent"), 67);
	CHECK_STR(text("disk_info/block_devices/1/partitions/1/name"), "sda10");
	CHECK_STR(text("io_scheduler/sda"), "mq-deadline");
	CHECK_STR(text("io_scheduler/dm-0"), "none");
	CHECK(!at("io_scheduler/loop0"));
}

TEST(interfaces_have_states_and_addresses_in_the_words_of_ip)
{
	FILE_OF("sys/class/net/bonding_masters", "%s", "");
	FILE_OF("sys/class/net/eth2/flags", "0x1003\n");
	FILE_OF("sys/class/net/eth2/carrier", "1\n");
	FILE_OF("sys/class/net/eth2/operstate", "up\n");
	FILE_OF("sys/class/net/eth2/address", "02:fc:00:00:00:01\n");
	FILE_OF("sys/class/net/eth10/flags", "0x1003\n");
	FILE_OF("sys/class/net/eth10/carrier", "0\n");
	FILE_OF("sys/class/net/eth10/operstate", "down\n");
	collect();
	CHECK_STR(at("net_info/network_interfaces")->first->key, "eth2");
	CHECK_STR(text("net_info/network_interfaces/eth2/state/0"), "BROADCAST");
	CHECK_STR(text("net_info/network_interfaces/eth2/state/1"), "MULTICAST");
	CHECK_STR(text("net_info/network_interfaces/eth2/state/2"), "UP");
	CHECK_STR(text("net_info/network_interfaces/eth2/state/3"), "LOWER_UP");
	CHECK_STR(text("net_info/network_interfaces/eth2/mac"), "02:fc:00:00:00:01");
	CHECK_STR(text("net_info/network_interfaces/eth2/ipv4/0"), "192.0.2.1/24");
	CHECK(!at("net_info/network_interfaces/eth2/ipv4/1"));
	CHECK_STR(text("net_info/network_interfaces/eth2/ipv6/0"), "fe80::1/64");
	CHECK_STR(text("net_info/network_interfaces/eth10/state/0"), "NO-CARRIER");
	CHECK_STR(text("net_info/network_interfaces/eth10/mac"), "N/A");
	CHECK(!at("net_info/network_interfaces/bonding_masters"));
}

TEST(interrupts_with_a_number_are_summed_over_the_cpus)
{
	FILE_OF("proc/interrupts",
		"           CPU0       CPU1\n"
		"  0:         40          2   IO-APIC   2-edge      timer\n"
		" 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n"
		" 25:          7\n"
		"LOC:        100        200   Local timer interrupts\nERR:          0\n");
	collect();
	CHECK_EQ(number("interrupt_info/cpu_count"), 2);
	CHECK_STR(text("interrupt_info/interrupt_counts/0/irq"), "IO-APIC 2-edge timer");
	CHECK_EQ(number("interrupt_info/interrupt_counts/0/number"), 0);
	CHECK_EQ(number("interrupt_info/interrupt_counts/0/total"), 42);
	CHECK_STR(text("interrupt_info/interrupt_counts/2/irq"), "N/A");
	CHECK_EQ(number("interrupt_info/interrupt_counts/2/total"), 7);
	CHECK(!at("interrupt_info/interrupt_counts/3"));
}

TEST(limits_are_in_the_units_and_words_of_bash)
{
	FILE_OF("proc/self/limits",
		"Limit                     Soft Limit           Hard Limit           Units\n"
		"Max cpu time              unlimited            unlimited            seconds\n"
		"Max stack size            8388608              unlimited            bytes\n"
		"Max open files            20000                20000                files\n"
		"Max nice priority         0                    0\n");
	collect();
	CHECK_STR(text("ulimit_info/cpu time (seconds, -t)"), "unlimited");
	CHECK_STR(text("ulimit_info/stack size (kbytes, -s)"), "8192");
	CHECK_STR(text("ulimit_info/open files (-n)"), "20000");
	CHECK_STR(text("ulimit_info/scheduling priority (-e)"), "0");
	CHECK_STR(text("ulimit_info/file locks (-x)"), "N/A");
}

TEST(modules_have_the_modules_that_use_them)
{
	FILE_OF("proc/modules", "nf_nat 57344 2 xt_nat,nft_nat, Live 0x0000000000000000\n"
				"loop 40960 0 - Live 0x0000000000000000 (E)\nodd\n");
	collect();
	CHECK_STR(text("module_info/loaded_modules/0/name"), "nf_nat");
	CHECK_EQ(number("module_info/loaded_modules/0/size"), 57344);
	CHECK_STR(text("module_info/loaded_modules/0/used_by"), "2");
	CHECK_STR(text("module_info/loaded_modules/0/deps"), "xt_nat,nft_nat");
	CHECK_STR(text("module_info/loaded_modules/1/deps"), "");
	CHECK(!at("module_info/loaded_modules/2"));
}

static void make_pci(const char *name, const char *class, const char *vendor, const char *device)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/class", name);
	FILE_OF(path, "%s\n", class);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/vendor", name);
	FILE_OF(path, "%s\n", vendor);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/device", name);
	FILE_OF(path, "%s\n", device);
}

TEST(pci_devices_are_named_as_lspci_names_them)
{
	make_pci("0000:00:02.0", "0x020000", "0x1af4", "0x1041");
	FILE_OF("sys/bus/pci/devices/0000:00:02.0/revision", "0x01\n");
	make_pci("0000:00:00.0", "0x060000", "0x8086", "0x0d57");
	make_pci("0000:00:03.0", "0xffff00", "0x9999", "0x0001");
	make_pci("0000:00:04.0", "0xee0000", "0x9999", "0x0002");
	FILE_OF("usr/share/misc/pci.ids",
		"1af4  Red Hat, Inc.\n\t1041  Virtio network\n8086  Intel\n"
		"C 02  Net\n\t00  Ethernet controller\nC 06  Bridge\n\t00  Host bridge\n"
		"C ff  Unassigned class\n");
	collect();
	CHECK_EQ(number("pci_info/pci_devices/1/device_id"), 1);
	CHECK_STR(text("pci_info/pci_devices/0/device"), "00:00.0");
	CHECK_STR(text("pci_info/pci_devices/0/details"), "Host bridge: Intel Device 0d57");
	CHECK_STR(text("pci_info/pci_devices/1/details"),
		  "Ethernet controller: Red Hat, Inc. Virtio network (rev 01)");
	CHECK_STR(text("pci_info/pci_devices/2/details"),
		  "Unassigned class [ffff]: Device 9999:0001");
	CHECK_STR(text("pci_info/pci_devices/3/details"), "Class ee00: Device 9999:0002");
}

/* ---- firmware ------------------------------------------------------------------------------------------------------ */

/* A structure: its type, its bytes after the header, its texts. */
static void add_structure(int fd, uint8_t type, const uint8_t *fields, uint8_t len,
			  const char *texts, size_t texts_len)
{
	uint8_t header[4] = { type, (uint8_t)(len + 4), 0, 0 };

	CHECK_EQ(write(fd, header, 4), 4);
	CHECK_EQ(write(fd, fields, len), len);
	CHECK_EQ(write(fd, texts, texts_len), (ssize_t)texts_len);
}

#define STRUCTURE(fd, type, texts, ...)                                                            \
	add_structure(fd, type, (const uint8_t[]){ __VA_ARGS__ },                                  \
		      sizeof((const uint8_t[]){ __VA_ARGS__ }), texts "\0", sizeof(texts "\0"))

static void make_tables(void)
{
	char path[PATH_MAX];
	int fd;

	FILE_OF("sys/firmware/dmi/tables/DMI", "%s", "");
	snprintf(path, sizeof(path), "%s/sys/firmware/dmi/tables/DMI", pipa_test_dir());
	fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	STRUCTURE(fd, 0,
		  "Maker\0"
		  "1.2\0"
		  "03/04/2025",
		  1, 2, 0, 0, 3);
	STRUCTURE(fd, 1,
		  "Huawei\0"
		  "TaiShan 200\0"
		  "secret",
		  1, 2, 0, 3);
	STRUCTURE(fd, 3, "Case", 1, 0x97, 0);
	/* two processors, the second socket is empty; 288 cores need the wider field */
	STRUCTURE(fd, 4,
		  "CPU0\0"
		  "Intel\0"
		  "Xeon 6",
		  1, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0xac, 0x0d, 0x34, 0x08, 0x41, 0,
		  0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 12, 24, 0, 0, 0, 0, 0x20, 1);
	STRUCTURE(fd, 4, "CPU1", 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00);
	/* 32 GiB of DDR4, an empty slot, and one whose size is in another field */
	STRUCTURE(fd, 17,
		  "DIMM A1\0"
		  "Samsung",
		  0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x7d, 9, 0, 1, 0, 26, 0, 0, 0x80, 0x0c, 2);
	STRUCTURE(fd, 17, "DIMM A2", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 26);
	STRUCTURE(fd, 17, "DIMM A3", 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x7f, 9, 0, 1, 0, 34, 0, 0, 0, 0,
		  0, 0, 0, 0, 0, 0, 0, 2, 0);
	close(fd);
}

TEST(the_firmware_is_described_structure_by_structure_without_serial_numbers)
{
	make_tables();
	collect();
	CHECK_STR(text("bios_hardware_info/bios/Vendor"), "Maker");
	CHECK_STR(text("bios_hardware_info/bios/Release Date"), "03/04/2025");
	CHECK_STR(text("bios_hardware_info/system/Product Name"), "TaiShan 200");
	CHECK_STR(text("bios_hardware_info/system/Family"), "N/A");
	CHECK(!at("bios_hardware_info/system/Serial Number"));
	CHECK(!at("bios_hardware_info/baseboard")->first);
	CHECK_STR(text("bios_hardware_info/chassis/Type"), "Rack Mount Chassis");
	CHECK_STR(text("bios_hardware_info/processor/0/Version"), "Xeon 6");
	CHECK_STR(text("bios_hardware_info/processor/0/Max Speed"), "3500 MHz");
	CHECK_STR(text("bios_hardware_info/processor/0/Current Speed"), "2100 MHz");
	CHECK_STR(text("bios_hardware_info/processor/0/Core Count"), "288");
	CHECK_STR(text("bios_hardware_info/processor/0/Thread Count"), "24");
	CHECK(!at("bios_hardware_info/processor/1"));
	CHECK_STR(text("bios_hardware_info/memory/0/Size"), "32000 MB");
	CHECK_STR(text("bios_hardware_info/memory/0/Type"), "DDR4");
	CHECK_STR(text("bios_hardware_info/memory/0/Speed"), "3200 MT/s");
	CHECK_STR(text("bios_hardware_info/memory/0/Form Factor"), "DIMM");
	CHECK_STR(text("bios_hardware_info/memory/1/Locator"), "DIMM A3");
	CHECK_STR(text("bios_hardware_info/memory/1/Size"), "128 GB");
	CHECK_STR(text("bios_hardware_info/memory/1/Speed"), "N/A");
	CHECK(!at("bios_hardware_info/memory/2"));
}

TEST(without_smbios_tables_sysfs_dmi_values_are_used)
{
	FILE_OF("sys/class/dmi/id/sys_vendor", "QEMU\n");
	FILE_OF("sys/class/dmi/id/bios_version", "1.16\n");
	FILE_OF("sys/class/dmi/id/chassis_type", "1\n");
	collect();
	CHECK_STR(text("bios_hardware_info/system/Manufacturer"), "QEMU");
	CHECK_STR(text("bios_hardware_info/bios/Version"), "1.16");
	CHECK_STR(text("bios_hardware_info/chassis/Type"), "Other");
	CHECK_STR(text("bios_hardware_info/memory/status"), "readable only by root");
}

TEST(a_board_without_smbios_is_named_by_its_device_tree)
{
	FILE_OF("proc/device-tree/model", "Raspberry Pi 4 Model B");
	collect();
	CHECK_STR(text("bios_hardware_info/system/Product Name"), "Raspberry Pi 4 Model B");
}
