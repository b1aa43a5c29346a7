#include "model/container.h"

#include "lib/test.h"

#define ID_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_B "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void check(const char *path, const char *id)
{
	const char *found = pipa_container_id(path);

	CHECK_EQ(found ? strncmp(found, id, PIPA_CONTAINER_ID) : -1, id[0] ? 0 : -1);
}

TEST(container_ids_are_found_in_paths_of_cgroups)
{
	check("/docker/" ID_A, ID_A);
	check("/system.slice/docker-" ID_A ".scope", ID_A);
	check("/kubepods.slice/kubepods-pod12.slice/cri-containerd-" ID_B ".scope", ID_B);
	check("/docker/" ID_A "/docker/" ID_B, ID_B);
	check("/user.slice/user-1000.slice", "");
	check("/x/" ID_A "0", "");
	check("", "");
}
