#include "export/exchange/folded.h"

#include <errno.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "model/profile.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static const char *fold(const struct pipa_profile *p, const struct pipa_folded_format *format)
{
	static struct pipa_buf out;

	pipa_buf_reset(&out);
	CHECK_EQ(pipa_folded_write(p, format, put, &out), 0);
	return pipa_buf_str(&out);
}

/* A location named "a>b" has b inlined into a; "" has no name. */
static uint32_t add_location(struct pipa_profile *p, const char *name, const char *dso,
			     enum pipa_object_kind kind)
{
	struct pipa_object object = { .path = pipa_profile_text(p, dso), .kind = kind };
	struct pipa_location location = { .address = 0xabc, .offset = p->locations.n };
	const char *end = name + strlen(name), *start;
	uint32_t number;

	location.object = pipa_profile_object(p, &object);
	number = pipa_profile_location(p, &location);
	while (end > name) {
		struct pipa_function function = { .object = location.object };

		for (start = end; start > name && start[-1] != '>'; start--)
			;
		function.name = pipa_strings_add(&p->strings, start, (size_t)(end - start));
		CHECK_EQ(pipa_profile_name(p, number, pipa_profile_function(p, &function), 0), 0);
		end = start > name ? start - 1 : name;
	}
	return number;
}

/* One sample of that weight with one frame. */
static void add(struct pipa_profile *p, const char *comm, const char *name, const char *dso,
		enum pipa_object_kind kind, uint64_t weight)
{
	struct pipa_thread thread = { .pid = PIPA_UNKNOWN32, .tid = 7 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .weight = weight, .count = 1 };

	thread.comm = pipa_profile_text(p, comm);
	sample.thread = pipa_profile_thread(p, &thread);
	sample.event = pipa_profile_event(p, "cycles");
	sample.stack = pipa_profile_stack(p, PIPA_NONE, add_location(p, name, dso, kind));
	CHECK_EQ(pipa_profile_add(p, &sample), 0);
}

/* The line of one frame, by these rules. */
static const char *line(const char *comm, const char *name, const char *dso,
			enum pipa_object_kind kind, struct pipa_fold_format names)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .names = names, .event = PIPA_NONE };

	add(&p, comm, name, dso, kind, 5);
	return fold(&p, &format);
}

static const char *plain(const char *name)
{
	return line("c", name, "/lib/x.so", PIPA_OBJECT_FILE, (struct pipa_fold_format){ 0 });
}

TEST(parameters_are_stripped_from_names)
{
	CHECK_STR(plain("f"), "c;f 5\n");
	CHECK_STR(plain("A::f(int, char*) const"), "c;A::f 5\n");
	CHECK_STR(plain("(anonymous namespace)::f(int)"), "c;(anonymous namespace)::f 5\n");
	CHECK_STR(plain("a::(anonymous namespace)::f((anonymous namespace)::T)"),
		  "c;a::(anonymous namespace)::f 5\n");
	CHECK_STR(plain("net/http.(*Client).Do"), "c;net/http.(*Client).Do 5\n");
	CHECK_STR(plain("RegExp:\\bFoo ?Bar(?:/[\\d.]+)"), "c;RegExp:\\bFoo ?Bar 5\n");
	CHECK_STR(plain("(/usr/bin/x)"), "c 5\n"); /* not a function */
}

TEST(characters_with_a_meaning_in_the_format_are_replaced)
{
	CHECK_STR(plain("La/B;.run"), "c;La/B:.run 5\n");
	CHECK_STR(plain("[&<\\\"\\']"), "c;[&<\\\\] 5\n");
	CHECK_STR(line("a b;c", "f", "", PIPA_OBJECT_FILE, (struct pipa_fold_format){ 0 }),
		  "a_b:c;f 5\n");
}

TEST(raw_names_are_not_changed)
{
	struct pipa_fold_format raw = { .raw_names = true };

	CHECK_STR(line("c", "A::f(int)", "/x", PIPA_OBJECT_FILE, raw), "c;A::f(int) 5\n");
	CHECK_STR(line("java", "La/B;\"x\"", "/x", PIPA_OBJECT_FILE, raw), "java;La/B:\"x\" 5\n");
	CHECK_STR(line("c", "(x)", "/x", PIPA_OBJECT_FILE, raw), "c;(x) 5\n");
}

