#include "model/labels.h"

#include "lib/test.h"
#include "model/profile.h"

static struct pipa_label text(struct pipa_profile *p, const char *key, const char *value)
{
	return (struct pipa_label){ .key = pipa_profile_text(p, key),
				    .text = pipa_profile_text(p, value) };
}

static struct pipa_label number(struct pipa_profile *p, const char *key, int64_t value,
				const char *unit)
{
	return (struct pipa_label){ .key = pipa_profile_text(p, key),
				    .kind = PIPA_LABEL_NUMBER,
				    .unit = pipa_profile_text(p, unit),
				    .number = value };
}

TEST(equal_label_sets_have_one_index_for_any_order_of_keys)
{
	struct pipa_profile p = { 0 };
	struct pipa_label a[] = { text(&p, "thread", "main"), number(&p, "bytes", -8, "bytes") };
	struct pipa_label b[] = { a[1], a[0] };
	uint32_t set = pipa_profile_label_set(&p, a, 2);

	CHECK_EQ(pipa_profile_label_set(&p, a, 0), 0);
	CHECK_EQ(set, 1);
	CHECK_EQ(pipa_profile_label_set(&p, b, 2), set);
	CHECK_EQ(pipa_profile_label_set(&p, a, 1), 2);
	CHECK_EQ(pipa_profile_label_set(&p, a, 2), set);
	CHECK_EQ(p.label_members.n, 3); /* sets that were known take no memory */
	CHECK_EQ(pipa_label_set_size(&p, 0), 0);
	CHECK_EQ(pipa_label_set_size(&p, set), 2);
	CHECK_EQ(pipa_label_set_find(&p, set, a[1].key)->number, -8);
	CHECK(!pipa_label_set_find(&p, 2, a[1].key));
	pipa_profile_done(&p);
}

TEST(values_of_one_key_may_repeat_and_keep_their_order)
{
	struct pipa_profile p = { 0 };
	struct pipa_label a[] = { text(&p, "k", "x"), text(&p, "a", "1"), text(&p, "k", "y") };
	struct pipa_label b[] = { a[2], a[1], a[0] };
	uint32_t set = pipa_profile_label_set(&p, a, 3), other = pipa_profile_label_set(&p, b, 3);

	CHECK(set != other);
	CHECK_STR(pipa_profile_string(&p, pipa_label_set_find(&p, set, a[0].key)->text), "x");
	CHECK_STR(pipa_profile_string(&p, pipa_label_set_find(&p, other, a[0].key)->text), "y");
	a[1] = a[0]; /* twice the same is not once */
	CHECK(pipa_profile_label_set(&p, a, 2) != pipa_profile_label_set(&p, a, 1));
	pipa_profile_done(&p);
}

TEST(numbers_of_other_units_or_kinds_are_other_labels)
{
	struct pipa_profile p = { 0 };
	struct pipa_label label = number(&p, "k", 1, "bytes");
	uint32_t bytes = pipa_profile_label_set(&p, &label, 1), plain, truth;

	label.unit = 0;
	plain = pipa_profile_label_set(&p, &label, 1);
	label.kind = PIPA_LABEL_BOOL;
	truth = pipa_profile_label_set(&p, &label, 1);
	CHECK(bytes != plain && plain != truth && bytes != truth);
	pipa_profile_done(&p);
}

TEST(labels_keep_samples_apart_and_survive_a_merge)
{
	struct pipa_profile p = { 0 }, q = { 0 };
	struct pipa_label red = text(&p, "color", "red"), blue;
	struct pipa_sample sample = { .event = pipa_profile_event(&p, "cycles"),
				      .thread = PIPA_NONE,
				      .stack = PIPA_NONE,
				      .weight = 1,
				      .count = 1 };

	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.labels = pipa_profile_label_set(&p, &red, 1);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(p.samples.n, 2);

	sample.event = pipa_profile_event(&q, "cycles");
	blue = text(&q, "color", "blue");
	sample.labels = pipa_profile_label_set(&q, &blue, 1);
	CHECK_EQ(pipa_profile_add(&q, &sample), 0);
	red = text(&q, "color", "red");
	sample.labels = pipa_profile_label_set(&q, &red, 1);
	CHECK_EQ(pipa_profile_add(&q, &sample), 0);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.samples.n, 3);
	CHECK_EQ(p.samples.items[0].weight, 1);
	CHECK_EQ(p.samples.items[1].weight, 2);
	CHECK_EQ(p.samples.items[2].thread, PIPA_NONE);
	CHECK_STR(pipa_profile_string(&p,
				      pipa_label_set_get(&p, p.samples.items[2].labels, 0)->text),
		  "blue");
	pipa_profile_done(&q);
	pipa_profile_done(&p);
}

TEST(joined_sets_prefer_the_keys_of_the_first)
{
	struct pipa_profile p = { 0 };
	struct pipa_label a[] = { text(&p, "x", "1"), text(&p, "y", "2") };
	struct pipa_label b[] = { text(&p, "y", "3"), text(&p, "z", "4") };
	uint32_t one = pipa_profile_label_set(&p, a, 2), two = pipa_profile_label_set(&p, b, 2);
	uint32_t both = pipa_label_set_join(&p, one, two);

	CHECK_EQ(pipa_label_set_size(&p, both), 3);
	CHECK_STR(pipa_profile_string(&p, pipa_label_set_find(&p, both, b[0].key)->text), "2");
	CHECK_EQ(pipa_label_set_join(&p, 0, two), two);
	CHECK_EQ(pipa_label_set_join(&p, one, 0), one);
	pipa_profile_done(&p);
}

TEST(bytes_with_zeros_are_copied_whole)
{
	struct pipa_profile p = { 0 }, q = { 0 };
	struct pipa_label label = { .key = pipa_profile_text(&q, "id"), .kind = PIPA_LABEL_BYTES };
	uint32_t set;

	label.text = pipa_strings_add(&q.strings, "a\0b", 3);
	set = pipa_label_set_copy(&p, &q, pipa_profile_label_set(&q, &label, 1));
	CHECK_EQ(p.strings.items[pipa_label_set_get(&p, set, 0)->text].len, 3);
	pipa_profile_done(&q);
	pipa_profile_done(&p);
}
