#include "export/table/script.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

#define PLACES                                                                                     \
	(PIPA_SCRIPT_BIT(IP) | PIPA_SCRIPT_BIT(SYM) | PIPA_SCRIPT_BIT(SYMOFF) |                    \
	 PIPA_SCRIPT_BIT(DSO))
#define USUAL                                                                                      \
	(PIPA_SCRIPT_BIT(COMM) | PIPA_SCRIPT_BIT(TID) | PIPA_SCRIPT_BIT(CPU) |                     \
	 PIPA_SCRIPT_BIT(TIME) | PIPA_SCRIPT_BIT(PERIOD) | PIPA_SCRIPT_BIT(EVENT) | PLACES)

static struct pipa_profile profile;
static struct pipa_buf out;

/* A location `into` bytes after the start of a function; without a name it is unresolved. */
static uint32_t place(enum pipa_object_kind kind, const char *path, uint64_t offset,
		      const char *name, uint64_t into)
{
	struct pipa_object object = { .path = pipa_profile_text(&profile, path),
				      .kind = kind,
				      .pid = 42 };
	struct pipa_location location = { .object = pipa_profile_object(&profile, &object),
					  .offset = offset,
					  .unresolved = kind == PIPA_OBJECT_UNKNOWN ?
								PIPA_UNRESOLVED_NO_MAPPING :
								PIPA_UNRESOLVED_NO_SYMBOL };
	struct pipa_function function = { .object = location.object };
	uint32_t number = pipa_profile_location(&profile, &location);

	if (name) {
		function.name = pipa_profile_text(&profile, name);
		CHECK_EQ(pipa_profile_name(&profile, number,
					   pipa_profile_function(&profile, &function), 0),
			 0);
		profile.locations.items[number].symbol_offset = into;
	}
	return number;
}

static struct pipa_script_sample sample(uint32_t fields)
{
	return (struct pipa_script_sample){ .fields = fields,
					    .comm = "sh",
					    .event = "cycles",
					    .pid = 41,
					    .tid = 42,
					    .cpu = 3,
					    .time_ns = UINT64_C(89502343999),
					    .period = 1000,
					    .addr = 0xdead,
					    .name_len = 6 };
}

static const char *text(const struct pipa_script_sample *s)
{
	pipa_buf_reset(&out);
	pipa_script_text(&profile, s, &out);
	return pipa_buf_str(&out);
}

static const char *json(const struct pipa_script_sample *s)
{
	pipa_buf_reset(&out);
	pipa_script_json(&profile, s, &out);
	return pipa_buf_str(&out);
}

TEST(a_sample_without_a_chain_is_one_line)
{
	struct pipa_script_frame frame = { 0x7f0000001234, 0, false, false };
	struct pipa_script_sample s = sample(USUAL);

	frame.location = place(PIPA_OBJECT_FILE, "/bin/sh", 0x1234, "main", 0x34);
	s.frames = &frame;
	s.n_frames = 1;
	s.name_len = 9; /* another event has a longer name */
	CHECK_STR(text(&s), "              sh    42 [003]    89.502343:       1000    cycles: "
			    "     7f0000001234 main+0x34 (/bin/sh)\n");
}

TEST(a_chain_has_a_line_for_each_frame)
{
	struct pipa_script_frame frames[] = {
		{ 0xffffffff81000010, 0, false, false },
		{ 0x7f0000001235, 0, true, false },
		{ 0x7f0000009999, 0, true, false },
		{ 0x5555, 0, true, false },
	};
	struct pipa_script_sample s = sample(USUAL);

	frames[0].location = place(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", 0xffffffff81000010,
				   "do_it", 0x10);
	frames[1].location = place(PIPA_OBJECT_FILE, "/bin/sh", 0x1234, "main", 0x34);
	frames[2].location = place(PIPA_OBJECT_JIT, "//anon", 0x7f0000009998, NULL, 0);
	frames[3].location = place(PIPA_OBJECT_UNKNOWN, "[unknown]", 0x5554, NULL, 0);
	s.chain = true;
	s.frames = frames;
	s.n_frames = 4;
	CHECK_STR(text(&s), "sh    42 [003]    89.502343:       1000 cycles: \n"
			    "\tffffffff81000010 do_it+0x10 ([kernel.kallsyms])\n"
			    "\t            1235 main+0x35 (/bin/sh)\n"
			    "\t    7f0000009999 [unknown] (/tmp/perf-42.map)\n"
			    "\t            5555 [unknown] ([unknown])\n"
			    "\n");
}

TEST(an_empty_chain_leaves_its_empty_line)
{
	struct pipa_script_sample s = sample(PIPA_SCRIPT_BIT(COMM) | PIPA_SCRIPT_BIT(IP));

	s.chain = true;
	CHECK_STR(text(&s), "sh \n\n");
}

