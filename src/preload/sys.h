/*
 * System calls without libc: the library works before libc is initialized, leaves errno alone, and
 * loads beside any libc. Results are as the kernel returns them: a negative errno is a failure.
 */
#ifndef PIPA_PRELOAD_SYS_H
#define PIPA_PRELOAD_SYS_H

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

static inline long pipa_sys6(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else /* riscv64 */
	register long a7 __asm__("a7") = n;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
#endif
}

/* Results above -PIPA_SYS_ERRORS and below 0 are errors. */
enum { PIPA_SYS_ERRORS = 4096 };

#define PIPA_SYS(name, a, b, c, d, e, f)                                                           \
	pipa_sys6(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define PIPA_SYS0(name) PIPA_SYS(name, 0, 0, 0, 0, 0, 0)
#define PIPA_SYS1(name, a) PIPA_SYS(name, a, 0, 0, 0, 0, 0)
#define PIPA_SYS2(name, a, b) PIPA_SYS(name, a, b, 0, 0, 0, 0)
#define PIPA_SYS3(name, a, b, c) PIPA_SYS(name, a, b, c, 0, 0, 0)
#define PIPA_SYS4(name, a, b, c, d) PIPA_SYS(name, a, b, c, d, 0, 0)

/* Zeroed private memory; NULL if there is none. */
void *pipa_sys_memory(size_t size);

/* Open a file for reading; a descriptor or a negative errno. */
int pipa_sys_open(const char *path);
long pipa_sys_read(int fd, void *to, size_t size);
void pipa_sys_close(int fd);

/* Read a file from its start, until it ends or the memory is full. The size, or a negative errno. */
long pipa_sys_read_file(const char *path, void *to, size_t size);

uint32_t pipa_sys_tid(void);
uint32_t pipa_sys_pid(void);

/* Let other threads run, for 0.1 ms. */
void pipa_sys_pause(void);

/* CLOCK_* in nanoseconds, by a system call. */
uint64_t pipa_sys_clock(int clock);

#endif
