/* Disks, file systems, serial lines and sensors. */
#include "model/section_columns.h"

const struct pipa_column pipa_columns_io[PIPA_COL_IO_NR] = {
	[PIPA_COL_IO_TPS] = COLUMN("io.tps", "tps", PER_SECOND, 2, RATE,
				   "I/O requests completed by physical devices"),
	[PIPA_COL_IO_READS] = COLUMN("io.reads", "rtps", PER_SECOND, 2, RATE,
				     "read requests completed"),
	[PIPA_COL_IO_WRITES] = COLUMN("io.writes", "wtps", PER_SECOND, 2, RATE,
				      "write requests completed"),
	[PIPA_COL_IO_DISCARDS] = COLUMN("io.discards", "dtps", PER_SECOND, 2, RATE,
					"discard requests completed"),
	[PIPA_COL_IO_READ_SECTORS] = COLUMN("io.read_sectors", "bread/s", PER_SECOND, 2, RATE,
					    "sectors of 512 bytes read"),
	[PIPA_COL_IO_WRITTEN_SECTORS] = COLUMN("io.written_sectors", "bwrtn/s", PER_SECOND, 2, RATE,
					       "sectors of 512 bytes written"),
	[PIPA_COL_IO_DISCARDED_SECTORS] = COLUMN("io.discarded_sectors", "bdscd/s", PER_SECOND, 2,
						 RATE, "sectors of 512 bytes discarded"),
};

const struct pipa_column pipa_columns_tty[PIPA_COL_TTY_NR] = {
	[PIPA_COL_TTY_RX] = COLUMN("tty.rx", "rcvin/s", PER_SECOND, 2, RATE, "receive interrupts"),
	[PIPA_COL_TTY_TX] = COLUMN("tty.tx", "xmtin/s", PER_SECOND, 2, RATE, "transmit interrupts"),
	[PIPA_COL_TTY_FRAME_ERRORS] = COLUMN("tty.frame_errors", "framerr/s", PER_SECOND, 2, RATE,
					     "frame errors"),
	[PIPA_COL_TTY_PARITY_ERRORS] = COLUMN("tty.parity_errors", "prtyerr/s", PER_SECOND, 2, RATE,
					      "parity errors"),
	[PIPA_COL_TTY_BREAKS] = COLUMN("tty.breaks", "brk/s", PER_SECOND, 2, RATE, "breaks"),
	[PIPA_COL_TTY_OVERRUNS] = COLUMN("tty.overruns", "ovrun/s", PER_SECOND, 2, RATE,
					 "overrun errors"),
};

const struct pipa_column pipa_columns_disk[PIPA_COL_DISK_NR] = {
	[PIPA_COL_DISK_TPS] = COLUMN("disk.tps", "tps", PER_SECOND, 2, RATE,
				     "I/O requests completed"),
	[PIPA_COL_DISK_READ] = COLUMN("disk.read", "rkB/s", KB_PER_SECOND, 2, RATE,
				      "kilobytes read"),
	[PIPA_COL_DISK_WRITTEN] = COLUMN("disk.written", "wkB/s", KB_PER_SECOND, 2, RATE,
					 "kilobytes written"),
	[PIPA_COL_DISK_DISCARDED] = COLUMN("disk.discarded", "dkB/s", KB_PER_SECOND, 2, RATE,
					   "kilobytes discarded"),
	[PIPA_COL_DISK_REQUEST_SIZE] = COLUMN("disk.request_size", "areq-sz", KB, 2, MEAN,
					      "mean size of the I/O requests"),
	[PIPA_COL_DISK_QUEUE] = COLUMN("disk.queue", "aqu-sz", NONE, 2, MEAN,
				       "mean length of the request queue"),
	[PIPA_COL_DISK_AWAIT] = COLUMN("disk.await", "await", MS, 2, MEAN,
				       "mean time of I/O requests, queueing and service"),
	[PIPA_COL_DISK_UTIL] = COLUMN(
		"disk.util", "%util", PERCENT, 2, SHARE,
		"elapsed time during which I/O requests were issued to the device"),
	[PIPA_COL_DISK_READ_AWAIT] = COLUMN("disk.read_await", "r_await", MS, 2, MEAN,
					    "mean time of read requests, queueing and service"),
	[PIPA_COL_DISK_WRITE_AWAIT] = COLUMN("disk.write_await", "w_await", MS, 2, MEAN,
					     "mean time of write requests, queueing and service"),
};

const struct pipa_column pipa_columns_fs[PIPA_COL_FS_NR] = {
	[PIPA_COL_FS_FREE] = COLUMN("fs.free", "MBfsfree", MB, 0, GAUGE,
				    "free space, including blocks reserved for root"),
	[PIPA_COL_FS_USED] = COLUMN("fs.used", "MBfsused", MB, 0, GAUGE, "used space"),
	[PIPA_COL_FS_USED_SHARE] = COLUMN("fs.used_share", "%fsused", PERCENT, 2, GAUGE,
					  "used space as a share of the file system's size"),
	[PIPA_COL_FS_USER_SHARE] = COLUMN(
		"fs.user_share", "%ufsused", PERCENT, 2, GAUGE,
		"space that an unprivileged user cannot use, as a share of the file system's size"),
	[PIPA_COL_FS_INODES_FREE] = COLUMN("fs.inodes_free", "Ifree", NONE, 0, GAUGE,
					   "free inodes"),
	[PIPA_COL_FS_INODES_USED] = COLUMN("fs.inodes_used", "Iused", NONE, 0, GAUGE,
					   "used inodes"),
	[PIPA_COL_FS_INODES_SHARE] = COLUMN("fs.inodes_share", "%Iused", PERCENT, 2, GAUGE,
					    "used inodes as a share of all inodes"),
};

const struct pipa_column pipa_columns_thermal[PIPA_COL_THERMAL_NR] = {
	[PIPA_COL_THERMAL_TEMPERATURE] = COLUMN("thermal.temperature", "degC", CELSIUS, 2, GAUGE,
						"temperature of the sensor"),
	[PIPA_COL_THERMAL_SHARE] = COLUMN(
		"thermal.share", "%temp", PERCENT, 2, GAUGE,
		"temperature between the sensor's minimum (or 0 degrees) and its maximum"),
};
