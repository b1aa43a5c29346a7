/*
 * Write a profile as one HTML file: the page of web/ and its data, which is never executed: the
 * tree of frames and what the views add to it. web/README.md describes the data, schema
 * "pipa.view/1". The same view gives the same bytes.
 */
#ifndef PIPA_EXPORT_VIEW_VIEW_H
#define PIPA_EXPORT_VIEW_VIEW_H

#include <stddef.h>

#include "analyze/profile/flame.h"

struct pipa_buf;
struct pipa_recording;

/* An additional entry of the data, as JSON. */
struct pipa_view_part {
	const char *name; /* "timeline", "rows" */
	const char *json;
	size_t len;
};

/* Initial view of the page, unless its URL selects another. */
struct pipa_view_show {
	bool icicle;	   /* outermost frames at the top */
	bool absolute;	   /* in a diff, compare weights instead of shares */
	const char *color; /* "library", "kind", "self", "change"; NULL: default of the page */
};

/* Append the bytes compressed as raw deflate; 0 or a negative errno. */
typedef int pipa_view_pack_fn(const void *bytes, size_t len, struct pipa_buf *out);

struct pipa_view {
	const char *view; /* initial view: "flame", "chart", "diff", "heatmap" */
	const char *title;
	const char *event; /* "cycles", "" if it has no name */
	const char *unit;  /* of the weights: "ns", "bytes", "events", "samples" */
	enum pipa_flame_by by;
	const struct pipa_flame *flame;
	const struct pipa_profile *profile;	/* losses, or NULL */
	const struct pipa_recording *recording; /* NULL: complete */
	const char *base_title;			/* of a diff */
	const char *notes; /* further notes, each ended by a newline; NULL: none */
	struct pipa_view_show show;
	pipa_view_pack_fn *pack; /* for large columns; NULL: uncompressed */
	const struct pipa_view_part *parts;
	size_t n_parts;
};

void pipa_view_write_data(const struct pipa_view *view, struct pipa_buf *out); /* only JSON */
void pipa_view_write_page(const struct pipa_view *view, struct pipa_buf *out);

/*
 * Write a column of numbers: varints, as quoted base64. put() appends to `bytes`; end() writes and
 * empties them.
 */
void pipa_view_column_put(struct pipa_buf *bytes, const uint64_t *numbers, size_t n);
void pipa_view_column_end(struct pipa_buf *bytes, struct pipa_buf *out);

/*
 * Write a column likewise, compressed if that is shorter; returns whether it is. The data's
 * "deflate" must name compressed columns. On allocation failure out's status is set.
 */
bool pipa_view_column_pack(pipa_view_pack_fn *pack, struct pipa_buf *bytes, struct pipa_buf *out);

/* Append notes on the recording, one per line: "lost: 12 samples". */
void pipa_view_notes(const struct pipa_profile *profile, const struct pipa_recording *recording,
		     struct pipa_buf *out);

#endif