TEST(an_inlined_function_has_a_line_of_its_own)
{
	struct pipa_script_frame frame = { 0x1234, 0, false, false };
	struct pipa_script_sample s = sample(PLACES);
	struct pipa_function outer = { 0 };

	frame.location = place(PIPA_OBJECT_FILE, "/bin/sh", 0x234, "inner", 4);
	outer.object = profile.locations.items[frame.location].object;
	outer.name = pipa_profile_text(&profile, "outer");
	CHECK_EQ(pipa_profile_name(&profile, frame.location,
				   pipa_profile_function(&profile, &outer), 0),
		 0);
	s.chain = true;
	s.frames = &frame;
	s.n_frames = 1;
	CHECK_STR(text(&s), "\n\t             234 inner (inlined)\n"
			    "\t             234 outer+0x4 (/bin/sh)\n\n");
	s.chain = false;
	CHECK_STR(text(&s), "             1234 outer+0x4 (/bin/sh)\n");
	CHECK_STR(json(&s),
		  "{\"schema\": \"pipa-script/1\", \"stack\": [{\"ip\": \"0x1234\", \"sym\": "
		  "\"inner\", \"dso\": \"/bin/sh\", \"dsooff\": \"0x234\", \"inlined\": true}, "
		  "{\"ip\": \"0x1234\", \"sym\": \"outer\", \"symoff\": 4, \"dso\": \"/bin/sh\", "
		  "\"dsooff\": \"0x234\"}]}\n");
}

TEST(process_and_thread_are_adjacent)
{
	struct pipa_script_sample s = sample(PIPA_SCRIPT_BIT(PID) | PIPA_SCRIPT_BIT(TID));

	CHECK_STR(text(&s), "   41/42    \n");
	s.fields = PIPA_SCRIPT_BIT(PID);
	CHECK_STR(text(&s), "   41 \n");
	s.pid = PIPA_UNKNOWN32;
	CHECK_STR(text(&s), "   -1 \n");
	s.fields = PIPA_SCRIPT_BIT(EVENT) | PIPA_SCRIPT_BIT(ADDR);
	CHECK_STR(text(&s), "cycles:             dead\n");
}

TEST(names_cannot_forge_lines)
{
	struct pipa_script_sample s = sample(PIPA_SCRIPT_BIT(COMM));

	s.comm = "a\nb\033[31m";
	CHECK_STR(text(&s), "  a\\x0ab\\x1b[31m \n");
}

TEST(json_has_the_fields_of_the_text)
{
	struct pipa_script_frame frame = { 0xffffffff81000010, 0, true, false };
	struct pipa_script_sample s = sample(USUAL | PIPA_SCRIPT_BIT(PID) | PIPA_SCRIPT_BIT(ADDR));

	frame.location = place(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", 0xffffffff8100000f, "do_it",
			       0xf);
	s.frames = &frame;
	s.n_frames = 1;
	CHECK_STR(json(&s), "{\"schema\": \"pipa-script/1\", \"comm\": \"sh\", \"pid\": 41, "
			    "\"tid\": 42, \"cpu\": 3, \"time_ns\": 89502343999, \"period\": 1000, "
			    "\"event\": \"cycles\", \"addr\": \"0xdead\", \"stack\": [{\"ip\": "
			    "\"0xffffffff81000010\", \"sym\": \"do_it\", \"symoff\": 16, \"dso\": "
			    "\"[kernel.kallsyms]\"}]}\n");
}

TEST(json_marks_fallback_frames_and_truncated_stacks)
{
	struct pipa_script_frame frame = { 0x1234, 0, true, true };
	struct pipa_script_sample s = sample(PIPA_SCRIPT_BIT(IP));

	frame.location = place(PIPA_OBJECT_FILE, "/bin/sh", 0x1233, "main", 0x33);
	s.frames = &frame;
	s.n_frames = 1;
	s.end = PIPA_STACK_TRUNCATED;
	CHECK_STR(json(&s), "{\"schema\": \"pipa-script/1\", \"stack\": [{\"ip\": \"0x1234\", "
			    "\"fp_fallback\": true}], \"truncated\": \"dump_too_short\"}\n");
}

TEST(fields_are_listed_added_and_removed)
{
	struct pipa_script_fields f = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_script_fields_of(&f, USUAL), USUAL);
	CHECK_EQ(pipa_script_fields_parse("comm,ip,sym", &f, &err), 0);
	CHECK_EQ(pipa_script_fields_of(&f, USUAL),
		 PIPA_SCRIPT_BIT(COMM) | PIPA_SCRIPT_BIT(IP) | PIPA_SCRIPT_BIT(SYM));
	CHECK_EQ(pipa_script_fields_parse("+pid,-period", &f, &err), 0);
	CHECK_EQ(pipa_script_fields_of(&f, USUAL),
		 (USUAL | PIPA_SCRIPT_BIT(PID)) & ~PIPA_SCRIPT_BIT(PERIOD));
	CHECK_EQ(pipa_script_fields_parse("-ip", &f, &err), 0);
	CHECK_EQ(pipa_script_fields_of(&f, USUAL), USUAL & ~PLACES);
	CHECK_EQ(pipa_script_fields_parse("-sym", &f, &err), 0);
	CHECK_EQ(pipa_script_fields_of(&f, PLACES), PIPA_SCRIPT_BIT(IP) | PIPA_SCRIPT_BIT(DSO));
}

TEST(invalid_fields_are_refused)
{
	static const char *const wrong[] = { "",	  "comm,", ",comm",	"time2",   "+",
					     "comm,+pid", "sym",   "ip,symoff", "comm,dso" };
	struct pipa_script_fields f = { .these = 77 };
	struct pipa_error err = { 0 };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(pipa_script_fields_parse(wrong[i], &f, &err), -EINVAL);
	CHECK_EQ(f.these, 77u);
}
