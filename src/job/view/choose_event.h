/* Choose the event of a recording that a command shows, and note what affects its numbers. */
#ifndef PIPA_JOB_VIEW_CHOOSE_EVENT_H
#define PIPA_JOB_VIEW_CHOOSE_EVENT_H

#include <stdint.h>

struct pipa_error;
struct pipa_loaded;
struct pipa_log;
struct pipa_profile;

/*
 * Choose the event of that name or, if NULL, the first that has samples; a note names it if there
 * are others, because different events cannot be added. PIPA_NONE if no event has a name, as in
 * folded stacks. -EINVAL if the name is unknown. log may be NULL.
 */
int pipa_choose_event(const struct pipa_profile *profile, const char *name,
		      const struct pipa_log *log, uint32_t *ret, struct pipa_error *err);

/* Return the name of an event, "" for PIPA_NONE. */
const char *pipa_chosen_name(const struct pipa_profile *profile, uint32_t event);

/* Return the title, by default the file's name without directories. */
const char *pipa_choose_title(const char *title, const char *path);

/* Note that the event (PIPA_NONE: any event) has no samples, or none that match the filters. */
void pipa_note_empty(const struct pipa_profile *profile, uint32_t event,
		     const struct pipa_log *log);

/* Note losses of the recording, skipped parts and corruption. `path` is NULL if the command reads one file. */
void pipa_note_losses(const struct pipa_loaded *loaded, const char *path,
		      const struct pipa_log *log);

#endif
