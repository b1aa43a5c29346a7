/*
 * Programs with known call chains, without a C library: built with and without call frame information and frame
 * pointers (make-recordings, and tests/CMakeLists.txt for the machine at hand).
 *
 *	chains MODE ROUNDS
 *
 *	d	_start;begin;dup;m1;m2;f	f is hot after a call, whose return address is in the link register
 *	c	_start;begin;chain;a;b;c;leaf
 *	e	_start;begin;edges;e1;e2;e3	mostly prologues and epilogues
 *	s	_start;begin;by_signal;sigwork;leaf, and in the handler of a timer on top of that:
 *		<the stub>;handler;hleaf;leaf
 *	w	_start;begin;written;by_hand;leaf	assembler that pushes and moves the stack pointer
 *	x	all of them, one after the other
 */
#define NI __attribute__((noinline, noclone))
typedef unsigned long word;

#if defined(__x86_64__)
enum { NR_SIGACTION = 13, NR_SETITIMER = 38, NR_EXIT = 231, RESTORER = 0x04000000 };

static word syscall4(word nr, word a, word b, word c, word d)
{
	register word r10 __asm__("r10") = d;
	word ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

__asm__(".text\n.globl _start\n.type _start,@function\n"
	"_start: xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call begin\n hlt\n"
	".size _start,.-_start\n"
	".globl restore\n.type restore,@function\n"
	"nop\nrestore: mov $15,%rax\n syscall\n.size restore,.-restore\n"
	".globl by_hand\n.type by_hand,@function\n"
	"by_hand: push %rbx\n push %r12\n sub $40,%rsp\n mov %rdi,%rbx\n xor %r12d,%r12d\n"
	"1: mov %rbx,%rdi\n push %rbx\n push %r12\n call leaf\n pop %r12\n pop %rbx\n"
	" add %rax,%rbx\n inc %r12d\n cmp $4,%r12d\n jne 1b\n"
	" mov %rbx,%rax\n add $40,%rsp\n pop %r12\n pop %rbx\n ret\n"
	".size by_hand,.-by_hand\n");
void restore(void);
#define RESTORE restore
#elif defined(__aarch64__)
enum { NR_SIGACTION = 134, NR_SETITIMER = 103, NR_EXIT = 94, RESTORER = 0 };

static word syscall4(word nr, word a, word b, word c, word d)
{
	register word x8 __asm__("x8") = nr;
	register word x0 __asm__("x0") = a;
	register word x1 __asm__("x1") = b;
	register word x2 __asm__("x2") = c;
	register word x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

__asm__(".text\n.globl _start\n.type _start,%function\n"
	"_start: mov x29,#0\n mov x30,#0\n mov x0,sp\n bl begin\n brk #1\n"
	".size _start,.-_start\n"
	".globl by_hand\n.type by_hand,%function\n"
	"by_hand: str x30,[sp,#-16]!\n stp x19,x20,[sp,#-48]!\n mov x19,x0\n mov w20,#0\n"
	"1: mov x0,x19\n bl leaf\n add x19,x19,x0\n add w20,w20,#1\n cmp w20,#4\n b.ne 1b\n"
	" mov x0,x19\n ldp x19,x20,[sp],#48\n ldr x30,[sp],#16\n ret\n"
	".size by_hand,.-by_hand\n");
#define RESTORE 0
#elif defined(__riscv)
enum { NR_SIGACTION = 134, NR_SETITIMER = 103, NR_EXIT = 94, RESTORER = 0 };

static word syscall4(word nr, word a, word b, word c, word d)
{
	register word a7 __asm__("a7") = nr;
	register word a0 __asm__("a0") = a;
	register word a1 __asm__("a1") = b;
	register word a2 __asm__("a2") = c;
	register word a3 __asm__("a3") = d;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}

__asm__(".text\n.globl _start\n.type _start,%function\n"
	"_start: .option push\n.option norelax\n la gp,__global_pointer$\n.option pop\n li s0,0\n li ra,0\n mv a0,sp\n call begin\n ebreak\n"
	".size _start,.-_start\n"
	".globl by_hand\n.type by_hand,%function\n"
	"by_hand: addi sp,sp,-48\n sd ra,40(sp)\n sd s1,8(sp)\n sd s2,0(sp)\n mv s1,a0\n li s2,4\n"
	"1: mv a0,s1\n call leaf\n add s1,s1,a0\n addi s2,s2,-1\n bnez s2,1b\n"
	" mv a0,s1\n ld s2,0(sp)\n ld s1,8(sp)\n ld ra,40(sp)\n addi sp,sp,48\n ret\n"
	".size by_hand,.-by_hand\n");
#define RESTORE 0
#else
#error "an architecture that is not known"
#endif

volatile word sink;

NI word leaf(word n)
{
	unsigned int i;

	for (i = 0; i < 2000; i++)
		n = n * 6364136223846793005UL + 1442695040888963407UL;
	return n;
}

NI void g(void)
{
	sink++;
}

NI word f(word n)
{
	unsigned int i;

	g();
	for (i = 0; i < 200000; i++)
		n = n * 6364136223846793005UL + 1442695040888963407UL;
	sink += n;
	g();
	return n + sink;
}

NI word m2(word n)
{
	word r = f(n);

	sink += r;
	return r + 1;
}

NI word m1(word n)
{
	word r = m2(n);

	sink += r;
	return r + 1;
}

NI void dup(word rounds)
{
	while (rounds--)
		sink += m1(rounds);
}

NI word c(word n)
{
	word r = 0;
	int i;

	for (i = 0; i < 10; i++)
		r += leaf(n + (word)i);
	sink += r;
	return r + 1;
}

NI word b(word n)
{
	word r = c(n);

	sink += r;
	return r + 2;
}

NI word a(word n)
{
	word r = b(n);

	sink += r;
	return r + 3;
}

NI void chain(word rounds)
{
	for (rounds *= 10; rounds--;)
		sink += a(rounds);
}

NI word e3(word x, word y, word z, word *at)
{
	*at = x * y + z;
	return *at ^ x;
}

NI word e2(word x, word y, word z)
{
	word at[4] = { x, y, z, 0 }, r;

	r = e3(x, y, z, &at[x & 3]);
	r += e3(y, z, x, &at[y & 3]) * z;
	return r + at[0] + at[3] + x + y;
}

NI word e1(word x, word y, word z)
{
	word r = e2(x, y, z);

	r += e2(r, x, y) * x;
	return r + e2(y, r, z) * y + z;
}

NI void edges(word rounds)
{
	for (rounds *= 10000; rounds--;)
		sink += e1(rounds, sink, 3);
}

NI void hleaf(void)
{
	int i;

	for (i = 0; i < 50; i++)
		sink += leaf(sink);
}

NI void handler(int number)
{
	hleaf();
	sink += (word)number;
}

NI word sigwork(word n)
{
	word r = 0;
	int i;

	for (i = 0; i < 100; i++)
		r += leaf(n + (word)i);
	sink += r;
	return r;
}

NI void by_signal(word rounds)
{
	struct {
		void (*handler)(int);
		word flags;
		void (*restorer)(void);
		word mask;
	} action = { handler, RESTORER, RESTORE, 0 };
	struct {
		word seconds, us;
	} timer[2] = { { 0, 1000 }, { 0, 1000 } };

#if !defined(__x86_64__)
	action.restorer = 0; /* is the mask there */
#endif
	syscall4(NR_SIGACTION, 14, (word)&action, 0, 8);
	syscall4(NR_SETITIMER, 0, (word)timer, 0, 0);
	while (rounds--)
		sink += sigwork(rounds);
}

word by_hand(word n);

NI void written(word rounds)
{
	for (rounds *= 10; rounds--;)
		sink += by_hand(rounds);
}

__attribute__((noreturn, used)) void begin(const word *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	const char *digits = stack[0] > 2 ? argv[2] : "1";
	word rounds = 0;
	char mode;

	for (; *digits; digits++)
		rounds = rounds * 10 + (word)(*digits - '0');
	mode = stack[0] > 1 ? argv[1][0] : 'x';
	if (mode == 'd' || mode == 'x')
		dup(rounds);
	if (mode == 'c' || mode == 'x')
		chain(rounds);
	if (mode == 'e' || mode == 'x')
		edges(rounds);
	if (mode == 'w' || mode == 'x')
		written(rounds);
	if (mode == 's' || mode == 'x')
		by_signal(rounds);
	syscall4(NR_EXIT, 0, 0, 0, 0);
	for (;;)
		;
}
