/* Parse and select the fields of pipa script. */
#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "export/table/script.h"

static const char *const names[PIPA_SCRIPT_FIELD_NR] = {
	[PIPA_SCRIPT_COMM] = "comm",	   [PIPA_SCRIPT_PID] = "pid",
	[PIPA_SCRIPT_TID] = "tid",	   [PIPA_SCRIPT_CPU] = "cpu",
	[PIPA_SCRIPT_TIME] = "time",	   [PIPA_SCRIPT_PERIOD] = "period",
	[PIPA_SCRIPT_EVENT] = "event",	   [PIPA_SCRIPT_ADDR] = "addr",
	[PIPA_SCRIPT_IP] = "ip",	   [PIPA_SCRIPT_SYM] = "sym",
	[PIPA_SCRIPT_SYMOFF] = "symoff",   [PIPA_SCRIPT_DSO] = "dso",
	[PIPA_SCRIPT_SRCLINE] = "srcline", [PIPA_SCRIPT_TRACE] = "trace",
	[PIPA_SCRIPT_BRSTACK] = "brstack",
};

const char *pipa_script_field_name(enum pipa_script_field field)
{
	return names[field];
}

static int find_field(const char *text, size_t len, uint32_t *ret, struct pipa_error *err)
{
	uint32_t i;

	for (i = 0; i < PIPA_SCRIPT_FIELD_NR; i++)
		if (strlen(names[i]) == len && memcmp(names[i], text, len) == 0) {
			*ret = 1u << i;
			return 0;
		}
	pipa_refuse(err, -EINVAL, "unknown field '%.*s'", (int)len, text);
	return pipa_hint(
		err,
		"expected comm, pid, tid, cpu, time, period, event, trace, addr, ip, sym, symoff, "
		"dso, brstack, srcline");
}

static int add_field(struct pipa_script_fields *fields, char sign, uint32_t bit)
{
	if (sign == '+') {
		fields->more |= bit;
		fields->less &= ~bit;
	} else if (sign == '-') {
		fields->less |= bit;
		fields->more &= ~bit;
	} else {
		fields->all = true;
		fields->these |= bit;
	}
	return 0;
}

/*
 * Refuse fields that need another one: symbols and objects need the address, an offset needs the
 * symbol.
 */
static int check_dependencies(const struct pipa_script_fields *f, struct pipa_error *err)
{
	bool ip = f->these & PIPA_SCRIPT_BIT(IP), sym = f->these & PIPA_SCRIPT_BIT(SYM);

	if (f->all && (f->more || f->less))
		return pipa_refuse(err, -EINVAL,
				   "a list of fields cannot be combined with +FIELD and -FIELD");
	if (f->all && !ip && f->these & PIPA_SCRIPT_OF_IP)
		return pipa_refuse(err, -EINVAL, "sym, symoff, dso and srcline need the field ip");
	if (f->all && !sym && f->these & PIPA_SCRIPT_BIT(SYMOFF))
		return pipa_refuse(err, -EINVAL, "symoff needs the field sym");
	return 0;
}

int pipa_script_fields_parse(const char *text, struct pipa_script_fields *ret,
			     struct pipa_error *err)
{
	struct pipa_script_fields fields = { 0 };
	uint32_t bit = 0;
	int rc = 0;

	for (;;) {
		char sign = *text == '+' || *text == '-' ? *text++ : 0;
		size_t len = strcspn(text, ",");

		rc = find_field(text, len, &bit, err);
		if (!rc)
			rc = add_field(&fields, sign, bit);
		if (rc || !text[len])
			break;
		text += len + 1;
	}
	if (!rc)
		rc = check_dependencies(&fields, err);
	if (!rc)
		*ret = fields;
	return rc;
}

uint32_t pipa_script_fields_of(const struct pipa_script_fields *fields, uint32_t own)
{
	uint32_t bits = fields->all ? fields->these : (own | fields->more) & ~fields->less;

	if (!(bits & PIPA_SCRIPT_BIT(IP)))
		bits &= ~PIPA_SCRIPT_OF_IP;
	if (!(bits & PIPA_SCRIPT_BIT(SYM)))
		bits &= ~PIPA_SCRIPT_BIT(SYMOFF);
	return bits;
}