TEST(java_classes_lose_their_letter)
{
	struct pipa_fold_format format = { 0 };

	CHECK_STR(line("java", "La/B;.run", "/x", PIPA_OBJECT_FILE, format), "java;a/B:.run 5\n");
	CHECK_STR(line("java", "Lock::lock()", "/x", PIPA_OBJECT_FILE, format),
		  "java;Lock::lock 5\n");
	CHECK_STR(line("javac", "La/B;.run", "/x", PIPA_OBJECT_FILE, format),
		  "javac;La/B:.run 5\n");
}

TEST(unresolved_frames_are_named_after_their_object)
{
	struct pipa_fold_format format = { 0 }, addrs = { .addrs = true };

	CHECK_STR(plain(""), "c;[x.so] 5\n");
	CHECK_STR(line("c", "", "[unknown]", PIPA_OBJECT_UNKNOWN, format), "c;[unknown] 5\n");
	CHECK_STR(line("c", "", "", PIPA_OBJECT_UNKNOWN, format), "c;[unknown] 5\n");
	CHECK_STR(line("c", "", "[vdso]", PIPA_OBJECT_VDSO, format), "c;[[vdso]] 5\n");
	CHECK_STR(line("c", "", "/a/dd", PIPA_OBJECT_FILE, addrs), "c;[dd <abc>] 5\n");
	CHECK_STR(line("c", "", "[unknown]", PIPA_OBJECT_UNKNOWN, addrs), "c;[unknown <abc>] 5\n");
	CHECK_STR(line("c", "f", "/a/dd", PIPA_OBJECT_FILE, addrs), "c;f 5\n");
}

TEST(names_as_reported_are_kept_and_only_addresses_become_their_object)
{
	struct pipa_fold_format format = { .as_reported = true, .kernel = true };

	CHECK_STR(line("c", "f(int, \"x;y\")", "/a/x.so", PIPA_OBJECT_FILE, format),
		  "c;f(int, \"x:y\") 5\n");
	CHECK_STR(line("java", "La/B;::f", "/tmp/perf-1.map", PIPA_OBJECT_JIT, format),
		  "java;La/B:::f 5\n");
	CHECK_STR(line("c", "f>g", "[kernel.kallsyms]", PIPA_OBJECT_KERNEL, format),
		  "c;f_[k];g 5\n");
	CHECK_STR(line("c", "", "/a/x.so", PIPA_OBJECT_FILE, format), "c;[x.so] 5\n");
	CHECK_STR(line("c", "", "", PIPA_OBJECT_UNKNOWN, format), "c;[unknown] 5\n");
	format.kernel = false;
	CHECK_STR(line("c", "", "[vdso]", PIPA_OBJECT_VDSO, format), "c;[vdso] 5\n");
}

TEST(kernel_and_jit_frames_can_be_marked)
{
	struct pipa_fold_format kernel = { .kernel = true }, jit = { .jit = true };

	CHECK_STR(line("c", "f", "[kernel.kallsyms]", PIPA_OBJECT_KERNEL, kernel), "c;f_[k] 5\n");
	CHECK_STR(line("c", "f", "[ext4]", PIPA_OBJECT_MODULE, kernel), "c;f_[k] 5\n");
	CHECK_STR(line("c", "f", "/b/vmlinux", PIPA_OBJECT_FILE, kernel), "c;f_[k] 5\n");
	CHECK_STR(line("c", "", "[unknown]", PIPA_OBJECT_UNKNOWN, kernel), "c;[unknown] 5\n");
	CHECK_STR(line("c", "f", "/b/x", PIPA_OBJECT_FILE, kernel), "c;f 5\n");
	CHECK_STR(line("c", "f", "[kernel.kallsyms]", PIPA_OBJECT_KERNEL, jit), "c;f 5\n");
	CHECK_STR(line("c", "f", "/tmp/perf-1.map", PIPA_OBJECT_JIT, jit), "c;f_[j] 5\n");
	CHECK_STR(line("c", "", "/tmp/perf-1.map", PIPA_OBJECT_JIT, jit), "c;[perf-1.map]_[j] 5\n");
	/* of what perf found inlined, only the function itself is in the object */
	CHECK_STR(line("c", "f>g", "[kernel.kallsyms]", PIPA_OBJECT_KERNEL, kernel),
		  "c;f_[k];g 5\n");
}

