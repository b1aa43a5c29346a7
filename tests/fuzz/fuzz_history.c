/*
 * Histories: any bytes give ticks of known sections or a count of what was left out. The first
 * byte selects the meaning of the rest: a file; or the contents of a chunk with a valid header and
 * checksum, which random bytes would never have.
 */
#include "codec/crc32.h"
#include "codec/varint.h"
#include "export/exchange/history.h"
#include "fuzz.h"
#include "import/history.h"
#include "model/sections.h"

static size_t ticks;

static int take(struct pipa_series_sink *self, const struct pipa_section *section,
		const struct pipa_tick *tick, const char *instance, const double *values)
{
	volatile double last;

	(void)self;
	MUST(section && tick && strlen(instance) <= PIPA_HISTORY_MAX_NAME);
	last = values[section->n_columns - 1];
	(void)last;
	return 0;
}

static int end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	(void)self;
	MUST(tick);
	ticks++;
	return 0;
}

/* The bytes as the ticks of a segment: a length of two bytes before each. */
static void wrap(const uint8_t *data, size_t size, struct pipa_buf *file)
{
	const struct pipa_section *sections[8];
	const struct pipa_history_head head = { .host = "h", .boot_id = "b" };
	struct pipa_history_writer *w;
	unsigned char fixed[PIPA_HISTORY_CHUNK_SIZE], time[PIPA_HISTORY_KEY_TIME] = { 0 };
	uint32_t crc;
	size_t i, lead = sizeof(time);

	for (i = 0; i < 8; i++)
		sections[i] = &pipa_sections[i];
	w = pipa_history_writer_new(sections, 8, PIPA_HISTORY_PLAIN, file);
	MUST(w);
	pipa_history_writer_begin(w, &head);
	pipa_history_writer_free(w);
	crc = (uint32_t)pipa_le_get((unsigned char *)file->data + 16, 4);
	for (; size > 2; lead = 0) {
		size_t len = pipa_le_get(data, 2);

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		fixed[0] = lead ? PIPA_HISTORY_KEY : PIPA_HISTORY_NEXT;
		pipa_le_put(fixed + 1, len + lead, 3);
		crc = pipa_crc32(crc, fixed, 4);
		crc = pipa_crc32(pipa_crc32(crc, time, lead), data, len);
		pipa_le_put(fixed + 4, crc, 4);
		pipa_buf_add(file, fixed, sizeof(fixed));
		pipa_buf_add(file, time, lead);
		pipa_buf_add(file, data, len);
		data += len;
		size -= len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_series_sink sink = { .row = take, .end = end };
	struct pipa_history_read read = { .sink = &sink };
	struct pipa_history_reader *r = pipa_history_reader_new(&read);
	struct pipa_buf file = { 0 };
	const struct pipa_history_result *result = pipa_history_reader_result(r);
	size_t half;

	if (!size)
		goto out;
	if (data[0] & 1)
		wrap(data + 1, size - 1, &file);
	else
		pipa_buf_add(&file, data + 1, size - 1);
	MUST(!file.status);
	ticks = 0;
	half = file.len / 2;
	MUST(pipa_history_reader_feed(r, pipa_buf_str(&file), half) == 0);
	MUST(pipa_history_reader_feed(r, pipa_buf_str(&file) + half, file.len - half) == 0);
	MUST(pipa_history_reader_finish(r) == 0);
	MUST(result->ticks == ticks);
	MUST(result->damaged <= file.len);
out:
	pipa_buf_done(&file);
	pipa_history_reader_free(r);
	return 0;
}
