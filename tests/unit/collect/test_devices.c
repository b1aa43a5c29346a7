#include "collect/meter/devices.h"

#include <limits.h>
#include <unistd.h>

#include "handed.h"

/* ---- NUMA nodes ------------------------------------------------------------------------------ */

static void node(int n, int hit, int miss, int free_kb)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/node/node%d/numastat", n);
	file(path,
	     "numa_hit %d\nnuma_miss %d\nnuma_foreign 0\ninterleave_hit 0\nlocal_node %d\n"
	     "other_node 0\n",
	     hit, miss, hit);
	snprintf(path, sizeof(path), "sys/devices/system/node/node%d/meminfo", n);
	file(path, "Node %d MemTotal: 1000 kB\nNode %d MemFree: %d kB\nNode %d MemUsed: %d kB\n", n,
	     n, free_kb, n, 1000 - free_kb);
}

TEST(numa_nodes_have_rates_and_memory_in_the_order_of_their_numbers)
{
	file("sys/devices/system/node/online", "0-1,10\n");
	file("sys/devices/system/node/possible", "0-15\n");
	node(10, 5, 5, 5);
	node(0, 100, 10, 400);
	node(1, 1000, 0, 300);
	start("numa");
	node(0, 300, 30, 200);
	node(1, 1000, 0, 300);
	tick(2);
	CHECK_EQ(handed.n, 3);
	CHECK_STR(handed.rows[2].instance, "10");
	IS("0", "numa_hit/s", 100);
	IS("0", "numa_miss/s", 10);
	IS("0", "local/s", 100);
	IS("0", "other/s", 0);
	IS("0", "memfree", 200);
	IS("0", "memused", 800);
	IS("1", "numa_hit/s", 0);
	node(0, 300, 30, 100);
	tick(2);
	emit(4, true);
	IS("0", "numa_hit/s", 50);
	IS("0", "memfree", 150);
	CHECK(!missing(0));
	stop();
}

TEST(a_node_that_comes_online_is_seen)
{
	file("sys/devices/system/node/online", "0\n");
	node(0, 1, 0, 1);
	start("numa");
	tick(1);
	CHECK_EQ(handed.n, 1);
	node(1, 50, 0, 2);
	tick(1);
	CHECK_EQ(handed.n, 1);
	file("sys/devices/system/node/online", "0-1\n");
	tick(1);
	CHECK_EQ(handed.n, 2);
	IS("1", "memfree", 2);
	stop();
}

TEST(a_machine_without_nodes_reports_the_missing_path)
{
	start("numa");
	tick(1);
	CHECK_EQ(handed.n, 0);
	CHECK_STR(missing(0), "/sys/devices/system/node");
	CHECK(!missing(1));
	stop();
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void cpu_clock(int cpu, const char *khz)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
	file(path, "%s\n", khz);
}

TEST(clocks_are_the_drivers_and_all_is_their_mean)
{
	file("sys/devices/system/cpu/online", "0-2\n");
	file("sys/devices/system/cpu/cpufreq/policy0/x", "1\n");
	file("proc/cpuinfo", "processor : 0\ncpu MHz : 1.0\n");
	cpu_clock(0, "1000000");
	cpu_clock(1, "2500000");
	cpu_clock(2, "<unknown>");
	start("freq");
	tick(1);
	CHECK_EQ(handed.n, 4);
	CHECK_STR(handed.rows[0].instance, "all");
	IS("all", "MHz", 1750);
	IS("0", "MHz", 1000);
	IS_MISSING("2", "MHz");
	cpu_clock(0, "2000000");
	tick(1);
	IS("all", "MHz", 2250);
	emit(2, true);
	IS("all", "MHz", 2000);
	IS("0", "MHz", 1500);
	stop();
}

TEST(clocks_of_cpus_that_come_and_go_are_seen)
{
	char path[PATH_MAX];

	file("sys/devices/system/cpu/online", "0-1\n");
	cpu_clock(0, "1000000");
	cpu_clock(1, "3000000");
	start("freq");
	tick(1);
	IS("all", "MHz", 2000);
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
		 pipa_test_dir());
	CHECK_EQ(unlink(path), 0);
	file("sys/devices/system/cpu/online", "0\n");
	tick(1);
	CHECK_EQ(handed.n, 2);
	IS("all", "MHz", 1000);
	cpu_clock(1, "2000000");
	file("sys/devices/system/cpu/online", "0-1\n");
	tick(1);
	CHECK_EQ(handed.n, 3);
	IS("all", "MHz", 1500);
	stop();
}

