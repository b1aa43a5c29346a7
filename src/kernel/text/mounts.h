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

/* Fields of mountinfo that /proc/mounts does not have. */
enum {
	PIPA_MOUNT_NUMBER = PIPA_MOUNT_FIELDS, /* device number: "98:0" */
	PIPA_MOUNT_ROOT, /* root of the mount within the file system: "/" for all */
	PIPA_MOUNT_ALL_FIELDS,
};

/* Fields, borrowed from the text and not unescaped. */
struct pipa_mount {
	const char *field[PIPA_MOUNT_ALL_FIELDS];
	size_t len[PIPA_MOUNT_ALL_FIELDS];
};

/* Return the mount at *pos and move after it; malformed lines are skipped. False at the end. */
bool pipa_mount_next(const char **pos, const char *end, struct pipa_mount *ret);

/* Like pipa_mount_next(), for mountinfo. */
bool pipa_mountinfo_next(const char **pos, const char *end, struct pipa_mount *ret);

/* Compare a field with a string. */
bool pipa_mount_is(const struct pipa_mount *mount, int field, const char *text);

/* Copy a field and unescape \NNN; false if it does not fit. */
bool pipa_mount_copy(const struct pipa_mount *mount, int field, char *ret, size_t size);

#endif
