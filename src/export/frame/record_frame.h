/*
 * The records of a recording as a data frame: a row per record. The fields of common types are columns; those of others
 * are a JSON object in the column `fields`. Records that are not decoded completely have their bytes in `raw`.
 */
#ifndef PIPA_EXPORT_FRAME_RECORD_FRAME_H
#define PIPA_EXPORT_FRAME_RECORD_FRAME_H

#include <stdint.h>

#include "base/buf.h"
#include "export/frame/profile_frame.h"
#include "model/record.h"

extern const struct pipa_frame_columns pipa_frame_record_columns;

/* A sink that writes a row per record; its callbacks return the writer's status. */
struct pipa_record_frame {
	struct pipa_record_sink sink; /* first member: callbacks cast it */
	struct pipa_frame_writer *writer;
	/* Returns the name of an event, NULL if it has none; the name is borrowed. */
	const char *(*event_name)(void *ctx, uint32_t event);
	/* Converts a time to UTC, PIPA_UNKNOWN if that is not known. */
	uint64_t (*utc)(void *ctx, uint64_t time);
	void *ctx;

	/* of the current record, set by the sink */
	char type[24];
	uint32_t type_number, size, misc;
	struct pipa_buf text;
};

/* Set the callbacks of the sink; the other fields are the caller's. */
void pipa_record_frame_init(struct pipa_record_frame *frame);
void pipa_record_frame_done(struct pipa_record_frame *frame);

#endif
