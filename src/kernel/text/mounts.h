/*
 * Parse /proc/mounts, "device mount-point type options 0 0" with spaces as \040, and
 * /proc/PID/mountinfo, "36 35 98:0 root mount-point options ... - type device options". Pure.
 */
#ifndef PIPA_KERNEL_TEXT_MOUNTS_H
#define PIPA_KERNEL_TEXT_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PIPA_MOUNT_DEVICE,
	PIPA_MOUNT_PLACE,
	PIPA_MOUNT_TYPE,
	PIPA_MOUNT_OPTIONS,
	PIPA_MOUNT_FIELDS,
};

/* Those of mountinfo, more than /proc/mounts has. */
enum {
	PIPA_MOUNT_NUMBER = PIPA_MOUNT_FIELDS, /* of the device: "98:0" */
	PIPA_MOUNT_ROOT, /* root of the mount within the file system: "/" for all */
	PIPA_MOUNT_ALL_FIELDS,
};

/* Borrowed from the text, as written there. */
struct pipa_mount {
	const char *field[PIPA_MOUNT_ALL_FIELDS];
	size_t len[PIPA_MOUNT_ALL_FIELDS];
};

/* Return the mount at *pos and move after it; malformed lines are skipped. False at the end. */
bool pipa_mount_next(const char **pos, const char *end, struct pipa_mount *ret);

/* The same of mountinfo. */
bool pipa_mountinfo_next(const char **pos, const char *end, struct pipa_mount *ret);

/* Is the field this text? */
bool pipa_mount_is(const struct pipa_mount *mount, int field, const char *text);

/* Copy a field with its \NNN turned back into characters; false where it does not fit. */
bool pipa_mount_copy(const struct pipa_mount *mount, int field, char *ret, size_t size);

#endif
