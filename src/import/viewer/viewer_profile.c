#include "import/viewer/viewer_profile.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

uint32_t pipa_viewer_string(struct pipa_profile *p, const struct pipa_json_text *text,
			    struct pipa_buf *scratch)
{
	if (!text->len)
		return 0;
	if (!text->escaped && !memchr(text->text, '\0', text->len))
		return pipa_strings_add(&p->strings, text->text, text->len);
	pipa_buf_reset(scratch);
	pipa_json_text_put(text, scratch);
	return scratch->status ? PIPA_NO_STRING :
				 pipa_strings_add(&p->strings, pipa_buf_str(scratch),
						  strlen(pipa_buf_str(scratch)));
}

uint32_t pipa_viewer_location(struct pipa_profile *p, const struct pipa_viewer_frame *frame,
			      struct pipa_buf *scratch)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };
	struct pipa_function function = { .start_line = frame->line < UINT32_MAX ?
								(uint32_t)frame->line :
								0 };
	struct pipa_location location = { .mode = frame->is_kernel ? PIPA_MODE_KERNEL :
						  frame->dso.len   ? PIPA_MODE_USER :
								     PIPA_MODE_UNKNOWN };
	struct pipa_line line = { 0 };

	function.name = frame->name.len ? pipa_viewer_string(p, &frame->name, scratch) :
					  pipa_profile_text(p, "(anonymous)");
	function.file = pipa_viewer_string(p, &frame->file, scratch);
	object.path = pipa_viewer_string(p, &frame->dso, scratch);
	if (function.name == PIPA_NO_STRING || function.file == PIPA_NO_STRING ||
	    object.path == PIPA_NO_STRING)
		return PIPA_NONE;
	if (object.path && function.file == object.path)
		function.file = 0; /* pipa writes the object if the source file is unknown */
	if (object.path)
		object.kind = PIPA_OBJECT_FILE;
	function.object = location.object = pipa_profile_object(p, &object);
	if (location.object == PIPA_NONE)
		return PIPA_NONE;
	line.function = pipa_profile_function_exact(p, &function);
	location.offset = line.function;
	return line.function == PIPA_NONE ? PIPA_NONE :
					    pipa_profile_location_of_lines(p, &location, &line, 1);
}

uint32_t pipa_viewer_thread(struct pipa_profile *p, const struct pipa_viewer_thread *thread,
			    struct pipa_buf *scratch)
{
	struct pipa_thread row = {
		.pid = thread->pid < PIPA_UNKNOWN32 ? (uint32_t)thread->pid : PIPA_UNKNOWN32,
		.tid = thread->tid < PIPA_UNKNOWN32 ? (uint32_t)thread->tid : PIPA_UNKNOWN32,
		.comm = pipa_viewer_string(p, &thread->comm, scratch),
	};

	return row.comm == PIPA_NO_STRING ? PIPA_NONE : pipa_profile_thread(p, &row);
}

bool pipa_viewer_scale(double number, double factor, uint64_t *ret)
{
	double value = round(number * factor);

	if (!(value >= 0) || value >= 9223372036854775808.0)
		return false;
	*ret = (uint64_t)value;
	return true;
}

int pipa_viewer_fail(const struct pipa_json_pull *json, struct pipa_error *err)
{
	return pipa_refuse(err, json->status, "%s at byte %zu", json->what,
			   pipa_json_pull_offset(json));
}
