/*
 * Labels of samples and attributes of foreign files: keys with values, and interned sets of them.
 *
 * Set 0 is the empty set: a zeroed field has no labels. A set may contain a key several times;
 * values of one key keep their order, keys do not. Samples with different sets are not aggregated,
 * so labels are for few values: a trace or span id belongs to the timeline (model/timeline.h).
 */
#ifndef PIPA_MODEL_LABELS_H
#define PIPA_MODEL_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pipa_profile;

enum pipa_label_kind {
	PIPA_LABEL_TEXT,
	PIPA_LABEL_NUMBER, /* with a unit */
	PIPA_LABEL_BOOL,   /* number is 0 or 1 */
	PIPA_LABEL_DOUBLE, /* number has the bits of a double: pipa_label_double() */
	PIPA_LABEL_BYTES,  /* text has them and may contain zeros */
	PIPA_LABEL_OTLP, /* text is an encoded AnyValue: arrays and maps, copied without decoding */
};

struct pipa_label {
	uint32_t key; /* a string */
	enum pipa_label_kind kind;
	uint32_t text; /* a string */
	uint32_t unit; /* a string: "bytes"; "": none */
	int64_t number;
};

/* A set: n entries of label_members from `first` on, each an index of the table of labels. */
struct pipa_label_set {
	uint32_t first, n;
};

/*
 * Intern a set of labels and return its index; 0 for an empty set, PIPA_NONE on allocation failure.
 * Fields that a kind does not use must be 0.
 */
uint32_t pipa_profile_label_set(struct pipa_profile *p, const struct pipa_label *labels, size_t n);

/* Return the number of labels of a set. */
size_t pipa_label_set_size(const struct pipa_profile *p, uint32_t set);

/*
 * Return the i-th label of a set; i is less than its size. The pointer is valid until a label is
 * added.
 */
const struct pipa_label *pipa_label_set_get(const struct pipa_profile *p, uint32_t set, size_t i);

/* Return the first label of a set with that key, a string of the profile; NULL if there is none. */
const struct pipa_label *pipa_label_set_find(const struct pipa_profile *p, uint32_t set,
					     uint32_t key);

/* Intern a set of `from` in p and return its index; PIPA_NONE on allocation failure. */
uint32_t pipa_label_set_copy(struct pipa_profile *p, const struct pipa_profile *from, uint32_t set);

/*
 * Return the set of p with all labels of `a`, and those of `b` whose key is not in `a`; PIPA_NONE
 * on allocation failure.
 */
uint32_t pipa_label_set_join(struct pipa_profile *p, uint32_t a, uint32_t b);

static inline double pipa_label_double(const struct pipa_label *label)
{
	double value;

	memcpy(&value, &label->number, sizeof(value));
	return value;
}

/* Is it a number without a unit that fits 32 bits and is not UINT32_MAX, as PIDs and CPUs are? `label` may be NULL. */
static inline bool pipa_label_is_u32(const struct pipa_label *label)
{
	return label && label->kind == PIPA_LABEL_NUMBER && !label->unit && label->number >= 0 &&
	       label->number < UINT32_MAX;
}

#endif
