#include "kernel/machine/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <unistd.h>

#include "kernel/machine/root.h"
#include "lib/test.h"

static uint64_t caps_in(const char *status)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;

	pipa_test_file(pipa_test_dir(), "proc/self/status", status);
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return pipa_privilege_caps(root);
}

TEST(effective_capabilities_are_read_from_proc)
{
	uint64_t caps = caps_in("Name:\tx\nCapPrm:\t000001ffffffffff\n"
				"CapEff:\t0000004000080000\nCapBnd:\t000001ffffffffff\n");

	CHECK(pipa_privilege_has(caps, CAP_SYS_PTRACE));
	CHECK(pipa_privilege_has(caps, CAP_PERFMON));
	CHECK(!pipa_privilege_has(caps, CAP_SYS_ADMIN));
}

TEST(missing_capabilities_in_proc_mean_none)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;

	CHECK_EQ(caps_in("Name:\tx\n"), 0);
	CHECK_EQ(caps_in("CapEff:\tnonsense\n"), 0);
	CHECK_EQ(pipa_root_open("/nowhere/at/all", &root, NULL), 0);
	CHECK_EQ(pipa_privilege_caps(root), 0);
}

TEST(probing_bpf_leaks_no_descriptor)
{
	int before = dup(0), rc = pipa_privilege_bpf(), after;

	close(before);
	after = dup(0);
	CHECK_EQ(after, before); /* no descriptor more than there was */
	close(after);
	CHECK(rc == 0 || rc == -EPERM || rc == -ENOSYS || rc == -ENOMEM);
}
