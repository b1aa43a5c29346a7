#include "model/result.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"

/* clang-format off */
const struct pipa_result_field_info pipa_result_fields[PIPA_RESULT_FIELDS + 1] = {
	[PIPA_RESULT_WORKLOAD] = { "workload", "workload", "", PIPA_RESULT_TEXT, false },
	[PIPA_RESULT_TRANSACTIONS] = { "transactions", "transactions", "", PIPA_RESULT_UINT64, false },
	[PIPA_RESULT_THROUGHPUT] = { "throughput", "throughput", "1/s", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_USED_THREADS] = { "used_threads", "used_threads", "", PIPA_RESULT_LIST, false },
	[PIPA_RESULT_RUN_TIME] = { "run_time", "run_time", "s", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_CYCLES] = { "cycles", "cycles", "", PIPA_RESULT_UINT64, false },
	[PIPA_RESULT_INSTRUCTIONS] = { "instructions", "instructions", "", PIPA_RESULT_UINT64, false },
	[PIPA_RESULT_CYCLES_PER_SECOND] = { "cycles_per_second", "cycles_per_second", "1/s", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_INSTRUCTIONS_PER_SECOND] = { "instructions_per_second", "instructions_per_second", "1/s", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_CPI] = { "CPI", "CPI", "", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_CYCLES_PER_REQUESTS] = { "cycles_per_requests", "cycles_per_requests", "", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_PATH_LENGTH] = { "path_length", "path_length", "", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_CPU_FREQUENCY_MHZ] = { "cpu_frequency_mhz", "cpu_frequency_mhz", "MHz", PIPA_RESULT_DOUBLE, false },
	[PIPA_RESULT_CPU_USR] = { "cpu_usr", "%usr", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_NICE] = { "cpu_nice", "%nice", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_SYS] = { "cpu_sys", "%sys", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_IOWAIT] = { "cpu_iowait", "%iowait", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_STEAL] = { "cpu_steal", "%steal", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_IRQ] = { "cpu_irq", "%irq", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_SOFT] = { "cpu_soft", "%soft", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_GUEST] = { "cpu_guest", "%guest", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_GNICE] = { "cpu_gnice", "%gnice", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_IDLE] = { "cpu_idle", "%idle", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_CPU_UTIL] = { "cpu_util", "%util", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_KBMEMFREE] = { "kbmemfree", "kbmemfree", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBAVAIL] = { "kbavail", "kbavail", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBMEMUSED] = { "kbmemused", "kbmemused", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_PERCENT_MEMUSED] = { "percent_memused", "%memused", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_KBBUFFERS] = { "kbbuffers", "kbbuffers", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBCACHED] = { "kbcached", "kbcached", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBCOMMIT] = { "kbcommit", "kbcommit", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_PERCENT_COMMIT] = { "percent_commit", "%commit", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_KBACTIVE] = { "kbactive", "kbactive", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBINACT] = { "kbinact", "kbinact", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBDIRTY] = { "kbdirty", "kbdirty", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBANONPG] = { "kbanonpg", "kbanonpg", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBSLAB] = { "kbslab", "kbslab", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBKSTACK] = { "kbkstack", "kbkstack", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBPGTBL] = { "kbpgtbl", "kbpgtbl", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_KBVMUSED] = { "kbvmused", "kbvmused", "kB", PIPA_RESULT_UINT64, true },
	[PIPA_RESULT_DEV] = { "dev", "DEV", "", PIPA_RESULT_TEXT, false },
	[PIPA_RESULT_TPS] = { "tps", "tps", "1/s", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_RKB_S] = { "rkB_s", "rkB/s", "kB/s", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_WKB_S] = { "wkB_s", "wkB/s", "kB/s", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_DKB_S] = { "dkB_s", "dkB/s", "kB/s", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_AREQ_SZ] = { "areq_sz", "areq-sz", "kB", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_AQU_SZ] = { "aqu_sz", "aqu-sz", "", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_DISK_AWAIT] = { "disk_await", "disk_await", "ms", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_PERCENT_DISK_UTIL] = { "percent_disk_util", "%disk_util", "%", PIPA_RESULT_DOUBLE, true },
	[PIPA_RESULT_DATA_LOCATION] = { "data_location", "data_location", "", PIPA_RESULT_TEXT, false },
	[PIPA_RESULT_HW_INFO] = { "hw_info", "hw_info", "", PIPA_RESULT_TEXT, false },
	[PIPA_RESULT_SW_INFO] = { "sw_info", "sw_info", "", PIPA_RESULT_TEXT, false },
	[PIPA_RESULT_PLATFORM] = { "platform", "platform", "", PIPA_RESULT_TEXT, false },
	[PIPA_RESULT_COMMENT] = { "comment", "comment", "", PIPA_RESULT_TEXT, true },
	[PIPA_RESULT_USERNAME] = { "username", "username", "", PIPA_RESULT_TEXT, false },
};
/* clang-format on */

_Static_assert(PIPA_RESULT_FIELDS < 64, "bits of pipa_result.set");

