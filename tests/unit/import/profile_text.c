#include "profile_text.h"

#include <inttypes.h>

#include "base/buf.h"
#include "lib/test.h"
#include "model/profile.h"

static void put_number(struct pipa_buf *out, uint32_t number)
{
	if (number == PIPA_UNKNOWN32)
		pipa_buf_putc(out, '?');
	else
		pipa_buf_printf(out, "%" PRIu32, number);
}

static void put_stack(const struct pipa_profile *p, uint32_t number, struct pipa_buf *out)
{
	const struct pipa_location *location;
	uint32_t i;

	if (number == PIPA_NONE)
		return;
	put_stack(p, p->stacks.items[number].parent, out);
	location = &p->locations.items[p->stacks.items[number].location];
	pipa_buf_putc(out, ' ');
	if (!location->n_lines)
		pipa_buf_printf(out, "[%s]",
				pipa_profile_string(p, p->objects.items[location->object].path));
	for (i = location->n_lines; i > 0; i--)
		pipa_buf_printf(
			out, "%s%s",
			pipa_profile_string(
				p,
				p->functions.items[p->lines.items[location->lines + i - 1].function]
					.name),
			i > 1 ? ">" : "");
}

const char *profile_text(const struct pipa_profile *p)
{
	static struct pipa_buf out;
	size_t i;

	pipa_buf_reset(&out);
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *sample = &p->samples.items[i];

		if (sample->thread != PIPA_NONE) {
			const struct pipa_thread *thread = &p->threads.items[sample->thread];

			pipa_buf_printf(&out, "%s ", pipa_profile_string(p, thread->comm));
			put_number(&out, thread->pid);
			pipa_buf_putc(&out, '/');
			put_number(&out, thread->tid);
			pipa_buf_putc(&out, ' ');
		}
		pipa_buf_printf(&out, "%s|",
				pipa_profile_string(p, p->events.items[sample->event].name));
		put_stack(p, sample->stack, &out);
		pipa_buf_printf(&out, " | %" PRIu64 " %" PRIu64 "\n", sample->weight,
				sample->count);
	}
	CHECK_EQ(out.status, 0);
	return pipa_buf_str(&out);
}
