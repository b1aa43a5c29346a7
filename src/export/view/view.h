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

/* One more entry of the data, as JSON. */
struct pipa_view_part {
	const char *name; /* "timeline", "rows" */
	const char *json;
	size_t len;
};

/* Initial view of the page, unless its URL selects another. */
struct pipa_view_show {
	bool icicle;	   /* the outermost frames on top */
	bool absolute;	   /* of two: weights are compared, not shares */
	const char *color; /* "library", "kind", "self", "change"; NULL: the page chooses */
};

/* Append the bytes compressed as raw deflate; 0 or a negative errno. */
typedef int pipa_view_pack_fn(const void *bytes, size_t len, struct pipa_buf *out);

struct pipa_view {
	const char *view; /* that opens first: "flame", "chart", "diff", "heatmap" */
	const char *title;
	const char *event; /* "cycles", "" where it has no name */
	const char *unit;  /* of its weights: "ns", "bytes", "events", "samples" */
	enum pipa_flame_by by;
	const struct pipa_flame *flame;
	const struct pipa_profile *profile;	/* losses, or NULL */
	const struct pipa_recording *recording; /* is it complete? NULL: it is */
	const char *base_title;			/* of a flame of two */
	struct pipa_view_show show;
	pipa_view_pack_fn *pack; /* for large columns; NULL: they are written as they are */
	const struct pipa_view_part *parts;
	size_t n_parts;
};

void pipa_view_write_data(const struct pipa_view *view, struct pipa_buf *out); /* only JSON */
void pipa_view_write_page(const struct pipa_view *view, struct pipa_buf *out);

/*
 * Write a column of numbers: varints, as base64 in quotes. Put appends to `bytes`, which the end
 * writes and empties.
 */
void pipa_view_column_put(struct pipa_buf *bytes, const uint64_t *numbers, size_t n);
void pipa_view_column_end(struct pipa_buf *bytes, struct pipa_buf *out);

/*
 * The same, compressed if that is shorter, which is returned; the data's "deflate" must name such a
 * column. On allocation failure out's status is set.
 */
bool pipa_view_column_pack(pipa_view_pack_fn *pack, struct pipa_buf *bytes, struct pipa_buf *out);

/* Notes on the recording: "lost: 12 samples"; lines ended by newlines. */
void pipa_view_notes(const struct pipa_profile *profile, const struct pipa_recording *recording,
		     struct pipa_buf *out);

#endif
