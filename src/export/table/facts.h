/* Write a tree of facts as YAML or JSON, in order. */
#ifndef PIPA_EXPORT_TABLE_FACTS_H
#define PIPA_EXPORT_TABLE_FACTS_H

#include "codec/doc.h"

struct pipa_facts;

/* Append the document; levels deeper than its limit are omitted. */
void pipa_facts_export(const struct pipa_facts *facts, enum pipa_doc_format format,
		       struct pipa_buf *out);

#endif
