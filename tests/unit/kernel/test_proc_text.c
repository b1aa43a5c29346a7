#include "kernel/text/proc_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/test.h"

#define MISSING(value) CHECK((value) == PIPA_RAW_MISSING)

static const struct pipa_proc_file *file_of(const char *path)
{
	size_t i;

	for (i = 0; i < pipa_n_proc_files; i++)
		if (strcmp(pipa_proc_files[i].path, path) == 0)
			return &pipa_proc_files[i];
	pipa_test_fail(__FILE__, __LINE__, "no row for %s", path);
}

/* One tick with one file in it, from exactly as many bytes as it has. */
static void parse_bytes(struct pipa_readings *r, const char *path, const char *text, size_t len)
{
	char *exact = malloc(len ? len : 1);

	CHECK(exact);
	memcpy(exact, text, len);
	pipa_readings_begin(r);
	pipa_proc_parse(file_of(path), exact, len, r);
	pipa_readings_end(r);
	free(exact);
}

static struct pipa_readings readings;

static const struct pipa_raw *parse(const char *path, const char *text)
{
	pipa_readings_done(&readings);
	pipa_readings_init(&readings);
	parse_bytes(&readings, path, text, strlen(text));
	return &readings.group[file_of(path)->groups[0]];
}

static const uint64_t *row(const struct pipa_raw *raw, const char *name)
{
	size_t i;

	for (i = 0; i < raw->n; i++)
		if (strcmp(raw->rows[i].name, name) == 0)
			return pipa_raw_now(raw, i);
	pipa_test_fail(__FILE__, __LINE__, "no row '%s'", name);
}

TEST(cpu_lines_fill_a_row_each_and_the_rest_the_system)
{
	const struct pipa_raw *cpus = parse("stat", "cpu  10 20 30 40 50 60 70 80 90 100\n"
						    "cpu0 1 2 3 4 5 6 7 8 9 10\n"
						    "cpu12 11 12 13 14 15 16 17 18 19 20\n"
						    "intr 500 1 2 3\n"
						    "ctxt 600\n"
						    "btime 1\n"
						    "processes 700\n"
						    "procs_running 3\n"
						    "procs_blocked 4\n"
						    "softirq 1 2 3\n");
	const uint64_t *system = row(&readings.group[PIPA_GROUP_SYSTEM], "");
	const uint64_t *load = row(&readings.group[PIPA_GROUP_LOAD], "");

	CHECK_EQ(cpus->n, 3);
	CHECK_STR(cpus->rows[0].name, "all");
	CHECK_EQ(row(cpus, "all")[CPU_USER], 10);
	CHECK_EQ(row(cpus, "0")[CPU_IDLE], 4);
	CHECK_EQ(row(cpus, "12")[CPU_STEAL], 18);
	CHECK_EQ(row(cpus, "12")[CPU_GNICE], 20);
	CHECK_EQ(system[SYSTEM_INTR], 500);
	CHECK_EQ(system[SYSTEM_CTXT], 600);
	CHECK_EQ(system[SYSTEM_FORKS], 700);
	CHECK_EQ(load[LOAD_BLOCKED], 4);
	MISSING(load[LOAD_1]);
}

TEST(columns_that_an_old_kernel_lacks_are_missing)
{
	const struct pipa_raw *cpus = parse("stat", "cpu  10 20 30 40\ncpu0 10 20 30 40\n");

	CHECK_EQ(row(cpus, "0")[CPU_IDLE], 40);
	MISSING(row(cpus, "0")[CPU_IOWAIT]);
	MISSING(row(cpus, "0")[CPU_GNICE]);
	MISSING(row(&readings.group[PIPA_GROUP_SYSTEM], "")[SYSTEM_CTXT]);
}

TEST(columns_of_newer_kernels_are_skipped)
{
	const struct pipa_raw *cpus = parse("stat", "cpu  1 2 3 4 5 6 7 8 9 10 11 12\ncpu3 1 2 3 4 "
						    "5 6 7 8 9 10 11 12\nnews 5\n");

	CHECK_EQ(cpus->n, 2);
	CHECK_EQ(row(cpus, "3")[CPU_GNICE], 10);
}

