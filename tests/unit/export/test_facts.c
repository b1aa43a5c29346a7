#include "export/table/facts.h"

#include "base/buf.h"
#include "lib/test.h"
#include "model/facts.h"

TEST(facts_are_written_in_their_order)
{
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf yaml = { 0 }, json = { 0 };
	struct pipa_fact *map = pipa_facts_map(&facts, NULL, "disks"), *list, *disk;

	list = pipa_facts_list(&facts, map, "list");
	disk = pipa_facts_map(&facts, list, NULL);
	pipa_facts_text(&facts, disk, "name", "sda");
	pipa_facts_number(&facts, disk, "size", UINT64_MAX);
	pipa_facts_list(&facts, disk, "none");
	pipa_facts_text(&facts, NULL, "no", "12");
	pipa_facts_export(&facts, PIPA_DOC_YAML, &yaml);
	CHECK_STR(pipa_buf_str(&yaml), "---\n"
				       "disks:\n"
				       "  list:\n"
				       "    - name: \"sda\"\n"
				       "      size: 18446744073709551615\n"
				       "      none: []\n"
				       "\"no\": \"12\"\n");
	pipa_facts_export(&facts, PIPA_DOC_JSON_LINE, &json);
	CHECK_STR(pipa_buf_str(&json),
		  "{\"disks\": {\"list\": [{\"name\": \"sda\", \"size\": 18446744073709551615, "
		  "\"none\": []}]}, \"no\": \"12\"}\n");
}

TEST(values_nested_too_deeply_are_omitted_and_the_document_is_complete)
{
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_fact *map = NULL;
	int i;

	for (i = 0; i < 40; i++)
		map = pipa_facts_map(&facts, map, "m");
	pipa_facts_export(&facts, PIPA_DOC_JSON_LINE, &out);
	CHECK_HAS(pipa_buf_str(&out), "{\"m\": {}}");
}