enum pipa_result_field pipa_result_field_find(const char *name)
{
	int i;

	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		if (strcmp(pipa_result_fields[i].name, name) == 0 ||
		    strcmp(pipa_result_fields[i].key, name) == 0)
			return (enum pipa_result_field)i;
	return 0;
}

const char *pipa_result_sqlite_type(enum pipa_result_type type)
{
	switch (type) {
	case PIPA_RESULT_UINT64: return "INTEGER";
	case PIPA_RESULT_DOUBLE: return "REAL";
	default: return "TEXT";
	}
}

/* ---- values ------------------------------------------------------------------------------------- */

static void mark(struct pipa_result *result, enum pipa_result_field field, bool is_value)
{
	uint64_t bit = UINT64_C(1) << field;

	if (is_value || pipa_result_fields[field].is_explicit)
		result->set |= bit;
	else
		result->set &= ~bit;
}

void pipa_result_set_number(struct pipa_result *result, enum pipa_result_field field,
			    uint64_t value)
{
	result->values[field].number = value;
	mark(result, field, value != 0);
}

void pipa_result_set_real(struct pipa_result *result, enum pipa_result_field field, double value)
{
	/* neither a database nor a reader of text keeps the sign of zero */
	result->values[field].real = fpclassify(value) == FP_ZERO ? 0 : value;
	mark(result, field, fpclassify(value) != FP_ZERO);
}

void pipa_result_set_text(struct pipa_result *result, enum pipa_result_field field,
			  struct pipa_span text)
{
	result->values[field].text = text;
	mark(result, field, text.size != 0);
}

void pipa_result_set_string(struct pipa_result *result, enum pipa_result_field field,
			    const char *text)
{
	if (text)
		pipa_result_set_text(result, field,
				     (struct pipa_span){ (const uint8_t *)text, strlen(text) });
	else
		result->set &= ~(UINT64_C(1) << field);
}

void pipa_result_set_list(struct pipa_result *result, const uint32_t *items, size_t n)
{
	result->values[PIPA_RESULT_USED_THREADS].list.items = items;
	result->values[PIPA_RESULT_USED_THREADS].list.n = n;
	mark(result, PIPA_RESULT_USED_THREADS, n != 0);
}

/* ---- what a store refuses ------------------------------------------------------------------------ */

static const char *fault_of(const struct pipa_result_field_info *info,
			    const union pipa_result_value *value)
{
	switch (info->type) {
	case PIPA_RESULT_UINT64:
		return value->number > INT64_MAX ? "is above 9223372036854775807" : NULL;
	case PIPA_RESULT_DOUBLE: return isfinite(value->real) ? NULL : "is not a finite number";
	case PIPA_RESULT_TEXT:
		if (value->text.size && memchr(value->text.data, '\0', value->text.size))
			return "has a NUL";
		return pipa_utf8_is_valid(value->text.data, value->text.size) ? NULL :
										"is not UTF-8";
	default: return NULL;
	}
}

int pipa_result_check(const struct pipa_result *result, struct pipa_error *err)
{
	const char *fault;
	int i;

	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		if (!pipa_result_has(result, (enum pipa_result_field)i))
			continue;
		fault = fault_of(&pipa_result_fields[i], &result->values[i]);
		if (fault)
			return pipa_refuse(err, -EINVAL, "cannot store a result: %s %s",
					   pipa_result_fields[i].name, fault);
	}
	return 0;
}

/* ---- lists --------------------------------------------------------------------------------------- */

void pipa_result_put_list(struct pipa_buf *out, const uint32_t *items, size_t n)
{
	size_t i;

	pipa_buf_putc(out, '[');
	for (i = 0; i < n; i++) {
		if (i)
			pipa_buf_puts(out, ", ");
		pipa_buf_put_u64(out, items[i]);
	}
	pipa_buf_putc(out, ']');
}

static void skip_spaces(struct pipa_span *text)
{
	while (text->size && *text->data == ' ') {
		text->data++;
		text->size--;
	}
}

static bool skip_char(struct pipa_span *text, char c)
{
	skip_spaces(text);
	if (!text->size || *text->data != (uint8_t)c)
		return false;
	text->data++;
	text->size--;
	skip_spaces(text);
	return true;
}

ptrdiff_t pipa_result_parse_list(struct pipa_span text, uint32_t *items, size_t cap)
{
	uint64_t value;
	size_t n = 0;

	if (!skip_char(&text, '['))
		return -1;
	if (skip_char(&text, ']'))
		return text.size ? -1 : 0;
	do {
		if (!text.size || *text.data < '0' || *text.data > '9')
			return -1;
		for (value = 0; text.size && *text.data >= '0' && *text.data <= '9';
		     text.data++, text.size--) {
			value = value * 10 + (*text.data - '0');
			if (value > UINT32_MAX)
				return -1;
		}
		if (n < cap)
			items[n] = (uint32_t)value;
		n++;
	} while (skip_char(&text, ','));
	return skip_char(&text, ']') && !text.size ? (ptrdiff_t)n : -1;
}
