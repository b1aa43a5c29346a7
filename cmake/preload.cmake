# libpipa-heap.so, which is loaded into measured processes, and the parts of pipa that have to do with it.
#
# The library is freestanding: no libc is linked, and compiled as itself, whatever the preset says: optimised, because
# its hooks must jump to the functions below them, and without sanitizers and coverage counters.
set(PIPA_PRELOAD_ARCH ${CMAKE_SYSTEM_PROCESSOR})
file(GLOB preload_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} preload/*.c)
set(preload_unwind unwind/cfi.c unwind/index.c unwind/insn_${PIPA_PRELOAD_ARCH}.c
    unwind/prologue.c unwind/regs_${PIPA_PRELOAD_ARCH}.c unwind/rows.c)
add_library(pipa_heap_so MODULE ${preload_sources} ${preload_unwind})
set_target_properties(pipa_heap_so PROPERTIES
  OUTPUT_NAME pipa-heap
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_compile_definitions(pipa_heap_so PRIVATE _GNU_SOURCE PIPA_ROWS_REMEMBERED=4 PIPA_PROLOGUE_STORAGE=static)
target_compile_options(pipa_heap_so PRIVATE
  -O2 -g0 -fPIC -ffreestanding -funsigned-char -ffunction-sections -fdata-sections -fno-stack-protector
  -fvisibility=hidden -fno-lto -ftls-model=initial-exec -fasynchronous-unwind-tables
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wvla -Wundef
  -iquote ${CMAKE_CURRENT_SOURCE_DIR})
if(PIPA_WERROR)
  target_compile_options(pipa_heap_so PRIVATE -Werror)
endif()
if(PIPA_PRELOAD_ARCH STREQUAL "aarch64") # no helper functions that ask libc for the processor
  target_compile_options(pipa_heap_so PRIVATE -mno-outline-atomics)
endif()
# the slow paths know their caller by the frame pointer, the hooks keep none, and each is in a cache line of its own
set_source_files_properties(preload/hooks.c preload/hooks_cxx.c PROPERTIES
  COMPILE_OPTIONS "-fomit-frame-pointer;-falign-functions=64")
set_source_files_properties(preload/hooks_map.c preload/hooks_slow.c PROPERTIES COMPILE_OPTIONS -fno-omit-frame-pointer)
target_link_options(pipa_heap_so PRIVATE
  -nostdlib -Wl,-z,defs -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -Wl,--hash-style=gnu
  -Wl,-soname,libpipa-heap.so -Wl,-s)
target_link_libraries(pipa_heap_so PRIVATE -lgcc)

# The library as bytes in the program (preload/library.h), and its tables for their tests.
set(library ${PROJECT_BINARY_DIR}/preload_library.c)
file(CONFIGURE OUTPUT ${library} @ONLY CONTENT [[
#include "preload/library.h"

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	".globl pipa_heap_library_bytes, pipa_heap_library_end\n"
	".hidden pipa_heap_library_bytes, pipa_heap_library_end\n"
	"pipa_heap_library_bytes:\n"
	".incbin \"@PROJECT_BINARY_DIR@/libpipa-heap.so\"\n"
	"pipa_heap_library_end:\n"
	".popsection\n");

/* Hidden: through a global offset table two local labels of a section had one address on aarch64. */
extern const unsigned char pipa_heap_library_bytes[] __attribute__((visibility("hidden")));
extern const unsigned char pipa_heap_library_end[] __attribute__((visibility("hidden")));

struct pipa_span pipa_heap_library(void)
{
	return (struct pipa_span){ pipa_heap_library_bytes,
				   (size_t)(pipa_heap_library_end - pipa_heap_library_bytes) };
}
]])
set_source_files_properties(${library} PROPERTIES OBJECT_DEPENDS ${PROJECT_BINARY_DIR}/libpipa-heap.so)
add_library(pipa_preload STATIC preload/blocks.c preload/config.c preload/sampling.c preload/stacks.c ${library})
add_dependencies(pipa_preload pipa_heap_so)
target_link_libraries(pipa_preload PUBLIC pipa_options pipa_base pipa_model)
