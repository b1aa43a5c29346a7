/* Notify the service manager: systemd's sd_notify(3) without its library. */
#ifndef PIPA_BASE_NOTIFY_H
#define PIPA_BASE_NOTIFY_H

/* Send a state ("READY=1") to whoever NOTIFY_SOCKET names; without one nobody wants to know. */
void pipa_notify(const char *state);

#endif
