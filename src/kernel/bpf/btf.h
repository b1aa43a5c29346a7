/*
 * Look up members of kernel types in BTF (/sys/kernel/btf/vmlinux): offset and size. Pure and safe
 * on any bytes.
 *
 *	header | types: { name, info (kind, count), size or type, data of the kind }... | strings
 *
 * Types are numbered from 1 in the order of the list; 0 is void.
 */
#ifndef PIPA_KERNEL_BPF_BTF_H
#define PIPA_KERNEL_BPF_BTF_H

#include <stddef.h>
#include <stdint.h>

struct pipa_btf {
	const unsigned char *types;
	const char *strings; /* ends in a NUL */
	size_t types_len, strings_len;
	uint32_t *offsets; /* of each type, by number; [0] is not used */
	uint32_t n;	   /* one more than the last number */
};

/* Position of a member inside a structure. */
struct pipa_btf_place {
	uint32_t type;
	uint32_t offset; /* bytes */
	uint32_t size;	 /* bytes; 0: none of its own */
};

/* bytes must outlive btf. -EBADMSG if they are not BTF of this byte order. */
int pipa_btf_init(struct pipa_btf *btf, const void *bytes, size_t len);
void pipa_btf_done(struct pipa_btf *btf);

/* The number of a structure or function of that name; 0: none. */
uint32_t pipa_btf_struct(const struct pipa_btf *btf, const char *name);
uint32_t pipa_btf_function(const struct pipa_btf *btf, const char *name);

/*
 * Find "se.sum_exec_runtime" or "rss_stat[1].count" in a structure; members of anonymous structures
 * count as its own. -ENOENT if this kernel has none, or it is a bit field.
 */
int pipa_btf_find(const struct pipa_btf *btf, uint32_t type, const char *path,
		  struct pipa_btf_place *ret);

/* A type's own name, "" for none. */
const char *pipa_btf_name(const struct pipa_btf *btf, uint32_t id);

/* Return the type that a pointer points to; 0 if it is not a pointer. */
uint32_t pipa_btf_pointee(const struct pipa_btf *btf, uint32_t id);

#endif
