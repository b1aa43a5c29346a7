/* The architecture that the library is compiled for. */
#ifndef PIPA_PRELOAD_MACHINE_H
#define PIPA_PRELOAD_MACHINE_H

#include <elf.h>

#include "unwind/arch.h"

#if defined(__x86_64__)
#define PIPA_HEAP_ARCH pipa_unwind_x86_64
#define PIPA_HEAP_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define PIPA_HEAP_ARCH pipa_unwind_aarch64
#define PIPA_HEAP_MACHINE EM_AARCH64
#else
#define PIPA_HEAP_ARCH pipa_unwind_riscv64
#define PIPA_HEAP_MACHINE EM_RISCV
#endif

#endif
