#include "model/facts.h"

#include "base/auto.h"
#include "lib/test.h"

TEST(entries_keep_their_order_and_are_found_by_name)
{
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	struct pipa_fact *map = pipa_facts_map(&facts, NULL, "b"), *list;
	char key[] = "text";

	pipa_facts_number(&facts, NULL, "a", 7);
	pipa_facts_text(&facts, map, key, key);
	key[0] = 'x'; /* it was copied */
	list = pipa_facts_list(&facts, map, "list");
	pipa_facts_number(&facts, list, NULL, 1);
	pipa_facts_number(&facts, list, NULL, 2);
	CHECK_EQ(facts.status, 0);
	CHECK_STR(facts.top.first->key, "b");
	CHECK_STR(facts.top.last->key, "a");
	CHECK_EQ(pipa_fact_find(&facts.top, "a")->number, 7);
	CHECK_STR(pipa_fact_find(map, "text")->text, "text");
	CHECK(!pipa_fact_find(map, "xext"));
	CHECK_EQ(list->first->number, 1);
	CHECK_EQ(list->first->next->number, 2);
	CHECK(!list->first->next->next && !list->first->key);
}
