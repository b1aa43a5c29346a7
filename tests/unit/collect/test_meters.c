#include "collect/meter/meters.h"

#include <errno.h>

#include "collect/meter/cgroups.h"
#include "collect/meter/device_kinds.h"
#include "collect/meter/devices.h"
#include "collect/meter/filesystems.h"
#include "collect/meter/limits.h"
#include "collect/meter/meter_table.h"
#include "collect/meter/tasks.h"
#include "handed.h"

/* ---- CPU ------------------------------------------------------------------------------------- */

TEST(cpu_time_is_shared_out_of_all_but_guest_time)
{
	/*                user nice sys idle iow irq soft steal guest gnice */
	file("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  30 20 10 16 4 5 6 9 10 5\ncpu0 30 20 10 16 4 5 6 9 10 5\n");
	tick(1);
	CHECK_EQ(handed.n, 2);
	CHECK_STR(handed.rows[0].instance, "all");
	IS("0", "%usr", 20);
	IS("0", "%nice", 15);
	IS("0", "%sys", 10);
	IS("0", "%iowait", 4);
	IS("0", "%steal", 9);
	IS("0", "%irq", 5);
	IS("0", "%soft", 6);
	IS("0", "%guest", 10);
	IS("0", "%gnice", 5);
	IS("0", "%idle", 16);
	stop();
}

