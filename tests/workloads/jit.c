/*
 * A runtime that makes code: two functions one after the other at the same address.
 *
 *	jit dump FIRST_MS SECOND_MS	reports them in a jitdump in the current directory, which is
 *					mapped as perf wants it
 *	jit calls MS NAME		makes one that calls a function of this program, without a frame
 *					record, and reports it in a jitdump of that name
 *	jit map FIRST_MS FILE		makes only the first, reports it in a perf map and waits
 *
 * Each counts down a register in a loop for that much time of the processor.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
/* 1: dec %rdi; jnz 1b; ret */
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
/* sub $0x28,%rsp; call *%rdi; add $0x28,%rsp; ret */
static const uint8_t caller[] = {
	0x48, 0x83, 0xec, 0x28, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x28, 0xc3
};
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
/* 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
/* sub sp, sp, #32; str x30, [sp, #8]; blr x0; ldr x30, [sp, #8]; add sp, sp, #32; ret */
static const uint32_t caller[] = { 0xd10083ff, 0xf90007fe, 0xd63f0000,
				   0xf94007fe, 0x910083ff, 0xd65f03c0 };
#elif defined(__riscv)
enum { MACHINE = EM_RISCV };
/* 1: addi a0, a0, -1; bnez a0, 1b; ret */
static const uint32_t code[] = { 0xfff50513, 0xfe051ee3, 0x00008067 };
/* addi sp, sp, -32; sd ra, 8(sp); jalr a0; ld ra, 8(sp); addi sp, sp, 32; ret */
static const uint32_t caller[] = { 0xfe010113, 0x00113423, 0x000500e7,
				   0x00813083, 0x02010113, 0x00008067 };
#endif

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t type, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put(int fd, const void *bytes, size_t size)
{
	if (write(fd, bytes, size) != (ssize_t)size)
		work_fail("write");
}

static int start_dump(void)
{
	struct header header = { .magic = 0x4a695444,
				 .version = 1,
				 .size = sizeof(header),
				 .machine = MACHINE,
				 .pid = (uint32_t)getpid(),
				 .time = now_ns(CLOCK_MONOTONIC) };
	char name[40];
	int fd;

	snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	fd = open(name, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
	if (fd < 0)
		work_fail(name);
	put(fd, &header, sizeof(header));
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		work_fail("map the dump");
	return fd;
}

static void tell(int fd, const void *addr, size_t size, uint64_t index, const char *name)
{
	struct load load = { .type = 0,
			     .size = (uint32_t)(sizeof(load) + strlen(name) + 1 + size),
			     .time = now_ns(CLOCK_MONOTONIC),
			     .pid = (uint32_t)getpid(),
			     .tid = (uint32_t)getpid(),
			     .vma = (uintptr_t)addr,
			     .addr = (uintptr_t)addr,
			     .code_size = size,
			     .index = index };

	put(fd, &load, sizeof(load));
	put(fd, name, strlen(name) + 1);
	put(fd, addr, size);
}

static void run(void *addr, uint64_t ms)
{
	uint64_t end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;
	void (*made)(uint64_t);

	memcpy(&made, &addr, sizeof(made));
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		made(2000000);
}

static void make(void *room, const void *bytes, size_t size)
{
	memcpy(room, bytes, size);
	__builtin___clear_cache(room, (char *)room + size);
}

static void run_with_dump(void *room, char **ms)
{
	static const char *const names[] = { "jit_first", "jit_second" };
	int fd = start_dump(), i;

	for (i = 0; i < 2; i++) {
		make(room, code, sizeof(code));
		tell(fd, room, sizeof(code), (uint64_t)i, names[i]);
		run(room, work_number(ms[i]));
	}
}

/* Work of the compiled program; not a tail call of it, so that its frame stays. */
static __attribute__((noinline)) void called(void)
{
	volatile unsigned int i;

	for (i = 0; i < 1000000; i++)
		;
}

static void run_with_calls(void *room, char **args)
{
	uint64_t end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + work_number(args[0]) * 1000000;
	void (*made)(void (*)(void));

	make(room, caller, sizeof(caller));
	tell(start_dump(), room, sizeof(caller), 0, args[1]);
	memcpy(&made, &room, sizeof(made));
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		made(called);
}

static void run_with_map(void *room, char **args)
{
	FILE *map = fopen(args[1], "we");

	if (!map)
		work_fail(args[1]);
	fprintf(map, "%lx %zx jit_mapped\n", (unsigned long)(uintptr_t)room, sizeof(code));
	fclose(map);
	make(room, code, sizeof(code));
	run(room, work_number(args[0]));
	pause();
}

int main(int argc, char **argv)
{
	void *room = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || argc != 4)
		work_fail("usage: jit dump|calls|map ...");
	if (strcmp(argv[1], "dump") == 0)
		run_with_dump(room, argv + 2);
	else if (strcmp(argv[1], "calls") == 0)
		run_with_calls(room, argv + 2);
	else
		run_with_map(room, argv + 2);
	return 0;
}
