/* A machine description: any bytes give a tree whose hardware can be extracted, or an error. */
#include "base/error.h"
#include "fuzz.h"
#include "import/facts_yaml.h"
#include "model/facts.h"
#include "model/hardware.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_hardware hardware = { 0 };
	struct pipa_facts facts = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_facts_yaml_decode((const char *)data, size, &facts, &err);

	MUST(rc == 0 || *err.what);
	MUST(pipa_hardware_init(&hardware, &facts) == 0);
	MUST(hardware.disks.n <= size && hardware.nodes.n <= size);
	pipa_hardware_find_disk(&hardware, "sda");
	pipa_hardware_node_of(&hardware, 0);
	pipa_hardware_done(&hardware);
	pipa_facts_done(&facts);
	return 0;
}
