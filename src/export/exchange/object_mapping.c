#include "export/exchange/object_mapping.h"

#include <stdlib.h>
#include <string.h>

#include "model/profile.h"

bool pipa_object_is_mapped(const struct pipa_profile *p, const struct pipa_location *location)
{
	return !location->mapping && location->object < p->objects.n &&
	       p->objects.items[location->object].kind != PIPA_OBJECT_UNKNOWN;
}

static void measure_location(const struct pipa_profile *p, const struct pipa_location *location,
			     struct pipa_object_extent *e)
{
	uint64_t bias = location->address - location->offset;
	uint32_t i;

	/* the address of a caller is the return address, its offset that of the call's last byte */
	if ((bias & 4095) == 1)
		bias--;
	if (!e->used)
		*e = (struct pipa_object_extent){ .used = true,
						  .bias = bias,
						  .low = location->offset,
						  .high = location->offset };
	if (location->offset < e->low)
		e->low = location->offset;
	if (location->offset > e->high)
		e->high = location->offset;
	if (!location->n_lines || location->unresolved)
		e->unresolved = true;
	for (i = 0; i < location->n_lines; i++) {
		const struct pipa_line *line = &p->lines.items[location->lines + i];

		if (!line->line)
			e->no_lines = true;
		if (!p->functions.items[line->function].file)
			e->no_files = true;
	}
	if (location->n_lines > 1)
		e->inlined = true;
}

struct pipa_object_extent *pipa_object_extents(const struct pipa_profile *p)
{
	struct pipa_object_extent *extents = calloc(p->objects.n + 1, sizeof(*extents));
	size_t i;

	for (i = 0; extents && i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];

		if (!location->mapping && location->object < p->objects.n)
			measure_location(p, location, &extents[location->object]);
	}
	return extents;
}

bool pipa_object_mapping(const struct pipa_profile *p, const struct pipa_object_extent *extents,
			 uint32_t object, struct pipa_mapping *ret)
{
	const struct pipa_object_extent *e = &extents[object];
	const uint64_t page = 4096;

	if (!e->used || p->objects.items[object].kind == PIPA_OBJECT_UNKNOWN)
		return false;
	*ret = (struct pipa_mapping){ .object = object, .file_offset = e->low & ~(page - 1) };
	ret->start = e->bias + ret->file_offset;
	ret->limit = e->bias + (e->high & ~(page - 1)) + page;
	if (ret->limit < ret->start) /* up to the end of the address space */
		ret->limit = UINT64_MAX;
	if (!e->unresolved)
		ret->flags = PIPA_MAPPING_FUNCTIONS | (e->no_files ? 0 : PIPA_MAPPING_FILES) |
			     (e->no_lines ? 0 : PIPA_MAPPING_LINES) |
			     (e->inlined ? PIPA_MAPPING_INLINED : 0);
	return true;
}

uint32_t pipa_main_object(const struct pipa_profile *p)
{
	uint32_t i, first = PIPA_NONE;

	for (i = 0; i < p->objects.n; i++) {
		const struct pipa_object *object = &p->objects.items[i];

		if (object->kind != PIPA_OBJECT_FILE)
			continue;
		if (p->processes.n > 1 && object->path == p->processes.items[1].exe)
			return i;
		if (first == PIPA_NONE && !strstr(pipa_profile_string(p, object->path), ".so"))
			first = i;
	}
	return first;
}
