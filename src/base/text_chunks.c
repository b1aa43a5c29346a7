#include "base/text_chunks.h"

#include <string.h>

/* Keep bytes for later; too many, and the unit is given up. */
static void keep(struct pipa_text_chunks *feed, const char *bytes, size_t len)
{
	if (!len)
		return;
	if (feed->carry.len + len <= PIPA_TEXT_CHUNKS_MAX) {
		pipa_buf_add(&feed->carry, bytes, len);
		return;
	}
	feed->skip = bytes[len - 1] != '\n';
	pipa_buf_reset(&feed->carry);
	feed->give_up(feed);
}

static void eat_carry(struct pipa_text_chunks *feed)
{
	size_t used = feed->eat(feed, feed->carry.data, feed->carry.len);

	if (used) {
		memmove(feed->carry.data, feed->carry.data + used, feed->carry.len - used);
		feed->carry.len -= used;
	}
}

int pipa_text_chunks_put(struct pipa_text_chunks *feed, const char *bytes, size_t len)
{
	feed->carry.max = PIPA_TEXT_CHUNKS_MAX + 1;
	while (len && !feed->carry.status) {
		const char *newline;
		size_t take;

		if (!feed->carry.len && !feed->skip) {
			take = feed->eat(feed, bytes, len);
			keep(feed, bytes + take, len - take);
			break;
		}
		/* finish what had begun, a line at a time, then go on without copying */
		newline = memchr(bytes, '\n', len);
		take = newline ? (size_t)(newline - bytes) + 1 : len;
		if (feed->skip)
			feed->skip = !newline;
		else
			keep(feed, bytes, take);
		if (newline && feed->carry.len && !feed->carry.status)
			eat_carry(feed);
		bytes += take;
		len -= take;
	}
	return feed->carry.status;
}

int pipa_text_chunks_end(struct pipa_text_chunks *feed)
{
	if (feed->carry.len && feed->carry.data[feed->carry.len - 1] != '\n')
		return pipa_text_chunks_put(feed, "\n", 1);
	return feed->carry.status;
}

void pipa_text_chunks_done(struct pipa_text_chunks *feed)
{
	pipa_buf_done(&feed->carry);
}
