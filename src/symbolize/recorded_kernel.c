#include "symbolize/recorded_kernel.h"

#include "base/str.h"

uint32_t pipa_recorded_kernel_object(const struct pipa_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->objects.n; i++)
		if (p->objects.items[i].kind == PIPA_OBJECT_KERNEL)
			return i;
	return PIPA_NONE;
}

void pipa_recorded_kernel_find(const struct pipa_recording *recording,
			       const struct pipa_profile *profile, struct pipa_recorded_kernel *ret)
{
	uint32_t kernel = profile ? pipa_recorded_kernel_object(profile) : PIPA_NONE;
	size_t i;

	*ret = (struct pipa_recorded_kernel){ 0 };
	if (kernel != PIPA_NONE) {
		const struct pipa_object *object = &profile->objects.items[kernel];

		ret->id = pipa_recording_build_id(
			recording, pipa_profile_string(profile, object->path), object->build_id);
	}
	if (!recording)
		return;
	ret->release = pipa_recording_fact(recording, "os release");
	for (i = 0; !ret->id.len && i < recording->files.n; i++)
		if (pipa_str_starts(recording->files.items[i].path, "[kernel.kallsyms]"))
			ret->id = recording->files.items[i].build_id;
}

struct pipa_wanted_kernel pipa_recorded_kernel_wanted(const struct pipa_recorded_kernel *kernel)
{
	return (struct pipa_wanted_kernel){ kernel->id.bytes, kernel->id.len, kernel->release };
}
