/*
 * A PMU's format file and a value for the field: eight bytes of value, then the text. What is taken
 * reads back as itself, and a value applied can be read out of the words again.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "kernel/event/pmu.h"

static void check_reparse(const struct pipa_pmu_format *format)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_pmu_format again = { 0 };
	unsigned int bit, last;

	if (format->word)
		pipa_buf_printf(&text, "config%u:", format->word);
	else
		pipa_buf_puts(&text, "config:");
	for (bit = 0; bit < 64; bit = last + 1) {
		last = bit;
		if (!(format->bits >> bit & 1))
			continue;
		while (last < 63 && format->bits >> (last + 1) & 1)
			last++;
		if (text.data[text.len - 1] != ':')
			pipa_buf_putc(&text, ',');
		pipa_buf_printf(&text, "%u-%u", bit, last);
	}
	/* alternating bits would be longer than any kernel's format and are refused */
	if (text.len < 128) {
		MUST(pipa_pmu_format_parse(pipa_buf_str(&text), &again) == 0);
		MUST(again.word == format->word && again.bits == format->bits);
	}
}

/* The bits of the field, lowest first, back into a number. */
static uint64_t extract(const struct pipa_pmu_format *format, const uint64_t *config)
{
	uint64_t value = 0;
	unsigned int bit, n = 0;

	for (bit = 0; bit < 64; bit++)
		if (format->bits >> bit & 1)
			value |= (config[format->word] >> bit & 1) << n++;
	return value;
}

static void check_apply(const struct pipa_pmu_format *format, uint64_t value)
{
	const uint64_t before[PIPA_PMU_WORDS] = { ~value, value * 3, 0x5555555555555555 };
	int width = __builtin_popcountll(format->bits);
	uint64_t config[PIPA_PMU_WORDS];
	size_t i;

	memcpy(config, before, sizeof(config));
	if (pipa_pmu_format_apply(format, value, config) < 0) {
		MUST(width < 64 && value >> width);
		MUST(memcmp(config, before, sizeof(config)) == 0);
		return;
	}
	MUST(extract(format, config) == value);
	for (i = 0; i < PIPA_PMU_WORDS; i++) {
		uint64_t own = i == format->word ? format->bits : 0;

		MUST((config[i] & ~own) == (before[i] & ~own));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_pmu_format format = { .word = 77, .bits = 0 };
	uint64_t value;
	char *text;

	if (size < sizeof(value))
		return 0;
	memcpy(&value, data, sizeof(value));
	text = fuzz_text(data + sizeof(value), size - sizeof(value));
	if (pipa_pmu_format_parse(text, &format) == 0) {
		MUST(format.word < PIPA_PMU_WORDS && format.bits);
		check_reparse(&format);
		check_apply(&format, value);
		check_apply(&format, value & 1);
	} else {
		MUST(format.word == 77 && format.bits == 0);
	}
	free(text);
	return 0;
}
