/*
 * Preferences of the full-screen monitor: lines "name value" in $XDG_CONFIG_HOME/pipa/monitor (default:
 * ~/.config/pipa/monitor). Unknown names and invalid values are ignored.
 */
#ifndef PIPA_SCREEN_MONITOR_PREFERENCES_H
#define PIPA_SCREEN_MONITOR_PREFERENCES_H

struct pipa_buf;
struct pipa_monitor_view;

/* Set the state of the keys from a text, and write it as one. */
void pipa_preferences_parse(struct pipa_monitor_view *view, const char *text);
void pipa_preferences_write(const struct pipa_monitor_view *view, struct pipa_buf *out);

/* Read the user's file, if there is one. */
void pipa_preferences_load(struct pipa_monitor_view *view);

/*
 * Write the user's file if it would change. A failure is not reported: the screen works without, and the
 * terminal may be gone.
 */
void pipa_preferences_save(const struct pipa_monitor_view *view);

#endif
