#include "model/stat.h"

#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

#define NOWHERE .cpu = -1, .core = -1, .die = -1, .socket = -1, .node = -1, .tid = -1

TEST(place_is_matched_by_all_its_numbers)
{
	struct pipa_stat_place cpu3 = { NOWHERE }, socket3 = { NOWHERE };
	char a[300], b[300];

	cpu3.cpu = 3;
	socket3.socket = 3;
	pipa_stat_where(NULL, &cpu3, a, sizeof(a));
	CHECK_STR(pipa_stat_where(NULL, &cpu3, b, sizeof(b)), a);
	CHECK(strcmp(pipa_stat_where(NULL, &socket3, b, sizeof(b)), a) != 0);
	CHECK(strcmp(pipa_stat_where("system.slice", &cpu3, b, sizeof(b)), a) != 0);
}

TEST(threads_are_matched_by_name_and_not_by_number)
{
	struct pipa_stat_place one = { NOWHERE, .comm = "worker" }, two = one, other = one;
	char a[300], b[300];

	one.tid = 100;
	two.tid = 200;
	pipa_stat_where(NULL, &one, a, sizeof(a));
	CHECK_STR(pipa_stat_where(NULL, &two, b, sizeof(b)), a);
	strcpy(other.comm, "server");
	CHECK(strcmp(pipa_stat_where(NULL, &other, b, sizeof(b)), a) != 0);
}

TEST(no_group_is_the_same_as_an_unnamed_one)
{
	struct pipa_stat_place everywhere = { NOWHERE };
	char a[300], b[300];

	CHECK_STR(pipa_stat_where(NULL, &everywhere, a, sizeof(a)),
		  pipa_stat_where("", &everywhere, b, sizeof(b)));
}

TEST(baseline_is_freed_with_its_texts)
{
	struct pipa_base base = { .items = calloc(2, sizeof(*base.items)), .n = 2, .cap = 2 };

	base.items[0].name = strdup("cycles");
	base.items[0].where = strdup("");
	pipa_base_done(&base); /* the second is half-built; leaks are the sanitizer's to see */
	CHECK_EQ(base.n, 0);
	CHECK(!base.items);
}
