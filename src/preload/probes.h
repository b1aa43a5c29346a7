/*
 * USDT probes with OpenTelemetry's names: otel_memory:alloc(pointer, size, weighted bytes) and
 * otel_memory:free(pointer). They fire for samples. The notes have the layout of SystemTap's
 * sys/sdt.h, version 3.
 */
#ifndef PIPA_PRELOAD_PROBES_H
#define PIPA_PRELOAD_PROBES_H

#include <stdint.h>

/* clang-format off */
#define PIPA_PROBE_NOTE(name, arguments)                                                           \
	"990:	nop\n"                                                                             \
	"	.pushsection .note.stapsdt,\"\",\"note\"\n"                                        \
	"	.balign 4\n"                                                                       \
	"	.4byte 992f-991f, 994f-993f, 3\n"                                                  \
	"991:	.asciz \"stapsdt\"\n"                                                              \
	"992:	.balign 4\n"                                                                       \
	"993:	.8byte 990b\n"                                                                     \
	"	.8byte _.stapsdt.base\n"                                                           \
	"	.8byte 0\n"                                                                        \
	"	.asciz \"otel_memory\"\n"                                                          \
	"	.asciz \"" name "\"\n"                                                             \
	"	.asciz \"" arguments "\"\n"                                                        \
	"994:	.balign 4\n"                                                                       \
	"	.popsection\n"                                                                     \
	"	.ifndef _.stapsdt.base\n"                                                          \
	"	.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"             \
	"	.weak _.stapsdt.base\n"                                                            \
	"	.hidden _.stapsdt.base\n"                                                          \
	"_.stapsdt.base: .space 1\n"                                                               \
	"	.size _.stapsdt.base, 1\n"                                                         \
	"	.popsection\n"                                                                     \
	"	.endif\n"
/* clang-format on */

static inline void pipa_heap_probe_alloc(const void *block, uint64_t size, uint64_t weighted)
{
	__asm__ volatile(PIPA_PROBE_NOTE("alloc", "8@%0 8@%1 8@%2")
			 :
			 : "r"(block), "r"(size), "r"(weighted));
}

static inline void pipa_heap_probe_free(const void *block)
{
	__asm__ volatile(PIPA_PROBE_NOTE("free", "8@%0") : : "r"(block));
}

#endif