TEST(in_six_columns_guest_time_is_user_time_and_interrupts_are_system_time)
{
	file("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	start("cpu-short");
	file("proc/stat", "cpu  60 40 20 32 8 10 12 18 20 10\n");
	tick(2);
	IS("all", "%user", 30);
	IS("all", "%nice", 20);
	IS("all", "%system", 21);
	IS("all", "%iowait", 4);
	IS("all", "%steal", 9);
	IS("all", "%idle", 16);
	stop();
}

TEST(guest_time_that_outruns_user_time_leaves_none_of_it)
{
	file("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  10 0 0 90 0 0 0 0 11 0\n");
	tick(1);
	IS("all", "%usr", 0);
	IS("all", "%guest", 11);
	stop();
}

TEST(a_cpu_that_stopped_its_tick_was_idle)
{
	file("proc/stat", "cpu  5 5 5 500 0 0 0 0 0 0\ncpu0 5 5 5 500 0 0 0 0 0 0\n");
	start("cpu");
	tick(1);
	IS("0", "%idle", 100);
	IS("0", "%usr", 0);
	IS("0", "%sys", 0);
	stop();
}

TEST(iowait_that_goes_back_has_not_grown)
{
	file("proc/stat", "cpu  0 0 0 100 50 0 0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  25 0 0 175 40 0 0 0 0 0\n");
	tick(1);
	IS("all", "%iowait", 0);
	IS("all", "%usr", 25);
	IS("all", "%idle", 75);
	stop();
}

TEST(times_that_an_old_kernel_does_not_have_did_not_pass)
{
	file("proc/stat", "cpu  0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  10 20 30 40\n");
	tick(1);
	IS("all", "%usr", 10);
	IS("all", "%sys", 30);
	IS("all", "%steal", 0);
	IS("all", "%gnice", 0);
	IS("all", "%idle", 40);
	stop();
}

TEST(a_truncated_cpu_line_is_missing_and_not_idle)
{
	file("proc/stat", "cpu  1 2 3 4 5\ncpu0 1 2 3 4 5\n");
	start("cpu");
	file("proc/stat", "cpu  2 3 4 5 6\ncpu0 2 3");
	tick(1);
	IS("all", "%usr", 20);
	IS_MISSING("0", "%usr");
	IS_MISSING("0", "%idle");
	stop();
}

TEST(an_offline_cpu_is_hidden_and_keeps_its_last_reading_for_later)
{
	file("proc/stat", "cpu  0 0 0 0\ncpu0 0 0 0 0\ncpu1 700 0 0 100\ncpu2 0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  30 0 0 70\ncpu0 10 0 0 90\ncpu2 20 0 0 80\n");
	tick(1);
	CHECK(shown("all") && shown("0") && !shown("1") && shown("2"));
	IS("0", "%usr", 10);
	IS("2", "%usr", 20);
	/* its user time goes on, its idle time begins again */
	file("proc/stat", "cpu  60 0 0 140\ncpu0 20 0 0 180\ncpu1 704 0 0 6\ncpu2 40 0 0 160\n");
	tick(1);
	CHECK_EQ(handed.n, 4);
	IS("1", "%usr", 40);
	IS("1", "%idle", 60);
	IS("2", "%usr", 20);
	file("proc/stat", "cpu  90 0 0 210\ncpu0 30 0 0 270\ncpu1 734 0 0 76\ncpu2 60 0 0 240\n");
	tick(1);
	IS("1", "%usr", 30);
	IS("1", "%idle", 70);
	IS("0", "%usr", 10);
	emit(3, true);
	IS("1", "%usr", 100.0 * 34 / 110);
	IS("2", "%usr", 20);
	stop();
}

TEST(a_cpu_that_was_never_there_is_shown_from_its_second_reading)
{
	file("proc/stat", "cpu  0 0 0 0\ncpu0 0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  100 0 0 900\ncpu0 10 0 0 90\ncpu1 90 0 0 810\n");
	tick(1);
	CHECK(shown("0") && !shown("1"));
	IS("all", "%usr", 10);
	file("proc/stat", "cpu  170 0 0 1030\ncpu0 20 0 0 180\ncpu1 150 0 0 850\n");
	tick(1);
	IS("1", "%usr", 60);
	IS("all", "%usr", 35);
	stop();
}

/* The kernel's own sum takes an offline CPU's idle time from another clock. */
TEST(cpu_hotplug_does_not_distort_the_sum)
{
	file("proc/stat", "cpu  700 0 0 1000\ncpu0 0 0 0 500\ncpu1 700 0 0 500\n");
	start("cpu");
	file("proc/stat", "cpu  725 0 0 640\ncpu0 25 0 0 575\n");
	tick(1);
	IS("all", "%usr", 25);
	IS("all", "%idle", 75);
	file("proc/stat", "cpu  750 0 0 5000\ncpu0 50 0 0 650\n");
	tick(1);
	IS("all", "%usr", 25);
	file("proc/stat", "cpu  800 0 0 900\ncpu0 75 0 0 725\ncpu1 725 0 0 75\n");
	tick(1);
	IS("1", "%usr", 25);
	IS("all", "%usr", 25);
	emit(3, true);
	IS("all", "%usr", 25);
	IS("all", "%idle", 75);
	stop();
}

TEST(switches_and_forks_are_counted_a_second)
{
	file("proc/stat", "cpu  0 0 0 0\nctxt 1000\nprocesses 10\n");
	start("cswch");
	file("proc/stat", "cpu  0 0 0 0\nctxt 3000\nprocesses 15\n");
	tick(2);
	CHECK_EQ(handed.n, 1);
	IS("", "cswch/s", 1000);
	IS("", "proc/s", 2.5);
	stop();
}

TEST(interrupts_are_counted_by_number_and_the_sum_is_the_kernels)
{
	file("proc/stat", "cpu  0 0 0 0\nintr 1000 0 10 0 200\n");
	start("interrupts");
	file("proc/stat", "cpu  0 0 0 0\nintr 3000 0 10 8 500\n");
	tick(2);
	CHECK_EQ(handed.n, 4);
	CHECK_STR(handed.rows[0].instance, "sum");
	IS("sum", "intr/s", 1000);
	IS("1", "intr/s", 0);
	IS("2", "intr/s", 4); /* raised for the first time */
	IS("3", "intr/s", 150);
	emit(2, true);
	IS("2", "intr/s", 4);
	stop();
}

TEST(soft_interrupts_are_shown_of_all_cpus_and_of_those_that_ever_counted)
{
	file("proc/softirqs", "  CPU0 CPU1 CPU2\n TIMER: 100 1000 0\n RCU: 5 5 0\n");
	start("softirq");
	file("proc/softirqs", "  CPU0 CPU1 CPU2\n TIMER: 300 1400 0\n RCU: 5 9 0\n");
	tick(2);
	CHECK_EQ(handed.n, 3);
	CHECK_STR(handed.rows[0].instance, "all");
	IS("all", "TIMER/s", 300);
	IS("0", "TIMER/s", 100);
	IS("1", "TIMER/s", 200);
	IS("1", "RCU/s", 2);
	IS_MISSING("0", "HI/s");
	CHECK(!shown("2"));
	stop();
}

TEST(soft_interrupts_of_many_cpus_are_each_in_their_place)
{
	enum { CPUS = 200 };
	char text[2][4 * CPUS * 8] = { "", "" }, *at;
	int i, k, t;

	for (t = 0; t < 2; t++) {
		at = text[t];
		for (i = 0; i < CPUS; i++)
			at += sprintf(at, " CPU%d", i);
		for (k = 0; k < 2; k++) {
			at += sprintf(at, "\n%s:", k ? "SCHED" : "HI");
			for (i = 0; i < CPUS; i++)
				at += sprintf(at, " %d", 1 + t * (i + k));
		}
	}
	pipa_test_file(pipa_test_dir(), "proc/softirqs", text[0]);
	start("softirq");
	pipa_test_file(pipa_test_dir(), "proc/softirqs", text[1]);
	tick(1);
	CHECK_EQ(handed.n, CPUS + 1);
	IS("all", "HI/s", CPUS * (CPUS - 1) * 0.5);
	IS("150", "HI/s", 150);
	IS("150", "SCHED/s", 151);
	stop();
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST(used_memory_is_without_buffers_cache_and_slab)
{
	file("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 300 kB\nMemAvailable: 600 kB\n"
			     "Buffers: 50 kB\nCached: 100 kB\nSlab: 50 kB\nCommitted_AS: 750 kB\n"
			     "SwapTotal: 500 kB\nDirty: 3 kB\n");
	start("mem");
	tick(1);
	IS("", "kbmemfree", 300);
	IS("", "kbavail", 600);
	IS("", "kbmemused", 500);
	IS("", "%memused", 50);
	IS("", "kbcommit", 750);
	IS("", "%commit", 50);
	IS("", "kbdirty", 3);
	IS_MISSING("", "kbactive");
	stop();
}

TEST(memory_without_its_total_is_missing_and_not_zero)
{
	file("proc/meminfo", "MemFree: 300 kB\nBuffers: 1 kB\nCached: 1 kB\nSlab: 1 kB\n"
			     "Committed_AS: 5 kB\nSwapTotal: 0 kB\n");
	start("mem");
	tick(1);
	IS("", "kbmemfree", 300);
	IS_MISSING("", "kbmemused");
	IS_MISSING("", "%memused");
	IS_MISSING("", "%commit");
	stop();
}

TEST(more_cache_than_memory_leaves_none_used)
{
	file("proc/meminfo", "MemTotal: 100 kB\nMemFree: 60 kB\nBuffers: 0 kB\nCached: 60 kB\n"
			     "Slab: 0 kB\n");
	start("mem");
	tick(1);
	IS("", "kbmemused", 0);
	IS("", "%memused", 0);
	stop();
}

TEST(swap_space_has_shares_also_where_there_is_none)
{
	file("proc/meminfo", "SwapTotal: 400 kB\nSwapFree: 300 kB\nSwapCached: 25 kB\n");
	start("swap");
	tick(1);
	IS("", "kbswpused", 100);
	IS("", "%swpused", 25);
	IS("", "%swpcad", 25);
	file("proc/meminfo", "SwapTotal: 0 kB\nSwapFree: 0 kB\nSwapCached: 0 kB\n");
	tick(1);
	IS("", "kbswpfree", 0);
	IS("", "%swpused", 0);
	IS("", "%swpcad", 0);
	stop();
}

TEST(huge_pages_are_reported_in_kilobytes)
{
	file("proc/meminfo", "HugePages_Total: 8\nHugePages_Free: 6\nHugePages_Rsvd: 1\n"
			     "HugePages_Surp: 2\nHugepagesize: 2048 kB\n");
	start("hugepages");
	tick(1);
	IS("", "kbhugfree", 12288);
	IS("", "kbhugused", 4096);
	IS("", "%hugused", 25);
	IS("", "kbhugrsvd", 2048);
	IS("", "kbhugsurp", 4096);
	stop();
}

TEST(paging_efficiency_is_stolen_pages_per_scanned_pages)
{
	file("proc/vmstat", "pgpgin 0\npgsteal_kswapd 0\npgsteal_direct 0\npgscan_kswapd 0\n"
			    "pgscan_direct 0\n");
	start("paging");
	tick(2);
	IS("", "%vmeff", 0);
	file("proc/vmstat", "pgpgin 10\npgsteal_kswapd 300\npgsteal_direct 100\n"
			    "pgscan_kswapd 600\npgscan_direct 200\n");
	tick(2);
	IS("", "pgpgin/s", 5);
	IS("", "pgscank/s", 300);
	IS("", "pgscand/s", 100);
	IS("", "pgsteal/s", 200);
	IS("", "%vmeff", 50);
	IS_MISSING("", "pgpgout/s");
	IS_MISSING("", "fault/s");
	stop();
}

TEST(reclaim_of_kernels_that_count_by_zone_is_summed)
{
	file("proc/vmstat", "pgsteal_kswapd_normal 0\npgsteal_direct_normal 0\n"
			    "pgscan_kswapd_normal 0\npgscan_direct_normal 0\n");
	start("paging");
	file("proc/vmstat", "pgsteal_kswapd_dma 10\npgsteal_kswapd_dma32 20\n"
			    "pgsteal_kswapd_normal 30\npgsteal_kswapd_movable 40\n"
			    "pgsteal_direct_dma 1\npgsteal_direct_normal 99\n"
			    "pgscan_kswapd_dma32 150\npgscan_kswapd_normal 150\n"
			    "pgscan_direct_normal 60\npgscan_direct_high 40\n"
			    "pgscan_direct_throttle 5000\n");
	tick(1);
	IS("", "pgscank/s", 300);
	IS("", "pgscand/s", 100);
	IS("", "pgsteal/s", 200);
	IS("", "%vmeff", 50);
	stop();
}

TEST(pages_stolen_before_linux_3_4_are_summed_over_zones)
{
	file("proc/vmstat", "pgsteal_dma 0\npgsteal_normal 0\n");
	start("paging");
	file("proc/vmstat", "pgsteal_dma 3\npgsteal_normal 4\nkswapd_steal 5\n");
	tick(1);
	IS("", "pgsteal/s", 7);
	stop();
}

TEST(pages_are_counted_once_and_direct_scans_exclude_background_ones)
{
	file("proc/vmstat", "pgsteal_kswapd 0\npgsteal_direct 0\npgsteal_khugepaged 0\n"
			    "pgsteal_proactive 0\npgscan_kswapd 0\npgscan_direct 0\n"
			    "pgscan_khugepaged 0\npgscan_proactive 0\n");
	start("paging");
	file("proc/vmstat", "pgsteal_kswapd 10\npgsteal_direct 20\npgsteal_khugepaged 30\n"
			    "pgsteal_proactive 40\npgscan_kswapd 50\npgscan_direct 60\n"
			    "pgscan_khugepaged 70\npgscan_proactive 20\n"
			    "pgscan_direct_throttle 9\npgscan_anon 100\npgscan_file 100\n"
			    "pgsteal_anon 50\npgsteal_file 50\n");
	tick(1);
	IS("", "pgscank/s", 50);
	IS("", "pgscand/s", 60);
	IS("", "pgsteal/s", 100);
	IS("", "%vmeff", 50);
	stop();
}

/* ---- disks ----------------------------------------------------------------------------------- */

static void disks(void)
{
	file("sys/block/sda/device/model", "a\n");
	file("sys/block/sdb/device/model", "b\n");
	file("sys/block/dm-0/size", "1\n");
	file("sys/block/sda/sda1/size", "1\n");
	file("sys/block/cciss!c0d0/device/model", "c\n");
}

TEST(a_disk_has_rates_sizes_waits_and_utilization)
{
	disks();
	file("proc/diskstats", " 8 0 sda 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	start("disk");
	/* 20 reads of 400 sectors in 100 ms, 10 writes of 160 in 200 ms, 10 discards */
	file("proc/diskstats", " 8 0 sda 120 9 400 100 10 9 160 200 3 500 3000 10 9 240 20 7 7\n");
	tick(2);
	CHECK_EQ(handed.n, 1);
	IS("sda", "tps", 20);
	IS("sda", "rkB/s", 100);
	IS("sda", "wkB/s", 40);
	IS("sda", "dkB/s", 60);
	IS("sda", "areq-sz", 10);
	IS("sda", "aqu-sz", 1.5);
	IS("sda", "await", 8);
	IS("sda", "%util", 25);
	IS("sda", "r_await", 5);
	IS("sda", "w_await", 20);
	tick(2);
	IS("sda", "tps", 0);
	IS("sda", "areq-sz", 0);
	IS("sda", "await", 0);
	stop();
}

TEST(whole_disks_that_were_ever_used_are_shown)
{
	disks();
	file("proc/diskstats", "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n8 1 sda1 1 0 0 0 0 0 0 0 0 0 0\n"
			       "8 16 sdb 0 0 0 0 0 0 0 0 0 0 0\n"
			       "253 0 dm-0 0 0 0 0 1 0 0 0 0 0 0\n"
			       "104 0 cciss/c0d0 5 0 0 0 0 0 0 0 0 0 0\n");
	start("disk");
	tick(1);
	CHECK_EQ(handed.n, 3);
	CHECK(shown("sda") && shown("dm-0") && shown("cciss/c0d0"));
	stop();
}

TEST(old_kernels_have_zero_discards_and_truncated_rows_missing_values)
{
	disks();
	file("proc/diskstats", "8 0 sda 10 0 0 0 10 0 0 0 0 0 0\n8 16 sdb 1 0 0 0 1 0\n");
	start("disk");
	file("proc/diskstats", "8 0 sda 20 0 0 0 10 0 0 0 0 0 0\n8 16 sdb 3 0 8 0 1 0\n");
	tick(1);
	IS("sda", "tps", 10);
	IS("sda", "dkB/s", 0);
	IS("sdb", "rkB/s", 4);
	IS_MISSING("sdb", "wkB/s");
	IS_MISSING("sdb", "%util");
	IS_MISSING("sdb", "aqu-sz");
	stop();
}

TEST(a_disk_that_was_busy_for_longer_than_the_tick_is_shown_so_as_sar_does)
{
	disks();
	file("proc/diskstats", "8 0 sda 10 0 0 0 10 0 0 0 0 0 0\n");
	start("disk");
	file("proc/diskstats", "8 0 sda 20 0 0 0 10 0 0 0 0 1010 0\n");
	tick(1);
	IS("sda", "%util", 101);
	stop();
}

TEST(disks_that_come_count_from_zero_and_those_that_go_are_gone)
{
	disks();
	file("proc/diskstats", "8 0 sda 10 0 0 0 0 0 0 0 0 0 0\n");
	start("disk");
	file("proc/diskstats", "8 0 sda 12 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 30 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	IS("sda", "tps", 2);
	IS("sdb", "tps", 30);
	file("proc/diskstats", "8 16 sdb 40 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	CHECK_EQ(handed.n, 1);
	IS("sdb", "tps", 10);
	emit(2, true);
	CHECK_EQ(handed.n, 1);
	IS("sdb", "tps", 20);
	/* back again, as a disk that was just plugged in */
	file("proc/diskstats", "8 0 sda 3 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 40 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	IS("sda", "tps", 3);
	IS("sdb", "tps", 0);
	stop();
}

TEST(all_disks_together_are_the_whole_ones_with_a_device)
{
	disks();
	file("proc/diskstats", "8 0 sda 0 0 0 0 0 0 0 0 0 0 0\n8 1 sda1 0 0 0 0 0 0 0 0 0 0 0\n"
			       "8 16 sdb 0 0 0 0 0 0 0 0 0 0 0\n"
			       "253 0 dm-0 0 0 0 0 0 0 0 0 0 0 0\n");
	start("io");
	file("proc/diskstats", "8 0 sda 10 0 80 0 4 0 16 0 0 0 0 6 0 32 0\n"
			       "8 1 sda1 10 0 80 0 4 0 16 0 0 0 0 6 0 32 0\n"
			       "8 16 sdb 20 0 40 0 6 0 24 0 0 0 0\n"
			       "253 0 dm-0 30 0 120 0 10 0 40 0 0 0 0 0 0 0 0\n");
	tick(2);
	CHECK_EQ(handed.n, 1);
	IS("", "tps", 20);
	IS("", "rtps", 15);
	IS("", "wtps", 5);
	IS("", "bread/s", 60);
	IS("", "bwrtn/s", 20);
	stop();
}

TEST(a_disk_counter_that_wraps_or_restarts_does_not_distort_the_sum)
{
	disks();
	file("proc/diskstats", "8 0 sda 4294967290 0 0 0 1 0 0 0 0 0 0\n"
			       "8 16 sdb 9000000000 0 0 0 500 0 0 0 0 0 0\n");
	start("io");
	file("proc/diskstats", "8 0 sda 4 0 0 0 1 0 0 0 0 0 0\n"
			       "8 16 sdb 9000000010 0 0 0 5 0 0 0 0 0 0\n");
	tick(1);
	IS("", "rtps", 20);
	IS("", "wtps", 5);
	stop();
}

TEST(a_removed_disk_does_not_affect_the_sum_of_the_others)
{
	disks();
	file("proc/diskstats", "8 0 sda 1000 0 0 0 0 0 0 0 0 0 0\n"
			       "8 16 sdb 50 0 0 0 0 0 0 0 0 0 0\n");
	start("io");
	file("proc/diskstats", "8 16 sdb 57 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	IS("", "tps", 7);
	stop();
}

/* ---- network --------------------------------------------------------------------------------- */

static const char still[] = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";

TEST(an_interface_has_rates_and_errors)
{
	file("proc/net/dev", "eth0: %s\n", still);
	start("net");
	file("proc/net/dev", "eth0: 2048 10 1 2 3 4 6 8 4096 20 5 6 7 8 9 12\n");
	tick(2);
	IS("eth0", "rxpck/s", 5);
	IS("eth0", "txpck/s", 10);
	IS("eth0", "rxkB/s", 1);
	IS("eth0", "txkB/s", 2);
	IS("eth0", "rxcmp/s", 3);
	IS("eth0", "txcmp/s", 6);
	IS("eth0", "rxmcst/s", 4);
	IS("eth0", "%ifutil", 0);
	stop();
	file("proc/net/dev", "eth0: %s\n", still);
	start("net-errors");
	file("proc/net/dev", "eth0: 2048 10 2 4 6 8 6 8 4096 20 10 12 14 16 18 12\n");
	tick(2);
	IS("eth0", "rxerr/s", 1);
	IS("eth0", "txerr/s", 5);
	IS("eth0", "coll/s", 8);
	IS("eth0", "rxdrop/s", 2);
	IS("eth0", "txdrop/s", 6);
	IS("eth0", "txcarr/s", 9);
	IS("eth0", "rxfram/s", 4);
	IS("eth0", "rxfifo/s", 3);
	IS("eth0", "txfifo/s", 7);
	stop();
}

TEST(utilization_is_of_one_direction_in_full_duplex_and_of_both_otherwise)
{
	static const char *const names[] = { "full", "half", "unknown", "silent" };
	size_t i;

	for (i = 0; i < 4; i++) {
		char path[100];

		snprintf(path, sizeof(path), "sys/class/net/%s/speed", names[i]);
		file(path, "10\n");
		snprintf(path, sizeof(path), "sys/class/net/%s/duplex", names[i]);
		if (i < 3)
			file(path, "%s\n", names[i]);
	}
	file("sys/class/net/down/speed", "-1\n");
	file("proc/net/dev", "full: %s\nhalf: %s\nunknown: %s\nsilent: %s\ndown: %s\n", still,
	     still, still, still, still);
	start("net");
#define MOVED "125000 1 0 0 0 0 0 0 250000 1 0 0 0 0 0 0"
	file("proc/net/dev", "full: " MOVED "\nhalf: " MOVED "\nunknown: " MOVED "\nsilent: " MOVED
			     "\ndown: " MOVED "\n");
	tick(1);
	IS("full", "%ifutil", 20);
	IS("half", "%ifutil", 30);
	IS("unknown", "%ifutil", 30);
	IS("silent", "%ifutil", 30);
	IS("down", "%ifutil", 0);
	emit(1, true);
	IS("full", "%ifutil", 20);
	IS("half", "%ifutil", 30);
	stop();
}

TEST(a_truncated_row_has_no_utilization_and_a_fast_one_exceeds_100_percent)
{
	file("sys/class/net/eth0/speed", "10\n");
	file("sys/class/net/eth1/speed", "10\n");
	file("proc/net/dev", "eth0: 1 1\neth1: %s\n", still);
	start("net");
	file("proc/net/dev", "eth0: 125001 2\neth1: 0 0 0 0 0 0 0 0 9999999 0 0 0 0 0 0 0\n");
	tick(1);
	IS("eth0", "rxpck/s", 1);
	IS_MISSING("eth0", "txpck/s");
	IS_MISSING("eth0", "%ifutil");
	CHECK_NEAR(value("eth1", "%ifutil"), 800, 0.001);
	stop();
}

TEST(a_links_speed_is_asked_again_now_and_then)
{
	int i;

	file("sys/class/net/eth0/speed", "10\n");
	file("sys/class/net/eth0/duplex", "full\n");
	file("proc/net/dev", "eth0: %s\n", still);
	start("net");
	file("sys/class/net/eth0/speed", "100\n");
	for (i = 1; i <= 40; i++) {
		file("proc/net/dev", "eth0: %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", i * 125000);
		tick(1);
		if (i == 1)
			IS("eth0", "%ifutil", 10);
	}
	IS("eth0", "%ifutil", 1);
	stop();
}

TEST(interfaces_come_and_go_and_wrap)
{
	file("proc/net/dev", "lo: 0 4294967295 0 0 0 0 0 0 0 5 0 0 0 0 0 0\n"
			     "veth1: 1 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	start("net");
	file("proc/net/dev",
	     "lo: 0 9 0 0 0 0 0 0 0 2 0 0 0 0 0 0\nveth2: 1 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	CHECK_EQ(handed.n, 2);
	IS("lo", "rxpck/s", 10);
	IS("lo", "txpck/s", 2);
	IS("veth2", "rxpck/s", 8);
	CHECK(!shown("veth1"));
	stop();
}

TEST(protocol_counters_are_per_second_and_absent_ones_are_missing)
{
	file("proc/net/snmp", "Ip: InReceives\nIp: 10\nTcp: ActiveOpens InSegs\nTcp: 1 100\n");
	start("tcp");
	file("proc/net/snmp", "Ip: InReceives\nIp: 20\nTcp: ActiveOpens InSegs\nTcp: 5 300\n");
	tick(2);
	IS("", "active/s", 2);
	IS("", "iseg/s", 100);
	IS_MISSING("", "passive/s");
	stop();
}

/* ---- the rest -------------------------------------------------------------------------------- */

TEST(load_leaves_out_the_reader_itself)
{
	file("proc/loadavg", "0.50 1.25 2.00 3/200 4711\n");
	file("proc/stat", "procs_blocked 2\n");
	start("load");
	tick(1);
	CHECK_EQ(handed.n, 1);
	IS("", "runq-sz", 2);
	IS("", "plist-sz", 200);
	IS("", "ldavg-1", 0.5);
	IS("", "ldavg-5", 1.25);
	IS("", "ldavg-15", 2);
	IS("", "blocked", 2);
	file("proc/loadavg", "0.50 1.25 2.00 0/200 4711\n");
	tick(1);
	IS("", "runq-sz", 0);
	stop();
}

TEST(kernel_tables_show_entries_in_use)
{
	file("proc/sys/fs/dentry-state", "100 90 45 0 0 0\n");
	file("proc/sys/fs/file-nr", "1500 20 99999\n");
	file("proc/sys/fs/inode-state", "800 30 0 0 0 0 0\n");
	start("kernel-tables");
	tick(1);
	IS("", "dentunusd", 90);
	IS("", "file-nr", 1480);
	IS("", "inode-nr", 770);
	IS_MISSING("", "pty-nr");
	CHECK_STR(missing(0), "/proc/sys/kernel/pty/nr");
	CHECK(!missing(1));
	stop();
}

TEST(pressure_is_the_share_of_time_that_was_stalled)
{
	file("proc/pressure/io", "some avg10=1.50 avg60=0.00 avg300=0.00 total=1000000\n"
				 "full avg10=0.25 avg60=0.00 avg300=0.00 total=0\n");
	start("psi-io");
	file("proc/pressure/io", "some avg10=2.50 avg60=0.00 avg300=0.00 total=1500000\n"
				 "full avg10=0.75 avg60=0.00 avg300=0.00 total=100000\n");
	tick(2);
	IS("", "%sio-10", 2.5);
	IS("", "%sio", 25);
	IS("", "%fio-10", 0.75);
	IS("", "%fio", 5);
	file("proc/pressure/io", "some avg10=2.50 avg60=0.00 avg300=0.00 total=2600000\n"
				 "full avg10=0.75 avg60=0.00 avg300=0.00 total=100000\n");
	tick(1); /* the file was read later than the clock */
	IS("", "%sio", 100);
	stop();
}

TEST(softnet_of_a_cpu_that_comes_is_shown_from_its_second_reading)
{
	file("proc/net/softnet_stat", "0000000a 0 0 0 0 0 0 0 0 0 0 0 0\n");
	start("softnet");
	file("proc/net/softnet_stat",
	     "00000014 0 0 0 0 0 0 0 0 0 0 0 0\n00001000 0 0 0 0 0 0 0 0 0 0 0 1\n");
	tick(1);
	CHECK(shown("0") && !shown("1"));
	IS("0", "total/s", 10);
	file("proc/net/softnet_stat",
	     "00000014 0 0 0 0 0 0 0 0 0 0 0 0\n00001005 0 0 0 0 0 0 0 0 0 0 2 1\n");
	tick(1);
	IS("1", "total/s", 5);
	IS("1", "blg_len", 2);
	IS("all", "total/s", 5);
	emit(2, true);
	IS("1", "total/s", 2.5);
	stop();
}

TEST(nfs_calls_of_two_versions_wrap_as_one_counter)
{
	file("proc/net/rpc/nfs", "proc3 22 0 0 0 0 0 0 4294967290\nproc4 61 0 4294967200\n");
	start("nfs");
	file("proc/net/rpc/nfs", "proc3 22 0 0 0 0 0 0 4\nproc4 61 0 4294967205\n");
	tick(1);
	IS("", "read/s", 15);
	stop();
}

/* ---- averages -------------------------------------------------------------------------------- */

TEST(the_average_of_rates_is_the_growth_over_the_whole_time)
{
	static const int counts[] = { 100, 350, 370, 1000 };
	static const double seconds[] = { 0, 1, 3, 0.5 };
	double sum = 0, whole = 0;
	int i;

	file("proc/stat", "ctxt %d\nprocesses 0\n", counts[0]);
	start("cswch");
	for (i = 1; i < 4; i++) {
		file("proc/stat", "ctxt %d\nprocesses 0\n", counts[i]);
		tick(seconds[i]);
		sum += value("", "cswch/s") * seconds[i];
		whole += seconds[i];
	}
	emit(whole, true);
	IS("", "cswch/s", 200);
	IS("", "cswch/s", sum / whole);
	stop();
}

TEST(the_average_is_right_after_a_counter_wrapped_and_restarted)
{
	static const uint64_t counts[] = { 4294967000, 4294967200, 104, 304, 50, 250 };
	size_t i;

	file("proc/stat", "ctxt %llu\n", (unsigned long long)counts[0]);
	start("cswch");
	for (i = 1; i < PIPA_COUNT(counts); i++) {
		file("proc/stat", "ctxt %llu\n", (unsigned long long)counts[i]);
		tick(1);
		IS("", "cswch/s", counts[i] == 50 ? 50 : 200);
	}
	emit(5, true);
	IS("", "cswch/s", 170);
	IS_MISSING("", "proc/s");
	stop();
}

TEST(the_average_of_cpu_shares_counts_time_that_went_back_as_its_ticks_did)
{
	file("proc/stat", "cpu  0 0 0 100 50 0 0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  0 0 0 150 100 0 0 0 0 0\n");
	tick(1);
	IS("all", "%iowait", 50);
	file("proc/stat", "cpu  0 0 0 250 60 0 0 0 0 0\n");
	tick(1);
	IS("all", "%iowait", 0);
	emit(2, true);
	IS("all", "%iowait", 25);
	IS("all", "%idle", 75);
	stop();
}

TEST(the_average_of_cpu_shares_weighs_ticks_by_their_length)
{
	file("proc/stat", "cpu  0 0 0 0\n");
	start("cpu");
	file("proc/stat", "cpu  100 0 0 0\n");
	tick(1);
	IS("all", "%usr", 100);
	file("proc/stat", "cpu  100 0 0 300\n");
	tick(3);
	IS("all", "%usr", 0);
	emit(4, true);
	IS("all", "%usr", 25);
	IS("all", "%idle", 75);
	stop();
}

TEST(the_average_of_states_is_their_mean_without_the_first_reading)
{
	file("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1000 kB\nBuffers: 0 kB\nCached: 0 kB\n"
			     "Slab: 0 kB\n");
	start("mem");
	file("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 600 kB\nBuffers: 0 kB\nCached: 0 kB\n"
			     "Slab: 0 kB\n");
	tick(1);
	file("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 400 kB\nBuffers: 0 kB\nCached: 0 kB\n"
			     "Slab: 0 kB\n");
	tick(1);
	IS("", "kbmemfree", 400);
	emit(2, true);
	IS("", "kbmemfree", 500);
	IS("", "%memused", 50);
	IS_MISSING("", "kbavail");
	stop();
}

TEST(the_average_of_all_disks_counts_one_that_came_later)
{
	disks();
	file("proc/diskstats", "8 0 sda 10 0 0 0 0 0 0 0 0 0 0\n");
	start("io");
	file("proc/diskstats", "8 0 sda 20 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 6 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	IS("", "tps", 16);
	file("proc/diskstats", "8 0 sda 20 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 8 0 0 0 0 0 0 0 0 0 0\n");
	tick(1);
	IS("", "tps", 2);
	emit(2, true);
	IS("", "tps", 9);
	stop();
}

/* ---- bad machines ---------------------------------------------------------------------------- */

TEST(a_machine_without_any_file_names_each_and_shows_nothing)
{
	const struct pipa_section *sections[PIPA_SECTION_NR];
	struct pipa_tick at = { .wall_ns = 1, .interval_s = 1 };
	size_t n = 0, named = 0;
	bool stat = false;

	pipa_test_file(pipa_test_dir(), "proc/nothing", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	for (; n < PIPA_SECTION_NR; n++)
		sections[n] = &pipa_sections[n];
	CHECK_EQ(pipa_sources_open(root, sections, n, &sources, NULL), 0);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
	CHECK_EQ(pipa_sources_emit(sources, &at, false, &handed.sink), 0);
	CHECK_EQ(pipa_sources_emit(sources, &at, true, &handed.sink), 0);
	CHECK_EQ(handed.n, 0);
	CHECK_EQ(handed.ends, 2);
	for (; missing(named); named++)
		stat |= strcmp(missing(named), "/proc/stat") == 0;
	CHECK(stat);
	/* the files of /proc, devices, mounts, control groups and ours, two files of tasks */
	CHECK_EQ(named, pipa_n_proc_files + PIPA_DEVICE_KINDS + 5);
	stop();
}

TEST(only_files_that_are_wanted_are_opened)
{
	file("proc/vmstat", "pswpin 1\npswpout 1\n");
	start("swapping");
	CHECK(!missing(0));
	tick(1);
	IS("", "pswpin/s", 0);
	stop();
}

TEST(an_unreadable_file_is_missing_and_the_rest_continues)
{
	file("proc/loadavg/in", "a folder where a file should be\n");
	file("proc/stat", "procs_blocked 7\n");
	start("load");
	tick(1);
	CHECK_STR(missing(0), "/proc/loadavg");
	IS_MISSING("", "runq-sz");
	IS_MISSING("", "ldavg-1");
	IS("", "blocked", 7);
	stop();
}

TEST(a_file_that_becomes_empty_leaves_its_columns_missing)
{
	file("proc/meminfo", "MemTotal: 10 kB\nMemFree: 5 kB\n");
	start("mem");
	file("proc/meminfo", "%s", "");
	tick(1);
	CHECK_EQ(handed.n, 1);
	IS_MISSING("", "kbmemfree");
	file("proc/meminfo", "MemTotal: 10 kB\nMemFree: 4 kB\n");
	tick(1);
	IS("", "kbmemfree", 4);
	stop();
}

TEST(a_sink_that_refuses_ends_the_tick)
{
	struct pipa_tick at = { .wall_ns = 1, .interval_s = 1 };

	file("proc/stat", "cpu  1 2 3 4\ncpu0 1 2 3 4\n");
	start("cpu");
	tick(1);
	handed.refuse = -EPIPE;
	handed.n = handed.ends = 0;
	CHECK_EQ(pipa_sources_emit(sources, &at, false, &handed.sink), -EPIPE);
	CHECK_EQ(handed.n, 1);
	CHECK_EQ(handed.ends, 0);
	stop();
}

/* ---- the table ------------------------------------------------------------------------------- */

TEST(every_column_has_a_formula_of_its_kind)
{
	size_t i, k;

	for (i = 0; i < pipa_n_meter_table; i++)
		for (k = 0; k < pipa_meter_table[i]->section->n_columns; k++) {
			const struct pipa_formula *formula = &pipa_meter_table[i]->formulas[k];
			bool state = formula->kind == PIPA_FORMULA_GAUGE ||
				     formula->kind == PIPA_FORMULA_STATE;

			CHECK(formula->kind != PIPA_FORMULA_NONE);
			CHECK_EQ(pipa_meter_table[i]->section->columns[k].kind == PIPA_METRIC_GAUGE,
				 state);
		}
}

TEST(every_section_of_the_dictionary_has_one_source)
{
	static const struct pipa_source_kind *const kinds[] = {
		&pipa_limits_source,  &pipa_meters_source,  &pipa_filesystems_source,
		&pipa_devices_source, &pipa_cgroups_source, &pipa_tasks_source,
	};
	size_t i, k, n;

	for (i = 0; i < PIPA_SECTION_NR; i++) {
		for (n = k = 0; k < PIPA_COUNT(kinds); k++)
			n += kinds[k]->has(&pipa_sections[i]);
		if (n != 1)
			pipa_test_fail(__FILE__, __LINE__, "%s has %zu sources",
				       pipa_sections[i].name, n);
	}
}

TEST(no_group_has_more_fields_than_there_is_room_for)
{
	struct pipa_readings readings;
	size_t i;

	pipa_readings_init(&readings);
	for (i = 0; i < PIPA_GROUP_NR; i++)
		CHECK(readings.group[i].fields > 0 &&
		      readings.group[i].fields <= PIPA_METER_FIELDS);
	pipa_readings_done(&readings);
}