TEST(without_a_driver_clocks_are_those_of_cpuinfo)
{
	file("sys/devices/system/cpu/online", "0-1\n");
	file("proc/cpuinfo", "processor : 0\ncpu MHz : 2000.000\n\nprocessor : 1\ncpu MHz : "
			     "3000.000\n");
	start("freq");
	tick(1);
	CHECK_EQ(handed.n, 3);
	IS("all", "MHz", 2500);
	IS("1", "MHz", 3000);
	CHECK(!missing(0));
	stop();
}

TEST(a_machine_without_cpu_frequencies_reports_the_missing_path)
{
	file("sys/devices/system/cpu/online", "0-1\n");
	file("proc/cpuinfo", "processor : 0\nBogoMIPS : 50.00\n");
	start("freq");
	tick(1);
	CHECK_EQ(handed.n, 0);
	CHECK_STR(missing(0), "/sys/devices/system/cpu/cpu0/cpufreq");
	stop();
}

/* ---- temperatures ---------------------------------------------------------------------------- */

TEST(sensors_are_named_by_chip_and_label_and_shared_between_lowest_and_highest)
{
	file("sys/class/hwmon/hwmon0/name", "acpitz\n");
	file("sys/class/hwmon/hwmon0/temp1_input", "-5000\n");
	file("sys/class/hwmon/hwmon2/name", "coretemp\n");
	file("sys/class/hwmon/hwmon2/temp1_input", "40000\n");
	file("sys/class/hwmon/hwmon2/temp1_label", "Package id 0\n");
	file("sys/class/hwmon/hwmon2/temp1_max", "80000\n");
	file("sys/class/hwmon/hwmon2/temp1_crit", "100000\n");
	file("sys/class/hwmon/hwmon2/temp10_input", "60000\n");
	file("sys/class/hwmon/hwmon2/temp10_min", "20000\n");
	file("sys/class/hwmon/hwmon2/temp10_crit", "100000\n");
	file("sys/class/hwmon/hwmon2/fan1_input", "900\n");
	start("thermal");
	file("sys/class/hwmon/hwmon2/temp1_input", "44000\n");
	tick(1);
	CHECK_EQ(handed.n, 3);
	CHECK_NEAR(value("acpitz-0/temp1", "degC"), -5, 1e-6);
	IS_MISSING("acpitz-0/temp1", "%temp");
	CHECK_NEAR(value("coretemp-2/Package_id_0", "degC"), 44, 1e-6);
	IS("coretemp-2/Package_id_0", "%temp", 55);
	CHECK_NEAR(value("coretemp-2/temp10", "degC"), 60, 1e-6);
	IS("coretemp-2/temp10", "%temp", 50);
	file("sys/class/hwmon/hwmon2/temp1_input", "46000\n");
	tick(1);
	emit(2, true);
	CHECK_NEAR(value("coretemp-2/Package_id_0", "degC"), 45, 1e-6);
	stop();
}

TEST(a_sensor_that_cannot_be_read_is_missing)
{
	file("sys/class/hwmon/hwmon0/name", "nvme\n");
	file("sys/class/hwmon/hwmon0/temp1_input", "30000\n");
	file("sys/class/hwmon/hwmon0/temp2_input", "40000\n");
	start("thermal");
	file("sys/class/hwmon/hwmon0/temp1_input", "%s", "");
	tick(1);
	CHECK_EQ(handed.n, 2);
	IS_MISSING("nvme-0/temp1", "degC");
	CHECK_NEAR(value("nvme-0/temp2", "degC"), 40, 1e-6);
	stop();
}

TEST(without_chips_thermal_zones_are_shown)
{
	file("sys/class/hwmon/hwmon0/name", "fans only\n");
	file("sys/class/thermal/thermal_zone0/type", "x86 pkg\n");
	file("sys/class/thermal/thermal_zone0/temp", "55000\n");
	file("sys/class/thermal/thermal_zone1/temp", "20000\n");
	file("sys/class/thermal/cooling_device0/type", "Fan\n");
	start("thermal");
	tick(1);
	CHECK_EQ(handed.n, 2);
	CHECK_NEAR(value("x86_pkg-0", "degC"), 55, 1e-6);
	CHECK_NEAR(value("zone-1", "degC"), 20, 1e-6);
	stop();
}

TEST(a_machine_without_sensors_reports_the_missing_path)
{
	start("thermal");
	tick(1);
	CHECK_EQ(handed.n, 0);
	CHECK_STR(missing(0), "/sys/class/hwmon");
	stop();
}
