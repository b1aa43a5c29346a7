#include "preload/symbols.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "preload/sys.h"

enum { VERSION_HIDDEN = 0x8000, AUXV = 64 };

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
extern __typeof__(_r_debug) _r_debug
	__attribute__((weak, visibility("default"))); /* glibc has it */

struct object {
	uint64_t bias;
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Half) * versions;
	const uint32_t *gnu_hash;
	const uint32_t *hash;
};

static uint64_t auxiliary(uint64_t type)
{
	ElfW(auxv_t) values[AUXV];
	long got = pipa_sys_read_file("/proc/self/auxv", values, sizeof(values));
	size_t i, n = got > 0 ? (size_t)got / sizeof(values[0]) : 0;

	for (i = 0; i < n && values[i].a_type != AT_NULL; i++)
		if (values[i].a_type == type)
			return values[i].a_un.a_val;
	return 0;
}

/* The list of loaded objects, by the pointer to it that the loader leaves for debuggers. */
static const struct link_map *first_object(void)
{
	const ElfW(Phdr) * segments;
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t n, i, bias = 0;

	if (&_r_debug && _r_debug.r_map)
		return _r_debug.r_map;
	segments = (const ElfW(Phdr) *)auxiliary(AT_PHDR);
	n = segments ? auxiliary(AT_PHNUM) : 0;
	for (i = 0; i < n; i++)
		if (segments[i].p_type == PT_PHDR)
			bias = (uint64_t)segments - segments[i].p_vaddr;
	for (i = 0; i < n; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(bias + segments[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG && dynamic->d_un.d_ptr)
			return ((const struct r_debug *)dynamic->d_un.d_ptr)->r_map;
	return NULL;
}

/* An address in a dynamic section: some loaders relocate them, some do not. */
static const void *pointer(uint64_t bias, uint64_t value)
{
	return (const void *)(value < bias ? value + bias : value);
}

static bool open_object(struct object *ret, uint64_t bias, const ElfW(Dyn) * dynamic)
{
	*ret = (struct object){ .bias = bias };
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		const void *at = pointer(bias, dynamic->d_un.d_ptr);

		switch (dynamic->d_tag) {
		case DT_SYMTAB: ret->symbols = at; break;
		case DT_STRTAB: ret->names = at; break;
		case DT_VERSYM: ret->versions = at; break;
		case DT_GNU_HASH: ret->gnu_hash = at; break;
		case DT_HASH: ret->hash = at; break;
		default: break;
		}
	}
	return ret->symbols && ret->names && (ret->gnu_hash || ret->hash);
}

/* Is the symbol a definition of that name, and not an old version kept for old programs? */
static bool is_definition(const struct object *object, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &object->symbols[i];
	unsigned int type = symbol->st_info & 0xf;

	return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_NOTYPE) &&
	       symbol->st_info >> 4 != STB_LOCAL &&
	       strcmp(object->names + symbol->st_name, name) == 0 &&
	       !(object->versions && object->versions[i] & VERSION_HIDDEN);
}

static void *address_of(const struct object *object, uint32_t i)
{
	return (void *)(object->bias + object->symbols[i].st_value);
}

static void *find_by_gnu_hash(const struct object *object, const char *name)
{
	const uint32_t *table = object->gnu_hash, *buckets, *chain;
	uint32_t n = table[0], first = table[1], bloom_words = table[2], hash = 5381, i;
	const char *at;

	for (at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	if (!n)
		return NULL;
	buckets = table + 4 + (size_t)bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	chain = buckets + n;
	i = buckets[hash % n];
	if (i < first)
		return NULL;
	for (;; i++) {
		if ((chain[i - first] | 1) == (hash | 1) && is_definition(object, i, name))
			return address_of(object, i);
		if (chain[i - first] & 1)
			return NULL;
	}
}

static void *find_by_hash(const struct object *object, const char *name)
{
	const uint32_t *table = object->hash;
	uint32_t n = table[0], limit = table[1], hash = 0, i;
	const char *at;

	for (at = name; *at; at++) {
		hash = (hash << 4) + (unsigned char)*at;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	if (!n)
		return NULL;
	for (i = table[2 + hash % n]; i && i < limit; i = table[2 + n + i])
		if (is_definition(object, i, name))
			return address_of(object, i);
	return NULL;
}

static void *find_in(uint64_t bias, const ElfW(Dyn) * dynamic, const char *name)
{
	struct object object;

	if (!open_object(&object, bias, dynamic))
		return NULL;
	return object.gnu_hash ? find_by_gnu_hash(&object, name) : find_by_hash(&object, name);
}

void *pipa_heap_symbol_next(const char *name, const void **ret_object)
{
	const struct link_map *map = first_object();
	void *found;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	for (map = map ? map->l_next : NULL; map; map = map->l_next) {
		found = find_in(map->l_addr, map->l_ld, name);
		if (!found)
			continue;
		if (ret_object)
			*ret_object = map;
		return found;
	}
	return NULL;
}

void pipa_heap_symbol_extent(const void *object, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t base = ((const struct link_map *)object)->l_addr;
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) * segments;
	unsigned int i;

	*ret_start = *ret_end = base;
	if (!base || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
		return;
	segments = (const ElfW(Phdr) *)(base + elf->e_phoff);
	for (i = 0; i < elf->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD)
			*ret_end = base + segments[i].p_vaddr + segments[i].p_memsz;
}

bool pipa_heap_symbol_in_program(const char *name)
{
	const struct link_map *map = first_object();

	return map && map->l_ld != _DYNAMIC && find_in(map->l_addr, map->l_ld, name);
}

void pipa_heap_symbol_own_path(char *ret, size_t size)
{
	const struct link_map *map = first_object();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	ret[0] = 0;
	if (map && strlen(map->l_name) < size)
		memcpy(ret, map->l_name, strlen(map->l_name) + 1);
}

void *pipa_heap_symbol_vdso(const char *name)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)auxiliary(AT_SYSINFO_EHDR);
	const ElfW(Phdr) * segments;
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t bias = 0;
	bool loaded = false;
	unsigned int i;

	if (!elf)
		return NULL;
	segments = (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff);
	for (i = 0; i < elf->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD && !loaded) {
			bias = (uint64_t)elf + segments[i].p_offset - segments[i].p_vaddr;
			loaded = true;
		}
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)((const char *)elf + segments[i].p_offset);
	}
	return find_in(bias, dynamic, name);
}
