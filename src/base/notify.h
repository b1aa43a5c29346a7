/* Notify the service manager: systemd's sd_notify(3) without its library. */
#ifndef PIPA_BASE_NOTIFY_H
#define PIPA_BASE_NOTIFY_H

/* Send a state ("READY=1") to NOTIFY_SOCKET; do nothing if it is unset. */
void pipa_notify(const char *state);

#endif
