/*
 * Types on allocation failure: a partly read image has no types, so that no name is looked up in
 * it.
 */
#include <errno.h>
#include <linux/btf.h>
#include <string.h>

#include "kernel/bpf/btf.h"
#include "lib/nomem.h"
#include "lib/test.h"

static const struct {
	struct btf_header header;
	struct btf_type type;
	uint32_t bits;
	char strings[5];
} image = {
	.header = { .magic = 0xeb9f,
		    .version = 1,
		    .hdr_len = sizeof(struct btf_header),
		    .type_len = sizeof(struct btf_type) + sizeof(uint32_t),
		    .str_off = sizeof(struct btf_type) + sizeof(uint32_t),
		    .str_len = 5 },
	.type = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
	.bits = 32,
	.strings = "\0int",
};

TEST(btf_types_are_empty_on_allocation_failure)
{
	struct pipa_btf btf;
	int rc;

	pipa_nomem_after(0);
	rc = pipa_btf_init(&btf, &image, sizeof(image));
	CHECK(pipa_nomem_happened());
	CHECK_EQ(rc, -ENOMEM);
	CHECK_EQ(btf.n, 0);
	CHECK_STR(pipa_btf_name(&btf, 1), "");
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), 0);
	CHECK_STR(pipa_btf_name(&btf, 1), "int");
	pipa_btf_done(&btf);
}
