/*
 * Pass messages from one thread to another through a ring of memory of fixed size: without a lock, without an allocation,
 * and without a wait of the thread that puts them in. A full queue refuses messages.
 */
#ifndef PIPA_BASE_THREAD_MESSAGE_QUEUE_H
#define PIPA_BASE_THREAD_MESSAGE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct pipa_message_queue;

/* Create a queue of `bytes`, a power of two of at least a page. NULL on failure. */
struct pipa_message_queue *pipa_message_queue_new(size_t bytes);
void pipa_message_queue_free(struct pipa_message_queue *queue);

/*
 * Copy a message into the queue; one thread at a time. False if fewer than `reserve` bytes would stay free: then nothing
 * is changed. The reader sees it at once, but is woken only by pipa_message_queue_wake().
 */
bool pipa_message_queue_put(struct pipa_message_queue *queue, const void *bytes, size_t len,
			    size_t reserve);

/* Make the descriptor of the reader readable. Any thread may call it. */
void pipa_message_queue_wake(struct pipa_message_queue *queue);

/*
 * Return the first message, aligned to 8 bytes, or a span without data; valid until pipa_message_queue_drop() removes it.
 * One thread at a time.
 */
struct pipa_span pipa_message_queue_first(struct pipa_message_queue *queue);
void pipa_message_queue_drop(struct pipa_message_queue *queue);

/* Wait for pipa_message_queue_wake(), or for `ms` milliseconds at most; by the thread that reads. */
void pipa_message_queue_wait(struct pipa_message_queue *queue, int ms);

#endif