TEST(meminfo_is_read_by_name_in_any_order)
{
	const struct pipa_raw *raw = parse("meminfo", "SwapFree: 7 kB\n"
						      "MemTotal:        3994476 kB\n"
						      "MemFree:\t200 kB\n"
						      "Active(anon):  99 kB\n"
						      "Active:  12 kB\n"
						      "HugePages_Total:       3\n"
						      "Novelty:  1 kB\n");
	const uint64_t *now = row(raw, "");

	CHECK_EQ(now[MEMINFO_MemTotal], 3994476);
	CHECK_EQ(now[MEMINFO_MemFree], 200);
	CHECK_EQ(now[MEMINFO_Active], 12);
	CHECK_EQ(now[MEMINFO_SwapFree], 7);
	CHECK_EQ(now[MEMINFO_HugePages_Total], 3);
	MISSING(now[MEMINFO_MemAvailable]);
	MISSING(now[MEMINFO_Inactive]);
}

TEST(a_name_without_a_number_is_missing)
{
	const uint64_t *now = row(parse("meminfo", "MemTotal:\nMemFree: none\nBuffers: -5 kB\n"
						   "Cached"),
				  "");

	MISSING(now[MEMINFO_MemTotal]);
	MISSING(now[MEMINFO_MemFree]);
	MISSING(now[MEMINFO_Buffers]);
	MISSING(now[MEMINFO_Cached]);
}

TEST(vmstat_names_are_taken_whole)
{
	const uint64_t *now = row(parse("vmstat", "pgpgin 1\npgscan_direct_throttle 9\n"
						  "pgscan_direct 3\npgsteal_kswapd 4\n"
						  "oom_kill 18446744073709551614\n"),
				  "");

	CHECK_EQ(now[VMSTAT_pgpgin], 1);
	CHECK_EQ(now[VMSTAT_pgscan_direct], 3);
	CHECK_EQ(now[VMSTAT_pgsteal_kswapd], 4);
	CHECK(now[VMSTAT_oom_kill] == UINT64_MAX - 1);
	MISSING(now[VMSTAT_pgscan_kswapd]);
}

TEST(disks_of_three_kernels_have_eleven_fifteen_and_seventeen_numbers)
{
	const struct pipa_raw *raw = parse(
		"diskstats", "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
			     "   8      16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
			     " 259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
			     " 104       0 cciss/c0d0 1 2 3 4 5 6 7 8 9 10 11\n");

	CHECK_EQ(raw->n, 4);
	CHECK_EQ(row(raw, "sda")[DISK_READS], 1);
	CHECK_EQ(row(raw, "sda")[DISK_QUEUE_MS], 11);
	MISSING(row(raw, "sda")[DISK_DISCARDS]);
	CHECK_EQ(row(raw, "sdb")[DISK_DISCARD_MS], 15);
	MISSING(row(raw, "sdb")[DISK_FLUSHES]);
	CHECK_EQ(row(raw, "nvme0n1")[DISK_FLUSH_MS], 17);
	CHECK_EQ(row(raw, "cciss/c0d0")[DISK_WRITES], 5);
}

