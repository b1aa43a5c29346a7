/*
 * Convert strings and attributes of OTLP profiles to strings and labels of a profile.
 *
 * Some attributes are fields of the model (enum pipa_otlp_key), for example thread.id. The messages that have them decide
 * whether they become fields or labels.
 */
#ifndef PIPA_IMPORT_OTLP_ATTRIBUTES_H
#define PIPA_IMPORT_OTLP_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "model/labels.h"

struct pipa_otlp_any_value;
struct pipa_otlp_rows;

/* Attributes of samples, resources and others that are fields of the model. */
enum pipa_otlp_key {
	PIPA_OTLP_KEY_NONE, /* becomes a label */
	PIPA_OTLP_KEY_THREAD_ID,
	PIPA_OTLP_KEY_THREAD_NAME,
	PIPA_OTLP_KEY_CPU,
	PIPA_OTLP_KEY_PID,
	PIPA_OTLP_KEY_EXE,
	PIPA_OTLP_KEY_EXE_NAME,
	PIPA_OTLP_KEY_CGROUP,
	PIPA_OTLP_KEY_CONTAINER,
	PIPA_OTLP_KEY_SERVICE,
	PIPA_OTLP_KEY_GNU_ID,
	PIPA_OTLP_KEY_GO_ID,
	PIPA_OTLP_KEY_HTLHASH,
	PIPA_OTLP_KEY_HAS_FUNCTIONS,
	PIPA_OTLP_KEY_HAS_FILENAMES,
	PIPA_OTLP_KEY_HAS_LINES,
	PIPA_OTLP_KEY_HAS_INLINED,
	PIPA_OTLP_KEY_FOLDED,
	PIPA_OTLP_KEY_FRAME_TYPE,
	PIPA_OTLP_KEY_COMMENT,
	PIPA_OTLP_KEY_DEFAULT_TYPE,
	PIPA_OTLP_KEY_NR,
};
extern const char *const pipa_otlp_key_names[PIPA_OTLP_KEY_NR];

/* Return the key of that name; PIPA_OTLP_KEY_NONE if the attribute is a label. */
enum pipa_otlp_key pipa_otlp_key_find(const char *name);

/* An entry of the attribute table as labels: n of them from `first` on in pipa_otlp_rows.labels. */
struct pipa_otlp_attribute_labels {
	uint32_t first, n;
	enum pipa_otlp_key key;
};

struct pipa_otlp_label_list {
	struct pipa_label *items;
	size_t n, cap;
};

/*
 * Return the number in the profile of a string of the dictionary. `at` is the start of the message that has the index. 0,
 * -EBADMSG or -ENOMEM.
 */
int pipa_otlp_find_string(struct pipa_otlp_rows *rows, const char *what, int32_t index,
			  const uint8_t *at, uint32_t *ret);

/* Return the number in the profile of a text. 0 or -ENOMEM. */
int pipa_otlp_add_text(struct pipa_otlp_rows *rows, struct pipa_span text, uint32_t *ret);

/* Convert the attribute table. 0, -EBADMSG or -ENOMEM. */
int pipa_otlp_read_attributes(struct pipa_otlp_rows *rows);

/*
 * Append the labels of an attribute to the list: none if it has no value; several if is_split and the value is an array of
 * plain values. 0, -EBADMSG or -ENOMEM.
 */
int pipa_otlp_append_labels(struct pipa_otlp_rows *rows, struct pipa_otlp_label_list *list,
			    uint32_t key, uint32_t unit, struct pipa_otlp_any_value *value,
			    bool is_split, const uint8_t *at);

/* Return the attribute of an index in a list of attribute_indices; NULL with *ret_rc if it is out of range. */
const struct pipa_otlp_attribute_labels *pipa_otlp_find_attribute(struct pipa_otlp_rows *rows,
								  const char *what, int32_t index,
								  uint64_t offset, int *ret_rc);

/* Append the labels of an attribute to rows->list. 0 or -ENOMEM. */
int pipa_otlp_list_labels(struct pipa_otlp_rows *rows,
			  const struct pipa_otlp_attribute_labels *attribute);

/* Return the only label of an attribute, if it is of that kind; else NULL. */
const struct pipa_label *pipa_otlp_only_label(const struct pipa_otlp_rows *rows,
					      const struct pipa_otlp_attribute_labels *attribute,
					      enum pipa_label_kind kind);

/* Intern rows->list as a label set. 0 or -ENOMEM. */
int pipa_otlp_make_set(struct pipa_otlp_rows *rows, uint32_t *ret);

#endif
