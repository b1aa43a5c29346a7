#include "kernel/machine/privilege.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/str.h"
#include "kernel/machine/root.h"

uint64_t pipa_privilege_caps(struct pipa_root *root)
{
	char text[4096], *line;
	uint64_t caps;

	if (pipa_root_read(root, PIPA_PROC, text, sizeof(text), "self/status") < 0)
		return 0;
	line = strstr(text, "CapEff:\t");
	if (!line)
		return 0;
	line += strlen("CapEff:\t");
	line[strcspn(line, "\n")] = '\0';
	return pipa_str_hex(line, &caps) < 0 ? 0 : caps;
}

bool pipa_privilege_has(uint64_t caps, unsigned int cap)
{
	return caps >> cap & 1;
}

int pipa_privilege_bpf(void)
{
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_type =
		BPF_MAP_TYPE_HASH; /* LRU and hash maps need CAP_BPF once unprivileged is off */
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 1;
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}
