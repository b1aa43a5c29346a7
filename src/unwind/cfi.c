#include "unwind/cfi.h"

#include <errno.h>
#include <string.h>

#include "base/leb.h"

/* The number itself, sign-extended where its form says so. */
static uint64_t get_form(const struct pipa_cfi *cfi, struct pipa_cursor *c, uint8_t form)
{
	switch (form) {
	case PIPA_EH_PE_ABSPTR: return cfi->is64 ? pipa_get_u64(c) : pipa_get_u32(c);
	case PIPA_EH_PE_SIGNED:
		return cfi->is64 ? pipa_get_u64(c) : (uint64_t)(int32_t)pipa_get_u32(c);
	case PIPA_EH_PE_ULEB: return pipa_get_uleb(c);
	case PIPA_EH_PE_SLEB: return (uint64_t)pipa_get_sleb(c);
	case PIPA_EH_PE_U2: return pipa_get_u16(c);
	case PIPA_EH_PE_S2: return (uint64_t)(int16_t)pipa_get_u16(c);
	case PIPA_EH_PE_U4: return pipa_get_u32(c);
	case PIPA_EH_PE_S4: return (uint64_t)(int32_t)pipa_get_u32(c);
	case PIPA_EH_PE_U8:
	case PIPA_EH_PE_S8: return pipa_get_u64(c);
	default: c->status = -EBADMSG; return 0;
	}
}

uint64_t pipa_cfi_pointer(const struct pipa_cfi *cfi, struct pipa_cursor *c, uint8_t encoding,
			  uint64_t func)
{
	size_t word = cfi->is64 ? 8 : 4;
	uint64_t base = 0, value;

	if (encoding == PIPA_EH_PE_OMIT || encoding & PIPA_EH_PE_INDIRECT) {
		c->status = -EBADMSG;
		return 0;
	}
	switch (encoding & 0x70) {
	case PIPA_EH_PE_PCREL: base = cfi->addr + (uint64_t)(c->pos - cfi->bytes.data); break;
	case PIPA_EH_PE_TEXTREL: base = cfi->text; break;
	case PIPA_EH_PE_DATAREL: base = cfi->data; break;
	case PIPA_EH_PE_FUNCREL: base = func; break;
	case PIPA_EH_PE_ALIGNED:
		pipa_skip(c, -(size_t)(cfi->addr + (uint64_t)(c->pos - cfi->bytes.data)) % word);
		break;
	default: break;
	}
	value = get_form(cfi, c, encoding & 0x0f) + base;
	return cfi->is64 ? value : (uint32_t)value;
}

/* One entry's frame: its bytes after the length, and what its id says. */
struct entry {
	struct pipa_cursor c; /* after the id */
	bool is_cie;
	uint64_t cie_at;
};

/* 1: there is one, 0: the end, negative: it does not fit. *next is set for both of these. */
static int get_entry(const struct pipa_cfi *cfi, uint64_t at, uint64_t *next, struct entry *ret)
{
	struct pipa_cursor c;
	struct pipa_span rest;
	uint64_t length, id, id_at;
	bool wide;

	*next = cfi->bytes.size;
	if (!pipa_span_cut(cfi->bytes, at, cfi->bytes.size - at, &rest) || rest.size < 4)
		return 0;
	c = pipa_span_cursor(rest, cfi->swapped);
	length = pipa_get_u32(&c);
	wide = length == UINT32_MAX;
	if (wide)
		length = pipa_get_u64(&c);
	if (!length && cfi->is_eh) {
		*next = at + 4;
		return 0;
	}
	if (c.status || length > pipa_cursor_left(&c))
		return -EBADMSG;
	c.end = c.pos + length;
	*next = (uint64_t)(c.end - cfi->bytes.data);
	id_at = (uint64_t)(c.pos - cfi->bytes.data);
	id = wide ? pipa_get_u64(&c) : pipa_get_u32(&c);
	if (c.status)
		return -EBADMSG;
	ret->c = c;
	if (cfi->is_eh) {
		ret->is_cie = id == 0;
		ret->cie_at = id_at - id;
		return ret->is_cie || id <= id_at ? 1 : -EBADMSG;
	}
	ret->is_cie = id == (wide ? UINT64_MAX : UINT32_MAX);
	ret->cie_at = id;
	return 1;
}

/* What the letters after 'z' announce. An unknown one ends the list; its size is known. */
static void get_augmentation(const struct pipa_cfi *cfi, struct pipa_cursor *c, const char *letters,
			     struct pipa_cie *cie)
{
	uint8_t encoding;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R': cie->pointer_encoding = pipa_get_u8(c); break;
		case 'P':
			encoding = pipa_get_u8(c);
			pipa_cfi_pointer(cfi, c, encoding & (uint8_t)~PIPA_EH_PE_INDIRECT, 0);
			break;
		case 'L': pipa_skip(c, 1); break;
		case 'S': cie->signal_frame = true; break;
		case 'B': /* signed with the other key, */
		case 'G': /* with tagged memory: nothing that matters here */ break;
		default: return;
		}
	}
}

