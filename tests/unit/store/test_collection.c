#include "store/collection.h"

#include "base/auto.h"
#include "base/buf.h"
#include "kernel/machine/root.h"
#include "lib/machines.h"
#include "lib/test.h"

static struct pipa_collection begin(uint64_t seconds)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_collection c;

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	pipa_collection_init(&c, root, seconds * 1000000000 + 999999999);
	return c;
}

TEST(a_collection_is_known_by_machine_and_second)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_collection c;

	machine_file(pipa_test_dir(), "etc/machine-id", "0123456789abcdef0123456789abcdef\nmore\n");
	c = begin(1709251199);
	/* printf 0123456789abcdef0123456789abcdef:1709251199:pipa-tree | sha256sum */
	CHECK_STR(c.id, "3c7371bb");
	pipa_collection_info(&c, "pipa", "0.3", "/a/b\nc.tar.gz", &out);
	CHECK_STR(pipa_buf_str(&out), "collection_id: 3c7371bb\n"
				      "generated_at_epoch: 1709251199\n"
				      "generated_at_utc: 2024-02-29T23:59:59Z\n"
				      "machine_identifier: 0123456789abcdef0123456789abcdef\n"
				      "program_name: pipa\n"
				      "program_version: 0.3\n"
				      "target_archive: /a/b\\x0ac.tar.gz\n");
	CHECK(strcmp(begin(1709251200).id, c.id) != 0);
}

TEST(a_machine_without_an_id_has_a_host_id_or_a_name)
{
	CHECK_STR(begin(1).machine, "unknown");
	machine_file(pipa_test_dir(), "proc/sys/kernel/hostname", "box\n");
	CHECK_STR(begin(1).machine, "box");
	machine_file(pipa_test_dir(), "etc/hostid", "%s", "\1\1\1\1");
	CHECK_STR(begin(1).machine, "01010101");
	machine_file(pipa_test_dir(), "etc/machine-id", "%s", "");
	CHECK_STR(begin(1).machine, "01010101");
}
