/* Describe disks, partitions, their space and I/O schedulers. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "collect/spec/spec_own.h"
#include "kernel/text/mounts.h"

enum { SECTOR = 512, NUMBER = 32 };

/* Is the device virtual: loop, ram, zram? */
static bool is_virtual(const char *name)
{
	return pipa_str_starts(name, "loop") || pipa_str_starts(name, "ram");
}

/* ---- how full ---------------------------------------------------------------------------------------------- */

/*
 * Find where the device's file system is mounted as a whole. By device number, because its name may
 * differ (/dev/root, /dev/mapper/x); btrfs has numbers of its own and is found by name.
 */
static bool find_place(const struct pipa_buf *mounts, const char *number, const char *name,
		       char *ret, size_t size)
{
	const char *pos = mounts->data, *end = pos + mounts->len;
	char device[512];
	struct pipa_mount mount;

	while (mounts->data && pipa_mountinfo_next(&pos, end, &mount)) {
		bool same = pipa_mount_is(&mount, PIPA_MOUNT_NUMBER, number) ||
			    (pipa_mount_copy(&mount, PIPA_MOUNT_DEVICE, device, sizeof(device)) &&
			     pipa_str_starts(device, "/dev/") &&
			     strcmp(device + strlen("/dev/"), name) == 0);

		if (same && pipa_mount_is(&mount, PIPA_MOUNT_ROOT, "/") &&
		    pipa_mount_copy(&mount, PIPA_MOUNT_PLACE, ret, size))
			return true;
	}
	return false;
}

/*
 * Write the space as df does: blocks reserved for root are neither used nor available, percentages
 * are rounded up.
 */
static void put_room(struct spec *spec, struct pipa_fact *in, const struct pipa_buf *mounts,
		     const char *number, const char *name)
{
	struct pipa_spec_room room;
	struct pipa_fact *map;
	char place[4096];
	uint64_t used, of;

	if (!number[0] || !find_place(mounts, number, name, place, sizeof(place)) ||
	    spec->host->room(spec->host->ctx, place, &room) < 0 || room.total < room.unused)
		return;
	used = room.total - room.unused;
	of = used + room.available;
	map = pipa_facts_map(spec->facts, in, "fs_usage");
	pipa_facts_number(spec->facts, map, "total", room.total);
	pipa_facts_number(spec->facts, map, "used", used);
	pipa_facts_number(spec->facts, map, "free", room.available);
	pipa_facts_number(
		spec->facts, map, "percent",
		of ? (uint64_t)((__extension__(unsigned __int128) used * 100 + of - 1) / of) : 0);
	pipa_facts_text(spec->facts, map, "mount", place);
}

/* ---- devices --------------------------------------------------------------------------------------------------- */

static uint64_t size_of(struct spec *spec, const char *path)
{
	uint64_t sectors = 0;

	pipa_root_read_u64(spec->root, PIPA_SYS, &sectors, "%s/size", path);
	return sectors * SECTOR;
}

static void put_partitions(struct spec *spec, struct pipa_fact *disk, const char *name,
			   const struct pipa_buf *mounts)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names names = { 0 };
	struct pipa_fact *list = pipa_facts_list(spec->facts, disk, "partitions"), *map;
	char path[1024], number[NUMBER];
	size_t i;

	snprintf(path, sizeof(path), "block/%s", name);
	pipa_spec_list(spec, PIPA_SYS, path, name, &names);
	for (i = 0; i < names.n; i++) {
		snprintf(path, sizeof(path), "block/%s/%s", name, names.items[i]);
		if (!pipa_root_has(spec->root, PIPA_SYS, "%s/partition", path))
			continue;
		map = pipa_facts_map(spec->facts, list, NULL);
		pipa_facts_text(spec->facts, map, "name", names.items[i]);
		pipa_facts_text(spec->facts, map, "type", "partition");
		pipa_facts_number(spec->facts, map, "size_bytes", size_of(spec, path));
		pipa_spec_line(spec, PIPA_SYS, number, sizeof(number), "%s/dev", path);
		put_room(spec, map, mounts, number, names.items[i]);
	}
}

static void put_disk(struct spec *spec, struct pipa_fact *list, const char *name,
		     const struct pipa_buf *mounts)
{
	struct pipa_fact *disk = pipa_facts_map(spec->facts, list, NULL);
	char path[512], text[256];
	uint64_t rotates;
	int rc;

	snprintf(path, sizeof(path), "block/%s", name);
	pipa_facts_text(spec->facts, disk, "name", name);
	pipa_facts_text(spec->facts, disk, "type",
			pipa_str_starts(name, "dm-") ? "lvm/dm" : "disk");
	pipa_facts_number(spec->facts, disk, "size_bytes", size_of(spec, path));
	pipa_spec_text(spec, disk, "model",
		       pipa_spec_line(spec, PIPA_SYS, text, sizeof(text), "%s/device/model", path));
	pipa_spec_text(spec, disk, "vendor",
		       pipa_spec_line(spec, PIPA_SYS, text, sizeof(text), "%s/device/vendor",
				      path));
	rc = pipa_root_read_u64(spec->root, PIPA_SYS, &rotates, "%s/queue/rotational", path);
	pipa_facts_text(spec->facts, disk, "rotational", rc < 0 ? "N/A" : rotates ? "HDD" : "SSD");
	pipa_spec_line(spec, PIPA_SYS, text, sizeof(text), "%s/dev", path);
	put_room(spec, disk, mounts, text, name);
	put_partitions(spec, disk, name, mounts);
}

void pipa_spec_disks(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names names = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf mounts = { 0 };
	struct pipa_fact *list = NULL;
	size_t i;

	pipa_spec_read(spec, PIPA_PROC, "self/mountinfo", &mounts);
	pipa_spec_list(spec, PIPA_SYS, "block", "", &names);
	for (i = 0; i < names.n; i++) {
		if (is_virtual(names.items[i]))
			continue;
		if (!list)
			list = pipa_facts_list(spec->facts, section, "block_devices");
		put_disk(spec, list, names.items[i], &mounts);
	}
	if (!list)
		pipa_spec_status(spec, section, "no block devices in /sys/block");
}

/*
 * Return the active scheduler, in brackets in "none [mq-deadline] kyber"; a device without a choice
 * has "none".
 */
static const char *active_scheduler(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return text;
	*close = '\0';
	return open + 1;
}

void pipa_spec_schedulers(struct spec *spec, struct pipa_fact *section)
{
	PIPA_AUTO(pipa_spec_names_done) struct spec_names names = { 0 };
	char text[256];
	size_t i, n = 0;

	pipa_spec_list(spec, PIPA_SYS, "block", "", &names);
	for (i = 0; i < names.n; i++) {
		if (is_virtual(names.items[i]) ||
		    !pipa_spec_line(spec, PIPA_SYS, text, sizeof(text), "block/%s/queue/scheduler",
				    names.items[i])[0])
			continue;
		pipa_facts_text(spec->facts, section, names.items[i], active_scheduler(text));
		n++;
	}
	if (!n)
		pipa_spec_status(spec, section, "no device in /sys/block has a scheduler");
}
