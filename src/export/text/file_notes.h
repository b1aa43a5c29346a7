/* Notes of a report on the files of a profile: missing ones and unverified ones. */
#ifndef PIPA_EXPORT_TEXT_FILE_NOTES_H
#define PIPA_EXPORT_TEXT_FILE_NOTES_H

#include "model/profile.h"

struct pipa_buf;
struct pipa_doc;

/* Append lines that start with '#'; none if all files were found and verified. 0 or -ENOMEM. */
int pipa_file_notes_text(const struct pipa_profile *profile, struct pipa_buf *out);

/*
 * Write the arrays "missing_files" and "unverified_files", each only if it has entries. 0 or
 * -ENOMEM.
 */
int pipa_file_notes_doc(const struct pipa_profile *profile, struct pipa_doc *doc);

#endif