static int get_sized_augmentation(const struct pipa_cfi *cfi, struct pipa_cursor *c,
				  const char *letters, struct pipa_cie *cie)
{
	uint64_t size = pipa_get_uleb(c);
	struct pipa_cursor inner;
	const uint8_t *bytes;

	bytes = size <= pipa_cursor_left(c) ? pipa_get_bytes(c, (size_t)size) : NULL;
	if (!bytes)
		return -EBADMSG;
	inner = (struct pipa_cursor){ bytes, bytes + size, cfi->swapped, 0 };
	cie->augmented = true;
	get_augmentation(cfi, &inner, letters, cie);
	return inner.status;
}

static int get_cie(const struct pipa_cfi *cfi, struct pipa_cursor *c, struct pipa_cie *cie)
{
	const char *letters;
	int rc = 0;

	cie->version = pipa_get_u8(c);
	letters = pipa_get_str(c);
	if (!letters || (cie->version != 1 && cie->version != 3 && cie->version != 4))
		return -EBADMSG;
	cie->address_size = cfi->is64 ? 8 : 4;
	if (cie->version == 4) {
		cie->address_size = pipa_get_u8(c);
		if (pipa_get_u8(c) || cie->address_size != (cfi->is64 ? 8 : 4)) /* segments */
			return -EBADMSG;
	}
	if (strncmp(letters, "eh", 2) == 0) { /* of compilers before there was 'z' */
		pipa_skip(c, cie->address_size);
		letters += 2;
	}
	cie->code_align = pipa_get_uleb(c);
	cie->data_align = pipa_get_sleb(c);
	cie->ra_column = cie->version == 1 ? pipa_get_u8(c) : pipa_get_uleb(c);
	if (letters[0] == 'z')
		rc = get_sized_augmentation(cfi, c, letters + 1, cie);
	else if (letters[0])
		return -EBADMSG;
	cie->code = (struct pipa_span){ c->pos, pipa_cursor_left(c) };
	return rc ? rc : c->status;
}

static int find_cie(const struct pipa_cfi *cfi, uint64_t at, struct pipa_cie *ret)
{
	struct entry entry;
	uint64_t next;
	int rc;

	if (get_entry(cfi, at, &next, &entry) != 1 || !entry.is_cie)
		return -EBADMSG;
	*ret = (struct pipa_cie){ .at = at };
	rc = get_cie(cfi, &entry.c, ret);
	if (rc)
		*ret = (struct pipa_cie){ 0 };
	return rc;
}

static int get_fde(const struct pipa_cfi *cfi, struct pipa_cursor *c, struct pipa_fde *fde)
{
	uint8_t encoding = fde->cie.pointer_encoding;
	uint64_t size, extra;

	fde->start = pipa_cfi_pointer(cfi, c, encoding, 0);
	size = get_form(cfi, c, encoding & 0x0f);
	if (!cfi->is64)
		size = (uint32_t)size;
	fde->end = fde->start + size;
	if (fde->cie.augmented) {
		extra = pipa_get_uleb(c);
		if (extra > pipa_cursor_left(c))
			return -EBADMSG;
		pipa_skip(c, (size_t)extra);
	}
	fde->code = (struct pipa_span){ c->pos, pipa_cursor_left(c) };
	return c->status || fde->end <= fde->start ? -EBADMSG : 0;
}

enum pipa_cfi_kind pipa_cfi_next(const struct pipa_cfi *cfi, uint64_t at, uint64_t *next,
				 struct pipa_fde *ret)
{
	struct entry entry;
	int rc = get_entry(cfi, at, next, &entry);

	if (rc <= 0)
		return rc ? PIPA_CFI_BAD : PIPA_CFI_END;
	ret->at = at;
	if (entry.is_cie)
		return find_cie(cfi, at, &ret->cie) ? PIPA_CFI_BAD : PIPA_CFI_CIE;
	if (!ret->cie.code.data || ret->cie.at != entry.cie_at) {
		if (find_cie(cfi, entry.cie_at, &ret->cie))
			return PIPA_CFI_BAD;
	}
	return get_fde(cfi, &entry.c, ret) ? PIPA_CFI_BAD : PIPA_CFI_FDE;
}

enum pipa_cfi_kind pipa_cfi_at(const struct pipa_cfi *cfi, uint64_t at, uint64_t *next,
			       struct pipa_fde *ret)
{
	ret->cie = (struct pipa_cie){ 0 };
	return pipa_cfi_next(cfi, at, next, ret);
}
