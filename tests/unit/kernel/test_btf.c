#include "kernel/bpf/btf.h"

#include <errno.h>
#include <linux/btf.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "lib/test.h"

/*
 * A description made by hand:
 *
 *	1 int, 2 long, 3 typedef of 2, 4 struct inner { int a; long b; }, 5 array of four 4,
 *	6 pointer to 4, 7 struct { int hidden } without a name, 8 volatile 3,
 *	9 struct outer { int first; bits:3; (7); inner in[4]; inner *to; volatile typedef ticks },
 *	10 function work
 */
static const char strings[] = "\0inner\0outer\0work\0a\0b\0first\0bits\0hidden\0in\0to\0ticks";

static struct {
	struct btf_header header;
	uint32_t types[128];
	char strings[sizeof(strings)];
} image;
static size_t words;

static uint32_t name(const char *text)
{
	size_t i;

	for (i = 1; i < sizeof(strings); i += strlen(strings + i) + 1)
		if (strcmp(strings + i, text) == 0)
			return (uint32_t)i;
	return 0;
}

static void put(uint32_t word)
{
	image.types[words++] = word;
}

static void type(const char *text, uint32_t kind, uint32_t count, uint32_t size_or_type)
{
	put(name(text));
	put(kind << 24 | count);
	put(size_or_type);
}

static void member(const char *text, uint32_t of, uint32_t bits)
{
	put(name(text));
	put(of);
	put(bits);
}

static void make(void)
{
	words = 0;
	type("", BTF_KIND_INT, 0, 4), put(32);
	type("", BTF_KIND_INT, 0, 8), put(64);
	type("", BTF_KIND_TYPEDEF, 0, 2);
	type("inner", BTF_KIND_STRUCT, 2, 16), member("a", 1, 0), member("b", 2, 64);
	type("", BTF_KIND_ARRAY, 0, 0), put(4), put(1), put(4);
	type("", BTF_KIND_PTR, 0, 4);
	type("", BTF_KIND_STRUCT, 1, 4), member("hidden", 1, 0);
	type("", BTF_KIND_VOLATILE, 0, 3);
	type("outer", BTF_KIND_STRUCT | 0x80, 6, 96);
	member("first", 1, 0), member("bits", 1, 3 << 24 | 32), member("", 7, 64);
	member("in", 5, 128), member("to", 6, 640), member("ticks", 8, 704);
	type("work", BTF_KIND_FUNC, 0, 0);
	image.header = (struct btf_header){ .magic = 0xeb9f,
					    .version = 1,
					    .hdr_len = sizeof(image.header),
					    .type_len = (uint32_t)(words * 4),
					    .str_off = sizeof(image.types),
					    .str_len = sizeof(strings) };
	memcpy(image.strings, strings, sizeof(strings));
}

static struct pipa_btf btf;

static void open_image(void)
{
	make();
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), 0);
}

static void check_place(const char *path, uint32_t offset, uint32_t size)
{
	struct pipa_btf_place place;

	CHECK_EQ(pipa_btf_find(&btf, 9, path, &place), 0);
	CHECK_EQ(place.offset, offset);
	CHECK_EQ(place.size, size);
}

TEST(members_are_found_through_structures_arrays_and_unnamed_ones)
{
	open_image();
	CHECK_EQ(pipa_btf_struct(&btf, "outer"), 9);
	CHECK_EQ(pipa_btf_function(&btf, "work"), 10);
	check_place("first", 0, 4);
	check_place("hidden", 8, 4);
	check_place("in[0].a", 16, 4);
	check_place("in[3].b", 16 + 3 * 16 + 8, 8);
	check_place("to", 80, 8);
	check_place("ticks", 88, 8);
	pipa_btf_done(&btf);
}

TEST(missing_types_and_members_are_not_found)
{
	static const char *const paths[] = { "last",	"bits", "in[4].a", "in.a",
					     "first.a", "to.a", "first[0]" };
	struct pipa_btf_place place = { .offset = 5 };
	size_t i;

	open_image();
	for (i = 0; i < PIPA_COUNT(paths); i++)
		CHECK_EQ(pipa_btf_find(&btf, 9, paths[i], &place), -ENOENT);
	CHECK_EQ(pipa_btf_find(&btf, 77, "first", &place), -ENOENT);
	CHECK_EQ(place.offset, 5);
	CHECK_EQ(pipa_btf_struct(&btf, "work"), 0);
	CHECK_EQ(pipa_btf_function(&btf, "outer"), 0);
	pipa_btf_done(&btf);
}

TEST(a_pointer_leads_to_its_structure)
{
	struct pipa_btf_place place;

	open_image();
	CHECK_EQ(pipa_btf_find(&btf, 9, "to", &place), 0);
	CHECK_EQ(pipa_btf_pointee(&btf, place.type), 4);
	CHECK_EQ(pipa_btf_pointee(&btf, 4), 0);
	pipa_btf_done(&btf);
}

TEST(malformed_btf_is_refused)
{
	make();
	CHECK_EQ(pipa_btf_init(&btf, &image, 10), -EBADMSG);
	image.header.magic = 0x9feb; /* of the other byte order */
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), -EBADMSG);
	make();
	image.header.type_len = UINT32_MAX;
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), -EBADMSG);
	make();
	image.header.type_len -= 4; /* the last type is truncated */
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), -EBADMSG);
	make();
	image.types[1] = 31u << 24; /* an unknown kind */
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), -EBADMSG);
	make();
	image.strings[sizeof(strings) - 1] = 'x'; /* the last string does not end */
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), -EBADMSG);
}

TEST(a_structure_that_holds_itself_ends_the_search)
{
	struct pipa_btf_place place;
	size_t i;

	make();
	for (i = 0; i < words; i++) /* the unnamed member is the structure itself */
		if (image.types[i] == 0 && image.types[i + 1] == 7 && image.types[i + 2] == 64)
			image.types[i + 1] = 9;
	CHECK_EQ(pipa_btf_init(&btf, &image, sizeof(image)), 0);
	CHECK_EQ(pipa_btf_find(&btf, 9, "nowhere", &place), -ENOENT);
	pipa_btf_done(&btf);
}

TEST(the_kernels_own_description_is_read)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { .max = 256 << 20 };
	struct pipa_btf_place pid, tgid, comm;
	uint32_t task;

	if (pipa_file_read("/sys/kernel/btf/vmlinux", &bytes, NULL) < 0)
		SKIP("this kernel has no BTF");
	CHECK_EQ(pipa_btf_init(&btf, bytes.data, bytes.len), 0);
	task = pipa_btf_struct(&btf, "task_struct");
	CHECK(task > 0);
	CHECK_EQ(pipa_btf_find(&btf, task, "pid", &pid), 0);
	CHECK_EQ(pipa_btf_find(&btf, task, "tgid", &tgid), 0);
	CHECK_EQ(pipa_btf_find(&btf, task, "comm", &comm), 0);
	CHECK_EQ(pid.size, 4);
	CHECK_EQ(tgid.offset, pid.offset + 4);
	pipa_btf_done(&btf);
}