static const char titles[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n";

TEST(interfaces_are_named_up_to_their_last_colon)
{
	char text[1024];
	const struct pipa_raw *raw;

	snprintf(text, sizeof(text), "%s%s", titles,
		 "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
		 "eth0:4242 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
		 "eth0:1: 7 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
		 ": 1 2 3\n"
		 "nonsense\n");
	raw = parse("net/dev", text);
	CHECK_EQ(raw->n, 3);
	CHECK_EQ(row(raw, "lo")[NET_RX_BYTES], 1);
	CHECK_EQ(row(raw, "lo")[NET_RX_MULTICAST], 8);
	CHECK_EQ(row(raw, "lo")[NET_TX_BYTES], 9);
	CHECK_EQ(row(raw, "lo")[NET_COLLISIONS], 14);
	CHECK_EQ(row(raw, "lo")[NET_TX_COMPRESSED], 16);
	CHECK_EQ(row(raw, "eth0")[NET_RX_BYTES], 4242);
	CHECK_EQ(row(raw, "eth0:1")[NET_RX_BYTES], 7);
	MISSING(row(raw, "lo")[NET_SPEED_MBIT]);
}

TEST(snmp_numbers_belong_to_the_names_above_them)
{
	const uint64_t *now = row(
		parse("net/snmp",
		      "Ip: Forwarding DefaultTTL InReceives New OutRequests\nIp: 1 64 5 6 7\n"
		      "Icmp: InMsgs InErrors\nIcmp: 8 9\n"
		      "Tcp: MaxConn ActiveOpens CurrEstab InErrs\nTcp: -1 10 11\n"
		      "Udp: InErrors InDatagrams\nUdp: 12 13\n"),
		"");

	CHECK_EQ(now[SNMP_Ip_InReceives], 5);
	CHECK_EQ(now[SNMP_Ip_OutRequests], 7);
	CHECK_EQ(now[SNMP_Icmp_InErrors], 9);
	CHECK_EQ(now[SNMP_Tcp_ActiveOpens], 10);
	CHECK_EQ(now[SNMP_Tcp_CurrEstab], 11);
	MISSING(now[SNMP_Tcp_InErrs]);
	CHECK_EQ(now[SNMP_Udp_InErrors], 12);
	CHECK_EQ(now[SNMP_Udp_InDatagrams], 13);
	MISSING(now[SNMP_Ip_ForwDatagrams]);
}

TEST(a_line_of_names_that_lost_its_numbers_does_not_take_the_next_ones)
{
	const uint64_t *now = row(parse("net/snmp", "Ip: InReceives InDelivers\n"
						    "Udp: InDatagrams InErrors\nUdp: 3 4\n"),
				  "");

	MISSING(now[SNMP_Ip_InReceives]);
	MISSING(now[SNMP_Ip_InDelivers]);
	CHECK_EQ(now[SNMP_Udp_InDatagrams], 3);
	CHECK_EQ(now[SNMP_Udp_InErrors], 4);
	now = row(parse("net/snmp", "Udp: InDatagrams\nIp: 5\n"), "");
	MISSING(now[SNMP_Udp_InDatagrams]);
}

TEST(snmp6_and_sockets_are_read_by_name)
{
	const uint64_t *now = row(parse("net/snmp6", "Ip6InReceives                   \t42\n"
						     "Udp6InErrors \t3\nUdpLite6InErrors 9\n"),
				  "");

	CHECK_EQ(now[SNMP6_Ip6InReceives], 42);
	CHECK_EQ(now[SNMP6_Udp6InErrors], 3);
	now = row(parse("net/sockstat", "sockets: used 290\n"
					"TCP: inuse 5 orphan 1 tw 2 alloc 9 mem 3\n"
					"UDP: inuse 6 mem 2\nUDPLITE: inuse 77\n"
					"RAW: inuse 7\nFRAG: inuse 8 memory 0\n"),
		  "");
	CHECK_EQ(now[SOCKETS_sockets_used], 290);
	CHECK_EQ(now[SOCKETS_TCP_inuse], 5);
	CHECK_EQ(now[SOCKETS_TCP_orphan], 1);
	CHECK_EQ(now[SOCKETS_TCP_tw], 2);
	CHECK_EQ(now[SOCKETS_UDP_inuse], 6);
	CHECK_EQ(now[SOCKETS_RAW_inuse], 7);
	CHECK_EQ(now[SOCKETS_FRAG_inuse], 8);
	now = row(parse("net/sockstat6", "TCP6: inuse 1\nUDP6: inuse 2\nRAW6: inuse 3\n"
					 "FRAG6: inuse 4 memory 0\n"),
		  "");
	CHECK_EQ(now[SOCKETS_TCP6_inuse], 1);
	CHECK_EQ(now[SOCKETS_FRAG6_inuse], 4);
}

TEST(softnet_is_hexadecimal_summed_and_named_by_its_own_cpu_number)
{
	const struct pipa_raw *raw = parse(
		"net/softnet_stat",
		"000000ff 00000001 00000002 0 0 0 0 0 0 00000003 00000004 00000005 00000000 "
		"0 0\n"
		"00000F01 00000010 00000020 0 0 0 0 0 0 00000030 00000040 00000050 0000000b "
		"0 0\n");

	CHECK_EQ(raw->n, 3);
	CHECK_STR(raw->rows[0].name, "all");
	CHECK_EQ(row(raw, "all")[SOFTNET_PACKETS], 0x1000);
	CHECK_EQ(row(raw, "all")[SOFTNET_BACKLOG], 0x55);
	CHECK_EQ(row(raw, "0")[SOFTNET_PACKETS], 0xff);
	CHECK_EQ(row(raw, "11")[SOFTNET_PACKETS], 0xf01);
	CHECK_EQ(row(raw, "11")[SOFTNET_DROPPED], 0x10);
	CHECK_EQ(row(raw, "11")[SOFTNET_SQUEEZED], 0x20);
	CHECK_EQ(row(raw, "11")[SOFTNET_RPS], 0x30);
	CHECK_EQ(row(raw, "11")[SOFTNET_FLOW_LIMIT], 0x40);
}

TEST(softnet_of_an_old_kernel_counts_its_lines)
{
	const struct pipa_raw *raw = parse("net/softnet_stat",
					   "0000000a 0 0 0 0 0 0 0 0\n00000014 0 0 0 0 0 0 0 0\n");

	CHECK_EQ(raw->n, 3);
	CHECK_EQ(row(raw, "0")[SOFTNET_PACKETS], 10);
	CHECK_EQ(row(raw, "1")[SOFTNET_PACKETS], 20);
	CHECK_EQ(row(raw, "all")[SOFTNET_PACKETS], 30);
	MISSING(row(raw, "1")[SOFTNET_RPS]);
	MISSING(row(raw, "all")[SOFTNET_RPS]);
}

TEST(load_is_kept_in_hundredths)
{
	const uint64_t *now = row(parse("loadavg", "0.53 12.7 113.999 2/105 31500\n"), "");

	CHECK_EQ(now[LOAD_1], 53);
	CHECK_EQ(now[LOAD_5], 1270);
	CHECK_EQ(now[LOAD_15], 11399);
	CHECK_EQ(now[LOAD_RUNNING], 2);
	CHECK_EQ(now[LOAD_TASKS], 105);
	now = row(parse("loadavg", "1"), "");
	CHECK_EQ(now[LOAD_1], 100);
	MISSING(now[LOAD_5]);
	MISSING(now[LOAD_TASKS]);
}

TEST(pressure_has_some_and_full)
{
	const uint64_t *now = row(parse("pressure/io",
					"some avg10=0.53 avg60=2.50 avg300=100.00 total=81750656\n"
					"full avg10=0.01 avg60=0.02 avg300=0.03 total=4\n"),
				  "");

	CHECK_EQ(now[PSI_SOME_10], 53);
	CHECK_EQ(now[PSI_SOME_60], 250);
	CHECK_EQ(now[PSI_SOME_300], 10000);
	CHECK_EQ(now[PSI_SOME_US], 81750656);
	CHECK_EQ(now[PSI_FULL_10], 1);
	CHECK_EQ(now[PSI_FULL_300], 3);
	CHECK_EQ(now[PSI_FULL_US], 4);
	now = row(parse("pressure/cpu", "some avg10=0.53 avg60= total\n"), "");
	CHECK_EQ(now[PSI_SOME_10], 53);
	MISSING(now[PSI_SOME_60]);
	MISSING(now[PSI_SOME_US]);
	MISSING(now[PSI_FULL_10]);
}

TEST(files_that_are_a_line_of_numbers_share_a_row)
{
	const uint64_t *now;

	pipa_readings_init(&readings);
	pipa_readings_begin(&readings);
	pipa_proc_parse(file_of("sys/fs/dentry-state"), "100\t90\t45\t0\t7\t0\n", 17, &readings);
	pipa_proc_parse(file_of("sys/fs/file-nr"), "1504\t4\t9223372036854775807\n", 27, &readings);
	pipa_proc_parse(file_of("sys/kernel/pty/nr"), "3\n", 2, &readings);
	pipa_readings_end(&readings);
	now = row(&readings.group[PIPA_GROUP_TABLES], "");
	CHECK_EQ(now[TABLES_DENTRIES], 100);
	CHECK_EQ(now[TABLES_DENTRIES_UNUSED], 90);
	CHECK_EQ(now[TABLES_FILES], 1504);
	CHECK_EQ(now[TABLES_FILES_FREE], 4);
	CHECK_EQ(now[TABLES_PTYS], 3);
	MISSING(now[TABLES_INODES]);
	pipa_readings_done(&readings);
}

TEST(serial_lines_without_a_chip_are_left_out)
{
	const struct pipa_raw *raw = parse(
		"tty/driver/serial",
		"serinfo:1.0 driver revision:\n"
		"0: uart:16550A port:000003F8 irq:4 tx:218 rx:7 fe:1 pe:2 brk:3 oe:4 RTS|CTS\n"
		"1: uart:unknown port:000002F8 irq:3\n"
		"2: uart:16550A port:000003E8 irq:4 tx:0 rx:0\n");

	CHECK_EQ(raw->n, 2);
	CHECK_EQ(row(raw, "0")[TTY_TX], 218);
	CHECK_EQ(row(raw, "0")[TTY_RX], 7);
	CHECK_EQ(row(raw, "0")[TTY_FRAME], 1);
	CHECK_EQ(row(raw, "0")[TTY_PARITY], 2);
	CHECK_EQ(row(raw, "0")[TTY_BREAK], 3);
	CHECK_EQ(row(raw, "0")[TTY_OVERRUN], 4);
	CHECK_EQ(row(raw, "2")[TTY_OVERRUN], 0);
}

TEST(nfs_calls_of_version_3_and_4_are_added)
{
	const uint64_t *now = row(
		parse("net/rpc/nfs",
		      "net 1 2 3 4\nrpc 50 6 7\n"
		      "proc3 22 0 100 0 0 200 0 300 400 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		      "proc4 20 0 30 40 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20 10 0\n"),
		"");

	CHECK_EQ(now[NFS_CALLS], 50);
	CHECK_EQ(now[NFS_RETRANS], 6);
	CHECK_EQ(now[NFS_GETATTR], 110);
	CHECK_EQ(now[NFS_ACCESS], 220);
	CHECK_EQ(now[NFS_READ], 330);
	CHECK_EQ(now[NFS_WRITE], 440);
	MISSING(now[NFS_BAD]);
}

TEST(the_nfs_server_counts_operations_of_version_4)
{
	const uint64_t *now = row(
		parse("net/rpc/nfsd",
		      "rc 1 2 3\nnet 4 5 6 7\nrpc 8 9 0 0 0\nproc4 2 0 999\n"
		      "proc4ops 40 0 0 0 11 0 0 0 0 0 22 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 33 0 0 "
		      "0 0 0 0 0 0 0 0 0 0 44 0\n"),
		"");

	CHECK_EQ(now[NFS_HITS], 1);
	CHECK_EQ(now[NFS_MISSES], 2);
	CHECK_EQ(now[NFS_PACKETS], 4);
	CHECK_EQ(now[NFS_UDP], 5);
	CHECK_EQ(now[NFS_TCP], 6);
	CHECK_EQ(now[NFS_CALLS], 8);
	CHECK_EQ(now[NFS_BAD], 9);
	CHECK_EQ(now[NFS_ACCESS], 11);
	CHECK_EQ(now[NFS_GETATTR], 22);
	CHECK_EQ(now[NFS_READ], 33);
	CHECK_EQ(now[NFS_WRITE], 44);
	MISSING(now[NFS_RETRANS]);
}

TEST(interrupts_have_a_row_per_number_that_was_ever_raised)
{
	const struct pipa_raw *raw = &readings.group[PIPA_GROUP_INTERRUPTS];
	static const char text[] = "intr 500 0 2 0 0 18446744073709551614 5\nctxt 3\n";

	parse("stat", text);
	CHECK_EQ(raw->n, 0); /* not requested */
	pipa_readings_done(&readings);
	pipa_readings_init(&readings);
	readings.interrupts = true;
	parse_bytes(&readings, "stat", text, sizeof(text) - 1);
	CHECK_EQ(raw->n, 4);
	CHECK_STR(raw->rows[0].name, "sum");
	CHECK_EQ(row(raw, "sum")[0], 500);
	CHECK_EQ(row(raw, "1")[0], 2);
	CHECK(row(raw, "4")[0] == UINT64_MAX - 1);
	CHECK_EQ(row(raw, "5")[0], 5);
	CHECK_EQ(row(&readings.group[PIPA_GROUP_SYSTEM], "")[SYSTEM_INTR], 500);
	pipa_readings_done(&readings);
}

TEST(soft_interrupts_are_a_matrix_with_a_column_per_cpu)
{
	const struct pipa_raw *raw = parse("softirqs", "                    CPU0       CPU11\n"
						       "          HI:          1          2\n"
						       "      NET_RX:         30         40\n"
						       "BLOCK_IOPOLL:          5          6\n"
						       "       SCHED:          7\n"
						       "     NOVELTY:          8          8\n"
						       "         RCU:        100        200\n");

	CHECK_EQ(raw->n, 3);
	CHECK_STR(raw->rows[0].name, "all");
	CHECK_STR(raw->rows[2].name, "11");
	CHECK_EQ(row(raw, "0")[SOFTIRQ_HI], 1);
	CHECK_EQ(row(raw, "11")[SOFTIRQ_NET_RX], 40);
	CHECK_EQ(row(raw, "11")[SOFTIRQ_IRQ_POLL], 6);
	CHECK_EQ(row(raw, "0")[SOFTIRQ_SCHED], 7);
	MISSING(row(raw, "11")[SOFTIRQ_SCHED]);
	MISSING(row(raw, "0")[SOFTIRQ_TIMER]);
	CHECK_EQ(row(raw, "all")[SOFTIRQ_RCU], 300);
	MISSING(row(raw, "all")[SOFTIRQ_TIMER]);
	CHECK_EQ(parse("softirqs", "HI: 1 2\nTIMER: 3 4\n")->n, 1);
}

/* Every file, cut at every byte, and empty: nothing is read past the end (the sanitizers look). */
TEST(truncated_text_is_read_up_to_its_end)
{
	static const char text[] = "cpu  1 2 3 4\ncpu0 1 2 3 4\nMemTotal: 4 kB\n 8 0 sda 1 2 3\n"
				   "eth0: 1 2 3\nIp: InReceives\nIp: 4\nTCP: inuse 5 tw 6\n"
				   "0: uart:x tx:1 rx:2\nsome avg10=1.23 total=4\n0.1 0.2 0.3 1/2\n"
				   "proc3 22 1 2 3 4\nrpc 1 2\nintr 7 0 3 4\n"
				   " CPU0 CPU1\n TIMER: 1 2\n RCU: 3 4\n";
	struct pipa_readings r;
	size_t i, cut;

	for (i = 0; i < pipa_n_proc_files; i++) {
		pipa_readings_init(&r);
		r.interrupts = true;
		for (cut = 0; cut < sizeof(text); cut++)
			parse_bytes(&r, pipa_proc_files[i].path, text, cut);
		pipa_readings_done(&r);
	}
}

TEST(every_file_fills_a_group_and_has_room_to_start_with)
{
	bool filled[PIPA_GROUP_NR] = { 0 };
	size_t i, k;

	for (i = 0; i < pipa_n_proc_files; i++) {
		CHECK(pipa_proc_files[i].path[0] != '/');
		CHECK(pipa_proc_files[i].first_size > 0);
		CHECK(pipa_proc_files[i].groups[0] < PIPA_GROUP_NR);
		for (k = 0; k < sizeof(pipa_proc_files[i].groups) / sizeof(enum pipa_group); k++)
			if (pipa_proc_files[i].groups[k] < PIPA_GROUP_NR)
				filled[pipa_proc_files[i].groups[k]] = true;
	}
	for (i = 0; i < PIPA_GROUP_NR; i++)
		CHECK(filled[i]);
}
