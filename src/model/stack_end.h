/* Reasons for which a call chain ends, with their identifiers and texts. */
#ifndef PIPA_MODEL_STACK_END_H
#define PIPA_MODEL_STACK_END_H

/* Recordings contain these numbers (see ingest/sample_unwind.h): append only. */
enum pipa_stack_end {
	PIPA_STACK_COMPLETE,	 /* the outermost frame was reached */
	PIPA_STACK_TRUNCATED,	 /* the stack continues after the end of the dump */
	PIPA_STACK_OTHER_STACK,	 /* the stack continues in memory that was not dumped */
	PIPA_STACK_NO_REGISTERS, /* a required register was not recorded */
	PIPA_STACK_NO_MAPPING,	 /* the last address is in no known code */
	PIPA_STACK_NO_CFI,	 /* no CFI, and no frame pointer to follow */
	PIPA_STACK_BAD_CFI,	 /* malformed CFI */
	PIPA_STACK_NO_PROGRESS,	 /* the stack pointer would not rise: corrupt data, or a loop */
	PIPA_STACK_TOO_MANY,	 /* more frames than the limit */
	PIPA_STACK_END_NR,
};

/* Return the identifier of a reason in documents, such as "dump_too_short". */
const char *pipa_stack_end_id(enum pipa_stack_end end);

/* Return the text of a reason for reports, such as "stack dump too short". */
const char *pipa_stack_end_text(enum pipa_stack_end end);

#endif
