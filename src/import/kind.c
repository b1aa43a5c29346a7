#include "import/kind.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/auto.h"
#include "codec/tar.h"
#include "import/folded.h"
#include "import/legacy/legacy.h"
#include "import/otlp/otlp.h"
#include "import/otlp/otlp_json.h"
#include "import/pprof.h"
#include "import/script_line.h"
#include "import/viewer/cpuprofile.h"
#include "import/viewer/speedscope.h"
#include "model/record.h"

static const struct {
	const char *bytes;
	size_t len;
	enum pipa_kind kind;
} magics[] = {
	{ "PERFILE2", 8, PIPA_KIND_PERF_DATA }, { "2ELIFREP", 8, PIPA_KIND_PERF_DATA },
	{ "PERFFILE", 8, PIPA_KIND_PERF_DATA }, /* before 2.6.37 */
	{ "\x1f\x8b", 2, PIPA_KIND_GZIP },	{ "\x28\xb5\x2f\xfd", 4, PIPA_KIND_ZSTD },
};

/* Evidence from the lines read so far. */
struct votes {
	size_t lines, folded;
	size_t sure;  /* certainly perf script: a time, or indented frames */
	size_t loose; /* probably perf script: a header without a time, frames without indentation */
};

/* Has the first word a digit? Most addresses have one; "feed" is a word. */
static bool has_digit(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len && line[i] != ' '; i++)
		if (line[i] >= '0' && line[i] <= '9')
			return true;
	return false;
}

/*
 * Is it a header without a time? perf ends each field with a space: "comm 4711 " is a header, "comm
 * 4711" is a folded stack. A header with an event or CPU is not loose.
 */
static bool is_loose_header(const char *line, size_t len, const struct pipa_script_header *header)
{
	if (header->vague || header->timed)
		return false;
	while (len && (line[len - 1] == '\r' || line[len - 1] == '\n'))
		len--;
	return header->frame.len || (len && line[len - 1] == ' ') ||
	       (header->event.len && header->event.text + header->event.len + 1 == line + len) ||
	       header->cpu != PIPA_UNKNOWN32;
}

static void vote(struct votes *v, const char *line, size_t len)
{
	struct pipa_script_header header;
	struct pipa_parsed_frame frame;
	struct pipa_folded_count count;
	bool loose, is_frame;
	size_t stack;

	if (len == 0 || line[0] == '#' || (len == 1 && line[0] == '\r'))
		return;
	v->lines++;
	/* "comm 12 1.5: cycles: 3" could be folded, but frames are not named like that */
	pipa_script_header_parse(line, len, &header);
	loose = is_loose_header(line, len, &header);
	is_frame = pipa_script_frame_parse(line, len, &frame);
	if (header.timed || (!loose && is_frame && (line[0] == '\t' || line[0] == ' ')))
		v->sure++;
	else if (!loose && pipa_folded_line(line, len, &stack, &count))
		v->folded++;
	else if (loose || (is_frame && has_digit(line, len)))
		v->loose++;
}

/* Is the text the start of a single long line? Only stacks are that long. */
static bool is_long_stack(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return false;
	return len == PIPA_KIND_BYTES && text[0] != '{' && text[0] != '<';
}

static enum pipa_kind kind_of_text(const char *text, size_t len)
{
	const char *line = text, *end = text + len;
	struct votes v = { 0 };

	if (memchr(text, '\0', len))
		return PIPA_KIND_UNKNOWN;
	if (is_long_stack(text, len))
		return PIPA_KIND_FOLDED;
	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (newline || v.lines == 0)
			vote(&v, line, (size_t)((newline ? newline : end) - line));
		line = newline ? newline + 1 : end;
	}
	if (v.sure || (v.loose > v.folded && v.loose * 2 >= v.lines))
		return PIPA_KIND_PERF_SCRIPT;
	if (!v.lines && len > 10 && memcmp(text, "# ========", 10) == 0)
		return PIPA_KIND_PERF_SCRIPT; /* perf's file header, on a machine with many CPUs */
	return v.folded && v.folded * 2 >= v.lines ? PIPA_KIND_FOLDED : PIPA_KIND_UNKNOWN;
}

size_t pipa_kind_skip(const void *bytes, size_t len, bool *inside)
{
	const char *text = bytes;
	size_t at = 0;

	while (at < len) {
		const char *newline;

		if (!*inside && text[at] != '#' && text[at] != '\n' && text[at] != '\r')
			break;
		newline = memchr(text + at, '\n', len - at);
		*inside = !newline;
		at = newline ? (size_t)(newline - text) + 1 : len;
	}
	return at;
}

enum pipa_kind pipa_kind_find(const void *bytes, size_t len)
{
	size_t i;

	if (len == 0)
		return PIPA_KIND_EMPTY;
	for (i = 0; i < PIPA_COUNT(magics); i++)
		if (len >= magics[i].len && memcmp(bytes, magics[i].bytes, magics[i].len) == 0)
			return magics[i].kind;
	if (pipa_tar_is(bytes, len))
		return PIPA_KIND_TAR;
	if (pipa_otlp_is((struct pipa_span){ bytes, len }))
		return PIPA_KIND_OTLP;
	if (pipa_otlp_json_is((struct pipa_span){ bytes, len }))
		return PIPA_KIND_OTLP_JSON;
	if (pipa_speedscope_is((struct pipa_span){ bytes, len }))
		return PIPA_KIND_SPEEDSCOPE;
	if (pipa_cpuprofile_is((struct pipa_span){ bytes, len }))
		return PIPA_KIND_CPUPROFILE;
	if (pipa_pprof_is((struct pipa_span){ bytes, len }))
		return PIPA_KIND_PPROF;
	if (pipa_legacy_is((struct pipa_span){ bytes, len }))
		return PIPA_KIND_PPROF_LEGACY;
	return kind_of_text(bytes, len < PIPA_KIND_BYTES ? len : PIPA_KIND_BYTES);
}

const char *pipa_kind_name(enum pipa_kind kind)
{
	static const char *const names[PIPA_KIND_NR] = {
		[PIPA_KIND_UNKNOWN] = "of unknown format",
		[PIPA_KIND_EMPTY] = "empty",
		[PIPA_KIND_PERF_DATA] = "a perf.data recording",
		[PIPA_KIND_GZIP] = "compressed with gzip",
		[PIPA_KIND_ZSTD] = "compressed with zstd",
		[PIPA_KIND_TAR] = "an archive without a recording in it",
		[PIPA_KIND_PERF_SCRIPT] = "text of perf script",
		[PIPA_KIND_FOLDED] = "folded stacks",
		[PIPA_KIND_PPROF] = "a pprof profile",
		[PIPA_KIND_PPROF_LEGACY] = "a pprof profile of a legacy form",
		[PIPA_KIND_OTLP] = "OTLP profiles",
		[PIPA_KIND_OTLP_JSON] = "OTLP profiles in JSON",
		[PIPA_KIND_SPEEDSCOPE] = "a speedscope profile",
		[PIPA_KIND_CPUPROFILE] = "a .cpuprofile of V8",
	};

	return kind < PIPA_KIND_NR ? names[kind] : names[PIPA_KIND_UNKNOWN];
}
