#include "model/stack_end.h"

static const struct {
	const char *id, *text;
} ends[PIPA_STACK_END_NR] = {
	[PIPA_STACK_COMPLETE] = { "complete", "complete" },
	[PIPA_STACK_TRUNCATED] = { "dump_too_short", "stack dump too short" },
	[PIPA_STACK_OTHER_STACK] = { "other_stack", "stack continues outside the dump" },
	[PIPA_STACK_NO_REGISTERS] = { "no_registers", "register not recorded" },
	[PIPA_STACK_NO_MAPPING] = { "no_mapping", "no mapping at the return address" },
	[PIPA_STACK_NO_CFI] = { "no_cfi", "no unwind information" },
	[PIPA_STACK_BAD_CFI] = { "bad_cfi", "malformed unwind information" },
	[PIPA_STACK_NO_PROGRESS] = { "no_progress", "no progress" },
	[PIPA_STACK_TOO_MANY] = { "too_many_frames", "too many frames" },
};

const char *pipa_stack_end_id(enum pipa_stack_end end)
{
	return ends[end].id;
}

const char *pipa_stack_end_text(enum pipa_stack_end end)
{
	return ends[end].text;
}
