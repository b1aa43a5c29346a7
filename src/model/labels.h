/*
 * Labels of samples and attributes of foreign files: a key with a value, and sets of them that are stored once.
 *
 * Set 0 is the empty set: a zeroed field has no labels. A key may be in a set several times; values of one key
 * keep their order, keys do not. Sets on samples keep samples apart, so they are for few values: a trace or span
 * id belongs to the timeline (model/timeline.h).
 */
#ifndef PIPA_MODEL_LABELS_H
#define PIPA_MODEL_LABELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pipa_profile;

enum pipa_label_kind {
	PIPA_LABEL_TEXT,
	PIPA_LABEL_NUMBER, /* with a unit */
	PIPA_LABEL_BOOL,   /* number is 0 or 1 */
	PIPA_LABEL_DOUBLE, /* number has the bits of a double: pipa_label_double() */
	PIPA_LABEL_BYTES,  /* text has them, zeros included */
	PIPA_LABEL_OTLP, /* text is an encoded AnyValue: arrays and maps, which are only passed on */
};

struct pipa_label {
	uint32_t key; /* a string */
	enum pipa_label_kind kind;
	uint32_t text; /* a string */
	uint32_t unit; /* a string: "bytes"; "": none */
	int64_t number;
};

/* Labels of the profile's table, n from `first` on in label_members. */
struct pipa_label_set {
	uint32_t first, n;
};

/*
 * Return the number of the set of these labels, adding it if it is new; 0 for none, PIPA_NONE on allocation
 * failure. Fields that a kind does not use must be 0.
 */
uint32_t pipa_profile_label_set(struct pipa_profile *p, const struct pipa_label *labels, size_t n);

/* Return how many labels a set has. */
size_t pipa_label_set_size(const struct pipa_profile *p, uint32_t set);

/* Return the i-th label of a set; i is less than its size. The pointer is valid until a label is added. */
const struct pipa_label *pipa_label_set_get(const struct pipa_profile *p, uint32_t set, size_t i);

/* Return the first label of a set with that key, a string of the profile; NULL: there is none. */
const struct pipa_label *pipa_label_set_find(const struct pipa_profile *p, uint32_t set,
					     uint32_t key);

/*
 * Return the number that a set of `from` has in p, where it is added if it is new; PIPA_NONE on allocation
 * failure.
 */
uint32_t pipa_label_set_copy(struct pipa_profile *p, const struct pipa_profile *from, uint32_t set);

/*
 * Return the set of p that has all labels of `a`, and those of `b` whose key is not in `a`; PIPA_NONE on allocation
 * failure.
 */
uint32_t pipa_label_set_join(struct pipa_profile *p, uint32_t a, uint32_t b);

static inline double pipa_label_double(const struct pipa_label *label)
{
	double value;

	memcpy(&value, &label->number, sizeof(value));
	return value;
}

#endif