TEST(a_name_with_arrows_is_several_frames)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .names.jit = true, .event = PIPA_NONE };
	struct pipa_function function = { 0 };

	add(&p, "java", "x", "/tmp/perf-1.map", PIPA_OBJECT_JIT, 5);
	function.name = pipa_profile_text(&p, "La/B;::f->Lc/D;::g->h");
	p.functions.items[0].name = function.name;
	CHECK_STR(fold(&p, &format), "java;a/B:::f_[j];c/D:::g_[i];h_[i] 5\n");
	p.functions.items[0].name = pipa_profile_text(&p, "std::p<T>::operator->() const");
	CHECK_STR(fold(&p, &format), "java;std::p<T>::operator->_[j] 5\n");
}

TEST(threads_can_be_distinguished)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .event = PIPA_NONE };

	add(&p, "java", "La/b", "", PIPA_OBJECT_FILE, 5);
	format.pid = true;
	CHECK_STR(fold(&p, &format), "java-?;La/b 5\n");
	format.tid = true;
	CHECK_STR(fold(&p, &format), "java-?/7;La/b 5\n");
	p.threads.items[0].pid = 6;
	format.pid = false;
	CHECK_STR(fold(&p, &format), "java-6/7;La/b 5\n");
}

/* The order is that of the whole text before the weight, where ; is a byte like others. */
TEST(lines_are_merged_and_sorted_by_their_bytes)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .event = PIPA_NONE };
	struct pipa_sample sample;
	uint32_t f;

	add(&p, "c", "f", "/a", PIPA_OBJECT_FILE, 1);
	sample = p.samples.items[0];
	f = sample.stack;
	sample.stack = pipa_profile_stack(&p, f, add_location(&p, "h", "/a", PIPA_OBJECT_FILE));
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.weight = 40;
	sample.stack = pipa_profile_stack(&p, f, add_location(&p, "h()", "/b", PIPA_OBJECT_FILE));
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.stack = PIPA_NONE;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	add(&p, "c", "f g", "/a", PIPA_OBJECT_FILE, 2);
	add(&p, "c", "fa", "/a", PIPA_OBJECT_FILE, 3);
	add(&p, "c d", "z", "/a", PIPA_OBJECT_FILE, 4);
	add(&p, "c!", "z", "/a", PIPA_OBJECT_FILE, 4);
	add(&p, "c\xc3\xa4", "z", "/a", PIPA_OBJECT_FILE, 4);
	CHECK_STR(fold(&p, &format), "c 40\nc!;z 4\nc;f 1\nc;f g 2\nc;f;h 41\nc;fa 3\nc_d;z 4\n"
				     "c\xc3\xa4;z 4\n");
}

TEST(one_event_is_folded_with_samples_that_have_none)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .event = 0 };

	add(&p, "a", "f", "/a", PIPA_OBJECT_FILE, 1);
	add(&p, "b", "f", "/a", PIPA_OBJECT_FILE, 2);
	p.samples.items[1].event = pipa_profile_event(&p, "instructions");
	add(&p, "c", "f", "/a", PIPA_OBJECT_FILE, 3);
	p.samples.items[2].event = pipa_profile_event(&p, "");
	CHECK_STR(fold(&p, &format), "a;f 1\nc;f 3\n");
	format.event = 1;
	CHECK_STR(fold(&p, &format), "b;f 2\nc;f 3\n");
}

TEST(an_empty_profile_has_no_lines)
{
	struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .event = PIPA_NONE };

	CHECK_STR(fold(&p, &format), "");
}

static int refuse(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	(void)bytes;
	(void)len;
	return -ENOSPC;
}

TEST(a_failed_write_ends_it)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_folded_format format = { .event = PIPA_NONE };

	add(&p, "a", "f", "/a", PIPA_OBJECT_FILE, 1);
	CHECK_EQ(pipa_folded_write(&p, &format, refuse, NULL), -ENOSPC);
}
