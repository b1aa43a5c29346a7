#include "export/exchange/firefox.h"

#include <inttypes.h>

#include "codec/doc.h"
#include "export/exchange/firefox_columns.h"
#include "export/exchange/firefox_own.h"
#include "model/recording.h"

/* ---- libraries ------------------------------------------------------------------------------- */

/* Write a build id as Breakpad does: its first 16 bytes as a GUID, and the age 0. */
static void put_breakpad_id(struct pipa_firefox_writer *w, const struct pipa_build_id *id)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	size_t i;

	pipa_buf_puts(&w->to.buf, "\"");
	for (i = 0; i < sizeof(order); i++)
		pipa_buf_printf(&w->to.buf, "%02X", order[i] < id->len ? id->bytes[order[i]] : 0);
	pipa_buf_puts(&w->to.buf, "0\"");
}

static void put_libs(struct pipa_firefox_writer *w)
{
	const char *arch = w->format->recording->arch;
	size_t i, k;

	pipa_buf_puts(&w->to.buf, ",\"libs\":[");
	for (i = 0; i < w->p->objects.n; i++) {
		const struct pipa_object *object = &w->p->objects.items[i];
		const char *path = pipa_profile_string(w->p, object->path);
		const char *name = pipa_object_short(w->p, (uint32_t)i);

		pipa_firefox_column_next(&w->to, i);
		pipa_buf_puts(&w->to.buf, "{\"arch\":");
		if (arch)
			pipa_doc_put_quoted(&w->to.buf, arch);
		else
			pipa_buf_puts(&w->to.buf, "null");
		pipa_buf_puts(&w->to.buf, ",\"name\":");
		pipa_doc_put_quoted(&w->to.buf, name);
		pipa_buf_puts(&w->to.buf, ",\"path\":");
		pipa_doc_put_quoted(&w->to.buf, path);
		pipa_buf_puts(&w->to.buf, ",\"debugName\":");
		pipa_doc_put_quoted(&w->to.buf, name);
		pipa_buf_puts(&w->to.buf, ",\"debugPath\":");
		pipa_doc_put_quoted(&w->to.buf, path);
		pipa_buf_puts(&w->to.buf, ",\"breakpadId\":");
		put_breakpad_id(w, &object->build_id);
		pipa_buf_puts(&w->to.buf, ",\"codeId\":");
		if (object->build_id.len) {
			pipa_buf_puts(&w->to.buf, "\"");
			for (k = 0; k < object->build_id.len; k++)
				pipa_buf_printf(&w->to.buf, "%02x", object->build_id.bytes[k]);
			pipa_buf_puts(&w->to.buf, "\"}");
		} else {
			pipa_buf_puts(&w->to.buf, "null}");
		}
	}
	pipa_buf_puts(&w->to.buf, "]");
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Return the wall-clock time of the first sample in nanoseconds since 1970; 0: unknown. */
static uint64_t wall_start(const struct pipa_firefox_writer *w)
{
	const struct pipa_recording *recording = w->format->recording;

	if (w->t->timed && recording->has_clock)
		return recording->clock_wall_ns + (w->t->start - recording->clock_ns);
	return w->p->start_ns;
}

static void put_extra(struct pipa_firefox_writer *w)
{
	const struct pipa_losses *losses = &w->p->losses;
	const struct {
		const char *label;
		uint64_t n;
	} rows[] = {
		{ "Lost samples", losses->lost_samples },
		{ "Lost records", losses->lost_records },
		{ "Throttled", losses->throttled },
		{ "Malformed records", losses->damaged },
		{ "Truncated stacks", losses->cut_stacks + losses->unwound_truncated },
	};
	size_t i;

	pipa_buf_puts(&w->to.buf, ",\"extra\":[{\"label\":\"Losses\",\"entries\":[");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pipa_firefox_column_next(&w->to, i);
		pipa_buf_printf(&w->to.buf,
				"{\"label\":\"%s\",\"format\":\"integer\",\"value\":%" PRIu64 "}",
				rows[i].label, rows[i].n);
	}
	pipa_buf_puts(&w->to.buf, "]}]");
}

static void put_meta(struct pipa_firefox_writer *w)
{
	const struct pipa_recording *recording = w->format->recording;
	const char *command = pipa_recording_fact(recording, "cmdline");
	const struct pipa_track *first = w->t->n ? w->t->items : NULL;
	uint32_t frequency = first ? w->p->events.items[first->event].frequency : 0;
	uint64_t step = frequency ? 1000000000 / frequency : first ? first->step_ns : 0;

	pipa_buf_puts(&w->to.buf,
		      "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":60,\"interval\":");
	pipa_firefox_put_ms(&w->to.buf, step ? step : 1000000);
	pipa_buf_puts(&w->to.buf, ",\"startTime\":");
	pipa_firefox_put_ms(&w->to.buf, wall_start(w));
	pipa_buf_puts(&w->to.buf, ",\"importedFrom\":");
	pipa_buf_printf(&w->to.buf, "\"pipa %s\"", w->format->version ? w->format->version : "");
	pipa_buf_puts(&w->to.buf, ",\"product\":");
	pipa_doc_put_quoted(&w->to.buf, first && first->thread != PIPA_NONE ?
						pipa_firefox_process_name(
							w, &w->p->threads.items[first->thread]) :
						"pipa");
	if (command) {
		pipa_buf_puts(&w->to.buf, ",\"arguments\":");
		pipa_doc_put_quoted(&w->to.buf, command);
	}
	if (recording->arch) {
		struct pipa_buf text = { 0 };

		pipa_buf_printf(&text, "Linux %s", recording->arch);
		pipa_buf_puts(&w->to.buf, ",\"oscpu\":");
		pipa_doc_put_quoted(&w->to.buf, pipa_buf_str(&text));
		if (text.status && !w->to.buf.status)
			w->to.buf.status = text.status;
		pipa_buf_done(&text);
	}
	pipa_buf_puts(
		&w->to.buf,
		",\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,\"categories\":["
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],"
		"\"markerSchema\":["
		"{\"name\":\"Loss\",\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":["
		"{\"key\":\"lost\",\"label\":\"Lost\",\"format\":\"integer\"},"
		"{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]},"
		"{\"name\":\"CPU\",\"display\":[\"marker-chart\",\"marker-table\"],"
		"\"chartLabel\":\"{marker.data.cpu}\",\"fields\":["
		"{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]}]");
	put_extra(w);
	pipa_buf_puts(&w->to.buf, "}");
}

int pipa_firefox_write(const struct pipa_tracks *tracks, const struct pipa_firefox_format *format,
		       pipa_put_fn *put, void *ctx)
{
	struct pipa_firefox_writer w = { .t = tracks,
					 .p = tracks->profile,
					 .format = format,
					 .to = { .put = put, .ctx = ctx } };
	int rc = pipa_firefox_tables_make(&w);

	if (!rc)
		rc = pipa_firefox_markers_make(&w);
	if (!rc)
		rc = pipa_firefox_threads_make(&w);
	if (!rc) {
		put_meta(&w);
		put_libs(&w);
		pipa_firefox_put_shared(&w);
		pipa_firefox_put_threads(&w);
		pipa_buf_puts(&w.to.buf, "}\n");
		rc = pipa_pieces_end(&w.to);
	}
	pipa_firefox_tables_done(&w.tables);
	pipa_firefox_markers_done(&w.markers);
	pipa_firefox_threads_done(&w.threads);
	pipa_buf_done(&w.to.buf);
	return rc;
}
