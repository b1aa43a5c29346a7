#include "kernel/machine/limit.h"

#include <sys/resource.h>

#include "lib/test.h"

TEST(soft_limit_is_lifted_to_the_hard_one)
{
	struct rlimit limit;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 64;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQ(pipa_limit_raise_files(), limit.rlim_max);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQ(limit.rlim_cur, limit.rlim_max);
	CHECK_EQ(pipa_limit_raise_files(), limit.rlim_max); /* nothing left to lift */
}
