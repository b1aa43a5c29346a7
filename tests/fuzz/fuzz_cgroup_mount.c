/*
 * /proc/mounts: a byte for the room there is, then the text. What is found fits its room, and found
 * as a hierarchy of its own in front of everything else it is found again.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "kernel/machine/cgroup.h"

static void check_found_again(const char *place, const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf mounts = { 0 };
	const char *p;
	char *again;

	pipa_buf_puts(&mounts, "cgroup ");
	for (p = place; *p; p++)
		if (strchr(" \t\n\\", *p))
			pipa_buf_printf(&mounts, "\\%03o", (unsigned char)*p);
		else
			pipa_buf_putc(&mounts, *p);
	pipa_buf_printf(&mounts, " cgroup rw,perf_event 0 0\n%s", text);

	again = malloc(mounts.len);
	MUST(again && mounts.status == 0);
	MUST(pipa_cgroup_mount(pipa_buf_str(&mounts), again, mounts.len) == 0);
	MUST(strcmp(again, place) == 0);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t room = size ? data[0] + 1u : 1;
	char *text = size ? fuzz_text(data + 1, size - 1) : fuzz_text(data, 0);
	char *place = malloc(room);

	MUST(place);
	memset(place, 0x5a, room);
	if (pipa_cgroup_mount(text, place, room) == 0) {
		MUST(memchr(place, '\0', room));
		MUST(strstr(text, "cgroup"));
		if (place[0])
			check_found_again(place, text);
	} else {
		MUST(place[0] == 0x5a && place[room - 1] == 0x5a);
	}
	free(place);
	free(text);
	return 0;
}
