#include <stdint.h>
#include <unistd.h>

#include "base/thread/message_queue.h"
#include "base/thread/worker.h"
#include "lib/test.h"

static struct pipa_message_queue *new_queue(void)
{
	struct pipa_message_queue *queue = pipa_message_queue_new((size_t)sysconf(_SC_PAGESIZE));

	CHECK(queue);
	return queue;
}

TEST(messages_leave_the_queue_in_their_order)
{
	struct pipa_message_queue *queue = new_queue();
	struct pipa_span first;

	CHECK(!pipa_message_queue_first(queue).data);
	CHECK(pipa_message_queue_put(queue, "one", 3, 0));
	CHECK(pipa_message_queue_put(queue, "second", 6, 0));
	first = pipa_message_queue_first(queue);
	CHECK_EQ(first.size, 3);
	CHECK_EQ(memcmp(first.data, "one", 3), 0);
	CHECK_EQ((uintptr_t)first.data % 8, 0);
	pipa_message_queue_drop(queue);
	first = pipa_message_queue_first(queue);
	CHECK_EQ(first.size, 6);
	CHECK_EQ(memcmp(first.data, "second", 6), 0);
	pipa_message_queue_drop(queue);
	CHECK(!pipa_message_queue_first(queue).data);
	pipa_message_queue_free(queue);
}

TEST(full_queue_refuses_and_the_reserve_stays_free)
{
	struct pipa_message_queue *queue = new_queue();
	char bytes[120] = { 0 };
	size_t n = 0, reserved = 0;

	while (pipa_message_queue_put(queue, bytes, sizeof(bytes), 1024))
		n++;
	CHECK_EQ(n, ((size_t)sysconf(_SC_PAGESIZE) - 1024) / 128);
	while (pipa_message_queue_put(queue, bytes, sizeof(bytes), 0))
		reserved++;
	CHECK_EQ(reserved, 1024 / 128);
	for (; n + reserved; reserved ? reserved-- : n--)
		pipa_message_queue_drop(queue);
	CHECK(!pipa_message_queue_first(queue).data);
	CHECK(pipa_message_queue_put(queue, bytes, sizeof(bytes), 1024));
	CHECK(!pipa_message_queue_put(queue, bytes, (size_t)sysconf(_SC_PAGESIZE), 0));
	pipa_message_queue_free(queue);
}

enum { MESSAGES = 200000 };

/* The n-th message: n, then its length as bytes of the same value. */
static size_t fill_message(uint32_t n, uint8_t bytes[static 300])
{
	size_t len = 4 + n * 7 % 290;

	memset(bytes, (int)(n & 0xff), len);
	memcpy(bytes, &n, sizeof(n));
	return len;
}

static void put_messages(void *ctx)
{
	uint8_t bytes[300];
	uint32_t n;

	for (n = 0; n < MESSAGES; n++) {
		size_t len = fill_message(n, bytes);

		while (!pipa_message_queue_put(ctx, bytes, len, 0))
			usleep(10);
		if (n % 16 == 0)
			pipa_message_queue_wake(ctx);
	}
	pipa_message_queue_wake(ctx);
}

TEST(concurrent_writer_and_reader_lose_nothing)
{
	struct pipa_message_queue *queue = new_queue();
	struct pipa_worker thread = { 0 };
	uint8_t want[300];
	uint32_t n = 0;

	CHECK_EQ(pipa_worker_start(&thread, "writer", PIPA_WORKER_STACK_IO, put_messages, queue),
		 0);
	while (n < MESSAGES) {
		struct pipa_span first = pipa_message_queue_first(queue);

		if (!first.data) {
			pipa_message_queue_wait(queue, 10);
			continue;
		}
		CHECK_EQ(first.size, fill_message(n, want));
		CHECK_EQ(memcmp(first.data, want, first.size), 0);
		pipa_message_queue_drop(queue);
		n++;
	}
	pipa_worker_join(&thread);
	CHECK(!pipa_message_queue_first(queue).data);
	pipa_message_queue_free(queue);
}
