/* The daemon: store, servers, signals, and their order at start and end. */
#ifndef PIPA_SERVE_DAEMON_H
#define PIPA_SERVE_DAEMON_H

struct pipa_error;
struct pipa_serve_options;

/* Run until a signal ends it. argc and argv are parsed again at a reload. */
int pipa_daemon_run(struct pipa_serve_options *options, int argc, char **argv,
		    struct pipa_error *err);

#endif
