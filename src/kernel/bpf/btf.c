#include "kernel/bpf/btf.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0xeb9f,
	MAX_CHAIN = 32,	    /* typedefs and qualifiers before a type */
	MAX_MEMBERS = 4096, /* looked at for one path; structures inside each other end there too */
	MAX_NAME = 64,
};

static uint32_t word(const struct pipa_btf *btf, size_t offset)
{
	uint32_t value;

	memcpy(&value, btf->types + offset, sizeof(value));
	return value;
}

static const char *text(const struct pipa_btf *btf, uint32_t name)
{
	return name < btf->strings_len ? btf->strings + name : "";
}

/* ---- a type -------------------------------------------------------------------------------------- */

struct type {
	uint32_t name;
	unsigned int kind;
	uint32_t count;	    /* of members and the like */
	bool flag;	    /* bit fields are among the members */
	uint32_t size_type; /* its size, or the type it refers to */
	size_t more;	    /* offset of what the kind adds */
};

static bool get(const struct pipa_btf *btf, uint32_t id, struct type *ret)
{
	uint32_t info;

	if (!id || id >= btf->n)
		return false;
	info = word(btf, btf->offsets[id] + 4);
	*ret = (struct type){ .name = word(btf, btf->offsets[id]),
			      .kind = BTF_INFO_KIND(info),
			      .count = BTF_INFO_VLEN(info),
			      .flag = BTF_INFO_KFLAG(info),
			      .size_type = word(btf, btf->offsets[id] + 8),
			      .more = btf->offsets[id] + sizeof(struct btf_type) };
	return true;
}

/* Bytes after the common part; SIZE_MAX for a kind that we do not know. */
static size_t extra_bytes(unsigned int kind, uint32_t count)
{
	switch (kind) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case 18: /* TYPE_TAG */ return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17: /* DECL_TAG */ return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO: return count * (size_t)8;
	case BTF_KIND_DATASEC:
	case 19: /* ENUM64 */ return count * (size_t)12;
	default: return SIZE_MAX;
	}
}

/* Walk the list: count the types or, with room for them, note where they are. */
static int walk(struct pipa_btf *btf, uint32_t *offsets)
{
	size_t at = 0, extra;
	uint32_t n = 1;

	while (at < btf->types_len) {
		uint32_t info;

		if (btf->types_len - at < sizeof(struct btf_type))
			return -EBADMSG;
		info = word(btf, at + 4);
		extra = extra_bytes(BTF_INFO_KIND(info), BTF_INFO_VLEN(info));
		if (extra > btf->types_len - at - sizeof(struct btf_type))
			return -EBADMSG;
		if (offsets)
			offsets[n] = (uint32_t)at;
		n++;
		at += sizeof(struct btf_type) + extra;
	}
	btf->n = n;
	return 0;
}

/* Is [offset, offset + len) of what follows the header inside? */
static bool is_inside(const struct btf_header *header, size_t len, uint32_t offset, uint32_t size)
{
	return (uint64_t)header->hdr_len + offset + size <= len;
}

int pipa_btf_init(struct pipa_btf *btf, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	struct btf_header header;
	int rc;

	*btf = (struct pipa_btf){ 0 };
	if (len < sizeof(header) || len > INT32_MAX)
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != MAGIC || header.hdr_len < sizeof(header) ||
	    !is_inside(&header, len, header.type_off, header.type_len) ||
	    !is_inside(&header, len, header.str_off, header.str_len) || !header.str_len)
		return -EBADMSG;
	btf->types = at + header.hdr_len + header.type_off;
	btf->types_len = header.type_len;
	btf->strings = (const char *)at + header.hdr_len + header.str_off;
	btf->strings_len = header.str_len;
	if (btf->strings[btf->strings_len - 1])
		return -EBADMSG;
	rc = walk(btf, NULL);
	if (!rc) {
		btf->offsets = calloc(btf->n, sizeof(*btf->offsets));
		rc = btf->offsets ? walk(btf, btf->offsets) : -ENOMEM;
	}
	if (rc < 0)
		pipa_btf_done(btf); /* or who asks for a name would look into what is not there */
	return rc;
}

void pipa_btf_done(struct pipa_btf *btf)
{
	free(btf->offsets);
	*btf = (struct pipa_btf){ 0 };
}

static uint32_t find_named(const struct pipa_btf *btf, unsigned int kind, const char *name)
{
	struct type type;
	uint32_t id;

	for (id = 1; get(btf, id, &type); id++)
		if (type.kind == kind && strcmp(text(btf, type.name), name) == 0)
			return id;
	return 0;
}

