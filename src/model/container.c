#include "model/container.h"

#include <string.h>

const char *pipa_container_id(const char *cgroup)
{
	const char *found = NULL;
	size_t len;

	for (; *cgroup; cgroup += len ? len : 1) {
		len = strspn(cgroup, "0123456789abcdef");
		if (len == PIPA_CONTAINER_ID)
			found = cgroup;
	}
	return found;
}
