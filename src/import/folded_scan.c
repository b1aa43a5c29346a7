#include "import/folded_scan.h"

#include <endian.h>
#include <string.h>

#include "base/hash.h"
#include "base/strings.h"
#include "import/folded.h"

bool pipa_folded_line(const char *line, size_t len, size_t *ret_stack, uint64_t *ret_count)
{
	uint64_t value = 0, unit = 1;
	size_t i;

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	for (i = len; i > 0 && line[i - 1] >= '0' && line[i - 1] <= '9'; i--) {
		if (len - i == 19) /* more digits than surely fit */
			return false;
		value += unit * (uint64_t)(line[i - 1] - '0');
		unit *= 10;
	}
	if (i == len || i < 2 || (line[i - 1] != ' ' && line[i - 1] != '\t'))
		return false;
	*ret_stack = i - 1;
	*ret_count = value;
	return true;
}

static uint64_t word_at(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return le64toh(word);
}

size_t pipa_folded_common(const char *a, const char *b, size_t least)
{
	size_t same = 0;

	while (same + 8 <= least && word_at(a + same) == word_at(b + same))
		same += 8;
	while (same < least && a[same] == b[same])
		same++;
	return same;
}

/* The highest bit of each byte that is a semicolon; of those above the first, maybe of others. */
static uint64_t semicolons(uint64_t word)
{
	uint64_t zeros = word ^ UINT64_C(0x3b3b3b3b3b3b3b3b);

	return (zeros - UINT64_C(0x0101010101010101)) & ~zeros & UINT64_C(0x8080808080808080);
}

/* Where the frame ends, and on the way there the hash of its name. */
static const char *scan_frame(const char *frame, const char *end, uint64_t *ret_hash)
{
	uint64_t seed = PIPA_HASH_SEED, word, found;
	const char *at = frame, *stop;

	for (; end - at >= 8; at += 8) {
		word = word_at(at);
		found = semicolons(word);
		if (found) {
			unsigned int bytes = (unsigned int)__builtin_ctzll(found) / 8;

			word &= (UINT64_C(1) << 8 * bytes) - 1;
			stop = at + bytes;
			*ret_hash = pipa_hash_last(word, (size_t)(stop - frame), seed);
			return stop;
		}
		seed = pipa_hash_u64(word, seed);
	}
	for (stop = at; stop < end && *stop != ';';)
		stop++;
	word = pipa_hash_rest(at, (size_t)(stop - at));
	*ret_hash = pipa_hash_last(word, (size_t)(stop - frame), seed);
	return stop;
}

const char *pipa_folded_scan(const struct pipa_strings *strings, const char *frame, const char *end,
			     struct pipa_folded_name *names, size_t most, size_t *ret_n)
{
	size_t n = 0;

	for (; n < most && frame <= end; n++) {
		const char *stop = scan_frame(frame, end, &names[n].hash);

		__builtin_prefetch(pipa_index_start(&strings->index, names[n].hash));
		names[n].text = frame;
		names[n].len = (size_t)(stop - frame);
		frame = stop + 1;
	}
	*ret_n = n;
	return frame;
}