uint32_t pipa_btf_struct(const struct pipa_btf *btf, const char *name)
{
	return find_named(btf, BTF_KIND_STRUCT, name);
}

uint32_t pipa_btf_function(const struct pipa_btf *btf, const char *name)
{
	return find_named(btf, BTF_KIND_FUNC, name);
}

/* ---- members ------------------------------------------------------------------------------------- */

/* The type after typedefs and qualifiers; 0 if there is none. */
static uint32_t strip(const struct pipa_btf *btf, uint32_t id, struct type *ret)
{
	int i;

	for (i = 0; i < MAX_CHAIN && get(btf, id, ret); i++) {
		switch (ret->kind) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case 18: /* TYPE_TAG */ id = ret->size_type; continue;
		default: return id;
		}
	}
	return 0;
}

const char *pipa_btf_name(const struct pipa_btf *btf, uint32_t id)
{
	struct type type;

	return get(btf, id, &type) ? text(btf, type.name) : "";
}

uint32_t pipa_btf_pointee(const struct pipa_btf *btf, uint32_t id)
{
	struct type type;

	if (!strip(btf, id, &type) || type.kind != BTF_KIND_PTR)
		return 0;
	return strip(btf, type.size_type, &type);
}

/* Bytes of one of it; 0 when it has no size that we know. */
static uint32_t size_of(const struct pipa_btf *btf, uint32_t id)
{
	struct type type;

	if (!strip(btf, id, &type))
		return 0;
	switch (type.kind) {
	case BTF_KIND_PTR: return 8;
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_FLOAT:
	case 19: /* ENUM64 */ return type.size_type;
	default: return 0;
	}
}

static bool is_composite(const struct type *type)
{
	return type->kind == BTF_KIND_STRUCT || type->kind == BTF_KIND_UNION;
}

/* Move place to its member of that name; patience ends a search in types that hold themselves. */
static int enter(const struct pipa_btf *btf, struct pipa_btf_place *place, const char *name,
		 unsigned int *patience)
{
	struct type type;
	uint32_t i;

	if (!strip(btf, place->type, &type) || !is_composite(&type))
		return -ENOENT;
	for (i = 0; i < type.count && *patience; i++) {
		size_t at = type.more + i * sizeof(struct btf_member);
		uint32_t bits = word(btf, at + 8);
		const char *own = text(btf, word(btf, at));
		struct pipa_btf_place inner = { .type = word(btf, at + 4) };

		--*patience;
		if (type.flag && BTF_MEMBER_BITFIELD_SIZE(bits))
			continue;
		inner.offset = place->offset + (type.flag ? BTF_MEMBER_BIT_OFFSET(bits) : bits) / 8;
		if (*own ? strcmp(own, name) != 0 : enter(btf, &inner, name, patience) < 0)
			continue;
		*place = inner;
		return 0;
	}
	return -ENOENT;
}

/* Move place to an element of the array it is. */
static int take_element(const struct pipa_btf *btf, struct pipa_btf_place *place, uint32_t index)
{
	struct type type;
	uint32_t size;

	if (!strip(btf, place->type, &type) || type.kind != BTF_KIND_ARRAY)
		return -ENOENT;
	place->type = word(btf, type.more);
	size = size_of(btf, place->type);
	if (!size || index >= word(btf, type.more + 8))
		return -ENOENT;
	return __builtin_mul_overflow(size, index, &size) ||
			       __builtin_add_overflow(place->offset, size, &place->offset) ?
		       -ENOENT :
		       0;
}

int pipa_btf_find(const struct pipa_btf *btf, uint32_t type, const char *path,
		  struct pipa_btf_place *ret)
{
	struct pipa_btf_place place = { .type = type };
	unsigned int patience = MAX_MEMBERS;
	char name[MAX_NAME];
	int rc = 0;

	while (!rc && *path) {
		size_t len = strcspn(path, ".[");

		if (len >= sizeof(name))
			return -ENOENT;
		memcpy(name, path, len);
		name[len] = '\0';
		rc = enter(btf, &place, name, &patience);
		path += len;
		if (!rc && *path == '[') {
			char *end;

			rc = take_element(btf, &place, (uint32_t)strtoul(path + 1, &end, 10));
			path = *end == ']' ? end + 1 : end;
		}
		path += *path == '.';
	}
	if (rc < 0)
		return rc;
	place.size = size_of(btf, place.type);
	*ret = place;
	return 0;
}
