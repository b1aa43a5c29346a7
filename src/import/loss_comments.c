#include "import/loss_comments.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "model/profile.h"

void pipa_loss_comments_read(struct pipa_profile *p)
{
	struct {
		const char *name;
		uint64_t *to;
	} const losses[] = {
		{ "lost records: ", &p->losses.lost_records },
		{ "lost samples: ", &p->losses.lost_samples },
		{ "throttled: ", &p->losses.throttled },
		{ "malformed records: ", &p->losses.damaged },
		{ "truncated stacks: ", &p->losses.unwound_truncated },
	};
	size_t i, k, n = 0;

	for (i = 0; i < p->comments.n; i++) {
		const char *text = pipa_profile_string(p, p->comments.items[i]);
		unsigned long long number;
		char *end;

		for (k = 0; k < PIPA_COUNT(losses); k++)
			if (strncmp(text, losses[k].name, strlen(losses[k].name)) == 0)
				break;
		if (k < PIPA_COUNT(losses)) {
			text += strlen(losses[k].name);
			number = strtoull(text, &end, 10);
			if (end != text && !*end && number <= UINT32_MAX) {
				*losses[k].to += number;
				continue;
			}
		}
		p->comments.items[n++] = p->comments.items[i];
	}
	p->comments.n = n;
}
