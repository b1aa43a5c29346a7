/*
 * Capture the output of a command: copy it to our own output at once, and pass it to a callback.
 *
 * A terminal stays a terminal for the command: a pseudo terminal of the same size that changes no
 * byte, for output only. Input, process group and controlling terminal stay unchanged, so that
 * keys, job control and passwords work, and nothing needs to be restored if pipa dies. stdout and
 * stderr to the same file (2>&1) share one channel, so their order is kept.
 *
 * A thread copies the bytes, because their reader may be slow and measuring must not wait.
 */
#ifndef PIPA_KERNEL_PROCESS_CAPTURE_H
#define PIPA_KERNEL_PROCESS_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_capture;
struct pipa_error;

/* Bytes of descriptor 1 or 2 (1 when both are one) pass; called by the thread. */
typedef void (*pipa_capture_fn)(void *ctx, int stream, const char *bytes, size_t len);

/*
 * Create the channels for descriptors 1 and 2 of the command, which are copied to the descriptors outputs[0]
 * and outputs[1] of this process, if those are open. If outputs is NULL, only the callback gets the bytes, and the
 * command reads /dev/null.
 */
int pipa_capture_open(const int outputs[2], struct pipa_capture **ret, struct pipa_error *err);
void pipa_capture_close(struct pipa_capture *capture);

/* Return the descriptors 0 to 2 of the command, -1 for ours. */
const int *pipa_capture_streams(const struct pipa_capture *capture);

/* Pass on from now on. Our copies of the command's ends stay open until the finish: it may start later. */
int pipa_capture_begin(struct pipa_capture *capture, pipa_capture_fn fn, void *ctx,
		       struct pipa_error *err);

/*
 * Hidden output has no thread, because its callback is never slow: the caller watches the descriptors of streams
 * 1 and 2 and reads them when they are readable. pipa_capture_read() returns false at the end, when it has closed
 * the descriptor.
 */
int pipa_capture_fd(const struct pipa_capture *capture, int stream);
bool pipa_capture_read(struct pipa_capture *capture, int stream);

/* Copy the new size of our terminal to the command's, and signal our process group. */
void pipa_capture_resize(struct pipa_capture *capture);

/* How it went: for each of descriptors 1 and 2 why it could not be written, 0 when it could. */
struct pipa_capture_end {
	int failed[3];
	bool held; /* a process that the command left running can still write */
};

/*
 * Copy the rest after the command has ended, and stop. Blocked output is waited for until a stop
 * signal comes (base/interrupt.h).
 */
struct pipa_capture_end pipa_capture_finish(struct pipa_capture *capture);

static inline void pipa_capture_close_auto(struct pipa_capture **capture)
{
	pipa_capture_close(*capture);
}

#endif
