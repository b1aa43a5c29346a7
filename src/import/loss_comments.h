/* Losses of a recording in profiles of other formats, which have them as comments. */
#ifndef PIPA_IMPORT_LOSS_COMMENTS_H
#define PIPA_IMPORT_LOSS_COMMENTS_H

struct pipa_profile;

/*
 * Add the losses that pipa wrote as comments, "lost samples: 42", to those of the profile, and remove the comments:
 * export writes them again.
 */
void pipa_loss_comments_read(struct pipa_profile *profile);

#endif
