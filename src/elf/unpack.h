/*
 * Images that lie packed as a whole, by xz, zstd or gzip, as distributions keep kernel modules. What
 * they are packed with is told by their first bytes.
 */
#ifndef PIPA_ELF_UNPACK_H
#define PIPA_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct pipa_inflated;

bool pipa_elf_is_packed(struct pipa_span file);

/* -EINVAL when it is not packed, -EFBIG past max, -EBADMSG when it is cut or damaged, -ENOMEM. */
int pipa_elf_unpack(struct pipa_span file, size_t max, struct pipa_inflated *ret);

#endif
