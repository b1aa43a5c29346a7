#include "import/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/feed.h"
#include "model/profile.h"

struct pipa_folded {
	struct pipa_feed feed; /* first, so that it leads back here */
	struct pipa_profile *profile;
	uint32_t event, object;
	int status;
};

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

static bool ends_with(const char *name, size_t len, const char *end)
{
	return len >= 4 && memcmp(name + len - 4, end, 4) == 0;
}

/* A frame is its name: the number of the name is as good as an address. */
static uint32_t add_frame(struct pipa_folded *f, uint32_t parent, const char *name, size_t len)
{
	struct pipa_profile *p = f->profile;
	struct pipa_function function = {
		.name = pipa_strings_add(&p->strings, name, len),
		.object = f->object,
	};
	struct pipa_location location = {
		.object = f->object,
		.offset = function.name,
		.mode = ends_with(name, len, "_[k]") ? PIPA_MODE_KERNEL : PIPA_MODE_UNKNOWN,
	};
	size_t before = p->locations.n;
	uint32_t number, at;

	if (function.name == PIPA_NO_STRING)
		return PIPA_NONE;
	at = pipa_profile_location(p, &location);
	if (at == PIPA_NONE)
		return PIPA_NONE;
	if (p->locations.n > before) {
		number = pipa_profile_function(p, &function);
		if (number == PIPA_NONE || pipa_profile_name(p, at, number, 0) < 0)
			return PIPA_NONE;
	}
	return pipa_profile_stack(p, parent, at);
}

static int add_line(struct pipa_folded *f, const char *line, size_t len)
{
	struct pipa_sample sample = {
		.event = f->event, .thread = PIPA_NONE, .stack = PIPA_NONE, .cpu = PIPA_NONE
	};
	const char *frame = line, *end;

	if (len == 0 || line[0] == '#' || (len == 1 && line[0] == '\r'))
		return 0;
	if (!pipa_folded_line(line, len, &len, &sample.weight)) {
		f->profile->losses.damaged++;
		return 0;
	}
	for (end = line + len; frame <= end;) {
		const char *semicolon = memchr(frame, ';', (size_t)(end - frame));
		const char *stop = semicolon ? semicolon : end;

		sample.stack = add_frame(f, sample.stack, frame, (size_t)(stop - frame));
		if (sample.stack == PIPA_NONE)
			return -ENOMEM;
		frame = stop + 1;
	}
	sample.count = sample.weight;
	return pipa_profile_add(f->profile, &sample);
}

static size_t eat(struct pipa_feed *feed, const char *data, size_t len)
{
	struct pipa_folded *f = (struct pipa_folded *)feed;
	const char *line = data, *end = data + len, *newline;

	while (!f->status && line < end && (newline = memchr(line, '\n', (size_t)(end - line)))) {
		f->status = add_line(f, line, (size_t)(newline - line));
		line = newline + 1;
	}
	return (size_t)(line - data);
}

static void give_up(struct pipa_feed *feed)
{
	((struct pipa_folded *)feed)->profile->losses.damaged++;
}

struct pipa_folded *pipa_folded_new(struct pipa_profile *profile)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };
	struct pipa_folded *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->feed.eat = eat;
	f->feed.give_up = give_up;
	f->profile = profile;
	f->event = pipa_profile_event(profile, "");
	object.path = pipa_profile_text(profile, "");
	f->object = pipa_profile_object(profile, &object);
	if (f->event == PIPA_NONE || object.path == PIPA_NO_STRING || f->object == PIPA_NONE) {
		free(f);
		return NULL;
	}
	return f;
}

void pipa_folded_free(struct pipa_folded *f)
{
	if (f)
		pipa_feed_done(&f->feed);
	free(f);
}

int pipa_folded_put(struct pipa_folded *f, const char *bytes, size_t len)
{
	int rc = f->status ? f->status : pipa_feed_put(&f->feed, bytes, len);

	return rc ? rc : f->status;
}

int pipa_folded_end(struct pipa_folded *f)
{
	int rc = f->status ? f->status : pipa_feed_end(&f->feed);

	return rc ? rc : f->status;
}
