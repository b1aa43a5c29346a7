/*
 * File that is read repeatedly: opened once, read with pread(2) from the start into a buffer that
 * grows to fit.
 */
#ifndef PIPA_KERNEL_MACHINE_REREAD_H
#define PIPA_KERNEL_MACHINE_REREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pipa_reread {
	int fd; /* -1: not open */
	char *data;
	size_t len, cap;
	bool long_records; /* lines of a kilobyte and more: interrupts on many CPUs */
};

/* Takes fd; the first buffer has `size` bytes. A failed allocation shows at the first read. */
void pipa_reread_open(struct pipa_reread *kept, int fd, size_t size);
void pipa_reread_close(struct pipa_reread *kept);

/*
 * Read the whole file: returns its length, or a negative errno. data is valid until the next read.
 */
ssize_t pipa_reread_read(struct pipa_reread *kept);

#endif
