/*
 * The screen of a profile without memory: every allocation fails once while a table is made, rows are
 * opened, zoomed into, ordered and looked around. It is -ENOMEM then, and what is left can be painted.
 */
#include <errno.h>

#include "lib/invent.h"
#include "lib/nomem.h"
#include "lib/test.h"
#include "screen/report/report_view.h"

enum { MOST_ALLOCATIONS = 5000 };

static struct pipa_profile p;

static void invent_some(void)
{
	invent(&p, "a", "main;f;g", 10);
	invent(&p, "a", "main;i<h;g", 5);
	invent(&p, "b", "y:run;main;f", 85);
	invent(&p, "b", "", 3);
}

/* Everything once; the first failure ends it. */
static int browse(struct pipa_report_view *view)
{
	static const char keys[] = "jej+rezs%\033onoszcbl\033bpbdVfmain\n\033v\n\033";
	const char *key;
	int rc = pipa_report_model_update(view->model);

	for (key = keys; !rc && *key; key++)
		if (pipa_report_view_key(view, *key) == PIPA_REPORT_NO_MEMORY)
			rc = -ENOMEM;
	return rc;
}

static int browse_once(struct pipa_canvas *canvas)
{
	struct pipa_report_model model = {
		.profile = &p,
		.o = { .keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL }, .n_keys = 3 }
	};
	struct pipa_report_view view = {
		.model = &model, .first = model.o, .has_cpus = true, .has_places = true
	};
	int rc = browse(&view);

	pipa_report_view_paint(&view, canvas);
	pipa_report_view_done(&view);
	pipa_report_model_done(&model);
	return rc;
}

TEST(a_screen_survives_every_allocation_that_fails)
{
	struct pipa_canvas canvas = { .utf8 = true };
	size_t n;
	int rc;

	invent_some();
	CHECK_EQ(pipa_canvas_resize(&canvas, 80, 24), 0);
	CHECK_EQ(browse_once(&canvas), 0);
	for (n = 0; n < MOST_ALLOCATIONS; n++) {
		pipa_nomem_after(n);
		rc = browse_once(&canvas);
		if (!pipa_nomem_happened())
			break;
		CHECK_EQ(rc, -ENOMEM);
	}
	CHECK_EQ(rc, 0);
	CHECK(n > 100 && n < MOST_ALLOCATIONS);
	pipa_canvas_done(&canvas);
	pipa_profile_done(&p);
}
