/*
 * The jumps to the allocator's functions that hooks end with.
 *
 * A hook jumps by a pointer of struct pipa_heap_real. Processors whose prediction of indirect jumps is restricted against
 * attacks (IBRS, STIBP) wait for each: 8 ns were measured, half of the time of malloc. Therefore on x86_64 the instruction
 * is replaced by a direct jump when the functions have been found.
 */
#ifndef PIPA_PRELOAD_JUMPS_H
#define PIPA_PRELOAD_JUMPS_H

#if defined(__x86_64__)

/*
 * Jump with the arguments of the hook, which must not have changed the stack: hooks are compiled without frame pointers and
 * are not inlined, and all that they do besides is to jump elsewhere (tests/cli/test_heap_library.sh looks at the code).
 * The address of the instruction, which does not cross 8 bytes, is kept in a table.
 */
#define PIPA_HEAP_JUMP(name, ...)                                                                  \
	do {                                                                                       \
		__asm__ volatile(".balign 8\n"                                                     \
				 "1:	jmp *%0\n"                                                    \
				 ".pushsection pipa_heap_jumps, \"aw\"\n"                          \
				 ".balign 8\n"                                                     \
				 ".quad 1b\n"                                                      \
				 ".popsection"                                                     \
				 :                                                                 \
				 : "m"(pipa_heap_real.name), __VA_ARGS__                           \
				 : "memory");                                                      \
		__builtin_unreachable();                                                           \
	} while (0)
#define PIPA_HEAP_JUMP_1(name, a) PIPA_HEAP_JUMP(name, "D"(a))
#define PIPA_HEAP_JUMP_2(name, a, b) PIPA_HEAP_JUMP(name, "D"(a), "S"(b))
#define PIPA_HEAP_JUMP_3(name, a, b, c) PIPA_HEAP_JUMP(name, "D"(a), "S"(b), "d"(c))

/*
 * Make the jumps direct. Called once, before there is another thread. Where code may not be changed they stay as they
 * are, as do those to functions that are not found yet or are more than 2 GiB away.
 */
void pipa_heap_jumps_bind(void);

#else

#define PIPA_HEAP_JUMP_1(name, a) return pipa_heap_real.name(a)
#define PIPA_HEAP_JUMP_2(name, a, b) return pipa_heap_real.name(a, b)
#define PIPA_HEAP_JUMP_3(name, a, b, c) return pipa_heap_real.name(a, b, c)

static inline void pipa_heap_jumps_bind(void)
{
}

#endif

#endif
