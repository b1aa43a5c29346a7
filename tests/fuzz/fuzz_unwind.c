/*
 * Any call frame information with any stack, of every architecture: the walk ends, within its room,
 * and a second one, which finds the rows of the first, comes to the same.
 *
 * Input: architecture (1), registers (8 words), size of .eh_frame (2), .eh_frame, the stack.
 */
#include <elf.h>

#include "fuzz.h"
#include "unwind/arch.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

enum { MOST = 64, WORDS = 8, CODE_END = 0x10000, KNOWN_END = 0x8000, STACK = 0x20000 };

/* An image that is nothing but the section. */
struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[24];
	uint8_t frame[];
};

static struct image *make_image(uint16_t machine, const uint8_t *frame, size_t size)
{
	static const char names[24] = "\0.eh_frame\0.shstrtab";
	struct image *image = calloc(1, sizeof(*image) + size);

	MUST(image);
	memcpy(image->header.e_ident, ELFMAG "\2\1\1", 7);
	image->header.e_type = ET_DYN;
	image->header.e_machine = machine;
	image->header.e_version = 1;
	image->header.e_ehsize = sizeof(image->header);
	image->header.e_shoff = offsetof(struct image, sections);
	image->header.e_shentsize = sizeof(Elf64_Shdr);
	image->header.e_shnum = 3;
	image->header.e_shstrndx = 2;
	image->sections[1] = (Elf64_Shdr){ .sh_name = 1,
					   .sh_type = SHT_PROGBITS,
					   .sh_addr = 0x9000,
					   .sh_offset = sizeof(*image),
					   .sh_size = size };
	image->sections[2] = (Elf64_Shdr){ .sh_name = 11,
					   .sh_type = SHT_STRTAB,
					   .sh_offset = offsetof(struct image, names),
					   .sh_size = sizeof(names) };
	memcpy(image->names, names, sizeof(names));
	if (size)
		memcpy(image->frame, frame, size);
	return image;
}

static bool find(void *ctx, uint64_t addr, struct pipa_unwind_code *ret)
{
	if (addr >= CODE_END)
		return false;
	*ret = (struct pipa_unwind_code){ addr < KNOWN_END ? ctx : NULL, 0, 1 };
	return true;
}

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t size)
{
	(void)ctx;
	if (addr % 5)
		return false;
	memset(to, (int)(addr & 0x7f), size);
	return true;
}

static void walk(struct pipa_unwinder *unwinder, const struct pipa_unwind_input *in)
{
	uint64_t addrs[2][MOST];
	uint8_t flags[2][MOST];
	struct pipa_unwind_result results[2];
	int i;

	for (i = 0; i < 2; i++) {
		struct pipa_unwind_frames frames = { .addrs = addrs[i],
						     .flags = flags[i],
						     .max = MOST };

		pipa_unwind(unwinder, in, &frames, &results[i]);
		MUST(results[i].n >= 1 && results[i].n <= MOST);
		MUST((unsigned int)results[i].end < PIPA_STACK_END_NR);
		MUST(addrs[i][0] == in->regs.pc && flags[i][0] == PIPA_FRAME_EXACT);
		MUST(results[i].at == addrs[i][results[i].n - 1]);
	}
	MUST(results[0].n == results[1].n && results[0].end == results[1].end);
	MUST(memcmp(addrs[0], addrs[1], results[0].n * sizeof(addrs[0][0])) == 0);
	MUST(memcmp(flags[0], flags[1], results[0].n) == 0);
}

static uint64_t word_at(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pipa_unwind_arch *const archs[] = { &pipa_unwind_x86_64,
								&pipa_unwind_aarch64,
								&pipa_unwind_riscv64 };
	static const struct pipa_unwind_ops ops = { .find = find, .read = read_memory };
	static struct pipa_unwinder *unwinders[3];
	struct pipa_unwind_input in = { .ops = &ops };
	struct pipa_unwind_files files = { 0 };
	struct pipa_unwind_table *table = NULL;
	struct image *image;
	size_t i, which, frame;

	if (size < 1 + WORDS * 8 + 2)
		return 0;
	which = data[0] % 3;
	if (!unwinders[which])
		unwinders[which] = pipa_unwinder_new(archs[which]);
	MUST(unwinders[which]);
	in.regs.known = (UINT64_C(1) << archs[which]->n_regs) - 1;
	for (i = 0; i < PIPA_UNWIND_REGS; i++)
		in.regs.r[i] = word_at(data + 1 + i % WORDS * 8);
	in.regs.pc = word_at(data + 1) % CODE_END;
	in.regs.r[archs[which]->sp] = STACK;
	data += 1 + WORDS * 8;
	size -= 1 + WORDS * 8;
	frame = (size_t)data[0] | (size_t)data[1] << 8;
	if (frame > size - 2)
		frame = size - 2;
	image = make_image(archs[which]->machine, data + 2, frame);
	files.main = (struct pipa_span){ (const uint8_t *)image, sizeof(*image) + frame };
	MUST(pipa_unwind_table_new(&files, &table, NULL) == 0);
	in.ctx = table;
	in.stack = data + 2 + frame;
	in.stack_len = size - 2 - frame;
	in.stack_addr = STACK;
	pipa_unwinder_reset(unwinders[which]);
	walk(unwinders[which], &in);
	pipa_unwind_table_free(table);
	free(image);
	return 0;
}
