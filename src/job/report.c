#include "job/report.h"

#include <errno.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "job/choose.h"
#include "perf/decode.h"

static int write_table(const struct pipa_report_options *o, const struct pipa_loaded *loaded,
		       const struct pipa_top *top, struct pipa_buf *out)
{
	struct pipa_calltree tree = { 0 };
	struct pipa_calltree_options calls = {
		.callees = o->callees,
		/* the branches of a lighter row are lighter still */
		.max_rows = pipa_report_rows(top, o->branch_limit > o->percent_limit ?
							  o->branch_limit :
							  o->percent_limit),
	};
	struct pipa_report report = {
		.profile = &loaded->profile,
		.recording = &loaded->recording,
		.top = top,
		.tree = o->tree ? &tree : NULL,
		.percent_limit = o->percent_limit,
		.branch_limit = o->branch_limit,
	};
	int rc = o->tree ? pipa_calltree_make(top, &calls, &tree) : 0;

	if (!rc)
		pipa_report_write(&report, o->form, out);
	pipa_calltree_done(&tree);
	return rc;
}

static int make_table(const struct pipa_report_options *o, const struct pipa_loaded *loaded,
		      struct pipa_buf *out, struct pipa_error *err)
{
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	struct pipa_top_options options = o->top;
	regex_t parent;
	char text[120];
	int rc;

	if (o->parent) {
		rc = regcomp(&parent, o->parent, REG_EXTENDED | REG_NOSUB);
		if (rc) {
			regerror(rc, &parent, text, sizeof(text));
			return pipa_refuse(err, -EINVAL, "--parent: '%s': %s", o->parent, text);
		}
		options.parent = &parent;
	}
	rc = pipa_top_make(&loaded->profile, &options, &top);
	if (!rc)
		rc = write_table(o, loaded, &top, out);
	if (o->parent)
		regfree(&parent);
	return rc < 0 ? pipa_fail(err, rc, "make the report") : 0;
}

int pipa_report_load(const struct pipa_report_options *o, struct pipa_loaded *ret,
		     struct pipa_error *err)
{
	struct pipa_load_options load = o->load;

	load.ingest.by_cpu |= pipa_top_has_key(&o->top, PIPA_KEY_CPU);
	if (pipa_top_has_key(&o->top, PIPA_KEY_PLACE))
		load.symbols.lines = PIPA_LINES_PLAIN;
	if (o->inlined != PIPA_LINES_NONE)
		load.symbols.lines = load.symbols.lines ? PIPA_LINES_INLINED : o->inlined;
	load.no_names = load.offline = o->stats || o->header_only;
	load.ingest.no_stacks |= !o->top.children && !o->tree && !o->parent;
	return pipa_load(&load, ret, err);
}

int pipa_report_run(const struct pipa_report_options *o, struct pipa_buf *out,
		    struct pipa_error *err)
{
	struct pipa_report_options own = *o;
	struct pipa_loaded loaded;
	int rc;

	own.load.symbols.no_places = !pipa_top_has_key(&o->top, PIPA_KEY_PLACE);
	rc = pipa_report_load(&own, &loaded, err);
	if (rc < 0)
		return rc;
	if (o->form == PIPA_REPORT_CSV) /* the others have them in their text */
		pipa_note_losses(&loaded, o->load.note);
	if (o->header || o->header_only)
		pipa_report_header(&loaded.recording, out);
	if (o->stats)
		pipa_report_stats(&loaded.profile, &loaded.recording, pipa_perf_record_name,
				  o->form, out);
	else if (!o->header_only)
		rc = make_table(o, &loaded, out, err);
	pipa_loaded_done(&loaded);
	return rc;
}
