#include "job/analyze/profile_view.h"

#include <errno.h>

#include "codec/deflate.h"
#include "export/text/event_unit.h"
#include "export/view/view_times.h"
#include "job/analyze/analysis.h"
#include "job/view/choose_event.h"

void pipa_profile_view_done(struct pipa_profile_view *view)
{
	pipa_flame_done(&view->flame);
	pipa_buf_done(&view->times);
	*view = (struct pipa_profile_view){ 0 };
}

/* Return the wall clock at a time of the recording, 0 if its clock is unknown. */
static uint64_t wall_time(const struct pipa_recording *recording, uint64_t time_ns)
{
	if (!recording->has_clock)
		return 0;
	return recording->clock_wall_ns + time_ns - recording->clock_ns;
}

/* Write the times of the samples. 0 or -ENOMEM. */
static int write_times(const struct pipa_loaded *loaded, struct pipa_profile_view *view)
{
	struct pipa_view_times times;
	int rc = pipa_view_times_make(&loaded->profile, &loaded->timeline, &view->flame,
				      view->event, &times);

	if (rc < 0)
		return rc;
	view->wall_ns = wall_time(&loaded->recording, times.start);
	pipa_view_times_write(&times, &loaded->profile, "cpu", pipa_deflate, &view->times);
	pipa_view_times_done(&times);
	view->part = (struct pipa_view_part){ .name = "timeline",
					      .json = pipa_buf_str(&view->times),
					      .len = view->times.len };
	view->view.parts = &view->part;
	view->view.n_parts = 1;
	return view->times.status;
}

int pipa_profile_view_make(const struct pipa_analysis *a, struct pipa_profile_view *ret)
{
	const struct pipa_loaded *loaded = &a->loaded;
	struct pipa_flame_options options = { .ends = true };
	struct pipa_profile_view *v = ret;
	int rc = pipa_choose_event(&loaded->profile, NULL, NULL, &options.event, NULL);

	*v = (struct pipa_profile_view){ .times.max = SIZE_MAX / 4 };
	if (!rc)
		rc = pipa_flame_make(&loaded->profile, &options, &v->flame);
	if (rc < 0)
		return rc;
	v->event = options.event;
	v->view = (struct pipa_view){
		.view = "flame",
		.title = pipa_choose_title(NULL, a->profile_path),
		.event = pipa_chosen_name(&loaded->profile, v->event),
		.unit = pipa_event_unit_text(&loaded->profile, v->event),
		.flame = &v->flame,
		.profile = &loaded->profile,
		.recording = &loaded->recording,
		.pack = pipa_deflate,
	};
	rc = loaded->timeline.n ? write_times(loaded, v) : 0;
	if (rc < 0)
		pipa_profile_view_done(v);
	return rc;
}
