#include "kernel/text/maps_text.h"

#include "lib/test.h"

TEST(lines_of_maps_are_taken_apart)
{
	const char *text =
		"55794ffaa000-55794ffae000 r-xp 00002000 fe:00 248141                     /usr/bin/true\n"
		"nonsense\n"
		"7eff9c68a000-7eff9c68c000 rw-s 00000000 00:00 0 \n"
		"7ffd2f9d0000-7ffd2f9d2000 r-xp 00000000 00:00 0                          [vdso]\n"
		"1000-2000 r-xp 00000000 103:0a 18446744073709551615 /a b\\012c (deleted)";
	struct pipa_map_line line;

	CHECK(pipa_map_line_next(&text, &line));
	CHECK_EQ(line.start, 0x55794ffaa000);
	CHECK_EQ(line.end, 0x55794ffae000);
	CHECK_EQ(line.offset, 0x2000);
	CHECK_EQ(line.major, 0xfe);
	CHECK_EQ(line.inode, 248141);
	CHECK(line.readable && line.executable && !line.writable && !line.shared);
	CHECK_STR(line.path, "/usr/bin/true");
	CHECK(pipa_map_line_next(&text, &line));
	CHECK(line.shared && line.writable && !line.executable);
	CHECK_STR(line.path, "");
	CHECK(pipa_map_line_next(&text, &line));
	CHECK_STR(line.path, "[vdso]");
	CHECK(pipa_map_line_next(&text, &line));
	CHECK_EQ(line.major, 0x103);
	CHECK_EQ(line.minor, 10);
	CHECK_EQ(line.inode, UINT64_MAX);
	CHECK_STR(line.path, "/a b\nc (deleted)");
	CHECK(!pipa_map_line_next(&text, &line));
}

TEST(lines_of_modules_are_taken_apart)
{
	const char *text = "ext4 1007616 2 jbd2,mbcache, Live 0xffffffffc0a1c000 (E)\n"
			   "broken\n"
			   "hidden 4096 0 - Live 0x0000000000000000\n";
	struct pipa_module_line line;

	CHECK(pipa_module_line_next(&text, &line));
	CHECK_STR(line.name, "ext4");
	CHECK_EQ(line.size, 1007616);
	CHECK_EQ(line.start, 0xffffffffc0a1c000);
	CHECK(pipa_module_line_next(&text, &line));
	CHECK_STR(line.name, "hidden");
	CHECK_EQ(line.start, 0);
	CHECK(!pipa_module_line_next(&text, &line));
}

TEST(a_symbol_is_found_by_its_whole_name)
{
	static const char text[] = "ffffffff81000000 T x_stext\n"
				   "ffffffff81000010 T _stext\n"
				   "ffffffff81000020 t _stext.cold\n"
				   "0000000000000000 T _text\n"
				   "ffffffff82206448 T _etext";
	uint64_t at = 0;

	CHECK(pipa_kallsyms_find(text, "_stext", &at));
	CHECK_EQ(at, 0xffffffff81000010);
	CHECK(!pipa_kallsyms_find(text, "_text", &at));	 /* withheld */
	CHECK(!pipa_kallsyms_find(text, "_etext", &at)); /* the line may be cut */
}

TEST(iomem_gives_the_size_of_the_kernel_code)
{
	CHECK_EQ(pipa_iomem_code_size("00100000-bfff : System RAM\n"
				      "  01000000-02206447 : Kernel code\n"
				      "  02400000-02b5ffff : Kernel rodata\n"),
		 0x1206448);
	CHECK_EQ(pipa_iomem_code_size("  00000000-00000000 : Kernel code\n"), 0);
	CHECK_EQ(pipa_iomem_code_size(""), 0);
}
