#include "lib/invent.h"

#include <stdio.h>

#include "lib/test.h"

static void name_place(struct pipa_profile *p, uint32_t location, const char *text, uint32_t object)
{
	char name[64], file[80];
	uint32_t line = 1;

	for (; *text; line++) {
		size_t len = strcspn(text, "<");
		struct pipa_function f = { .object = object };

		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		snprintf(file, sizeof(file), "/src/%s.c", name);
		f.name = pipa_profile_text(p, name);
		f.file = pipa_profile_text(p, file);
		CHECK_EQ(pipa_profile_name(p, location, pipa_profile_function(p, &f), line), 0);
		text += len + (text[len] == '<');
	}
}

static uint32_t place(struct pipa_profile *p, const char *text)
{
	const char *colon = strchr(text, ':');
	char path[80];
	struct pipa_object o = { 0 };
	struct pipa_location location = { .mode = PIPA_MODE_USER };
	uint32_t number;

	snprintf(path, sizeof(path), "/lib/%.*s", colon ? (int)(colon - text) : 1,
		 colon ? text : "x");
	o.path = pipa_profile_text(p, path);
	location.object = pipa_profile_object(p, &o);
	location.offset = pipa_profile_text(p, text); /* one place for each text will do */
	number = pipa_profile_location(p, &location);
	if (!p->locations.items[number].n_lines)
		name_place(p, number, colon ? colon + 1 : text, location.object);
	return number;
}

void invent(struct pipa_profile *p, const char *comm, const char *stack, uint64_t weight)
{
	struct pipa_thread thread = { .comm = pipa_profile_text(p, comm) };
	struct pipa_sample s = { .event = pipa_profile_event(p, "cycles"),
				 .stack = PIPA_NONE,
				 .cpu = (uint32_t)(comm[0] & 1),
				 .weight = weight,
				 .count = 1 };
	char name[64];

	thread.pid = thread.tid = 100 + thread.comm;
	s.thread = pipa_profile_thread(p, &thread);
	while (*stack) {
		size_t len = strcspn(stack, ";");

		snprintf(name, sizeof(name), "%.*s", (int)len, stack);
		s.stack = pipa_profile_stack(p, s.stack, place(p, name));
		stack += len + (stack[len] == ';');
	}
	CHECK_EQ(pipa_profile_add(p, &s), 0);
}
