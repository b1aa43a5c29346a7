/* Choose the event of a recording that a command shows, and note what affects its numbers. */
#ifndef PIPA_JOB_VIEW_CHOOSE_EVENT_H
#define PIPA_JOB_VIEW_CHOOSE_EVENT_H

#include <stdint.h>

struct pipa_error;
struct pipa_loaded;
struct pipa_log;
struct pipa_profile;

/*
 * The event of that name, else (NULL) the first that was sampled, of which a note tells when there are
 * others: the sum of different events means nothing. PIPA_NONE when none has a name, as in folded
 * stacks. -EINVAL when the name is unknown. log may be NULL.
 */
int pipa_choose_event(const struct pipa_profile *profile, const char *name,
		      const struct pipa_log *log, uint32_t *ret, struct pipa_error *err);

/* Its name, "" for PIPA_NONE. */
const char *pipa_chosen_name(const struct pipa_profile *profile, uint32_t event);

/* What a picture is called that nobody gave a title: the file's name without its directories. */
const char *pipa_choose_title(const char *title, const char *path);

/* A note where nothing of the event (PIPA_NONE: of any) was sampled, or chosen. */
void pipa_note_empty(const struct pipa_profile *profile, uint32_t event,
		     const struct pipa_log *log);

/* Notes about what was lost while recording, was left out or is corrupt. */
void pipa_note_losses(const struct pipa_loaded *loaded, const struct pipa_log *log);

#endif
