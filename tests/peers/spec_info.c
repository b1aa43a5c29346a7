/*
 * A machine's description as YAML on standard output: this one's, or that of a tree of files. For
 * cli/test_peer_spec.sh, which compares it with the output of the system's own tools.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "collect/spec/spec.h"
#include "export/table/facts.h"
#include "kernel/machine/root.h"
#include "model/facts.h"

int main(int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_error err;

	if (pipa_root_open(argc > 1 ? argv[1] : NULL, &root, &err) < 0 ||
	    pipa_spec_collect(root, &pipa_spec_host, &facts, &err) < 0) {
		fprintf(stderr, "spec_info: %s\n", err.what);
		return 1;
	}
	pipa_facts_export(&facts, PIPA_DOC_YAML, &out);
	fputs(pipa_buf_str(&out), stdout);
	return out.status != 0;
}
