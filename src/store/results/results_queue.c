/* Queue of the changes that wait for the writer of a store of results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "rpc/result_hash.h"
#include "store/results/results_own.h"

enum {
	BATCH_MAX = 1024, /* changes per transaction, and their bytes, or one change */
	BATCH_BYTES_MAX = 16 << 20,
	QUEUE_BYTES_MAX = 256 << 20,
};

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies the parts of a change after its struct: a first pass measures, a second one copies. */
struct copier {
	char *pos; /* NULL: measuring */
	size_t size;
};

static void *copy_bytes(struct copier *c, const void *bytes, size_t size)
{
	size_t take = (size + 1 + 15) & ~(size_t)15; /* a NUL, and alignment */
	char *to = c->pos;

	c->size += take;
	if (!to)
		return NULL;
	c->pos += take;
	if (size)
		memcpy(to, bytes, size);
	to[size] = '\0';
	return to;
}

static struct pipa_span copy_span(struct copier *c, struct pipa_span span)
{
	return (struct pipa_span){ copy_bytes(c, span.data, span.size), span.size };
}

static void copy_result(struct copier *c, const struct pipa_result *from, struct pipa_result *to)
{
	int i;

	*to = *from;
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		union pipa_result_value *value = &to->values[i];

		if (!pipa_result_has(from, (enum pipa_result_field)i))
			continue;
		if (pipa_result_fields[i].type == PIPA_RESULT_TEXT)
			value->text = copy_span(c, value->text);
		else if (pipa_result_fields[i].type == PIPA_RESULT_LIST)
			value->list.items = copy_bytes(c, value->list.items,
						       value->list.n * sizeof(uint32_t));
	}
}

static void copy_labels(struct copier *c, const struct pipa_results_label *from, size_t n,
			struct pipa_results_change *to)
{
	size_t i;

	to->labels = copy_bytes(c, from, n * sizeof(*from));
	to->n_labels = n;
	for (i = 0; i < n; i++) {
		struct pipa_span key = copy_span(c, from[i].key);
		struct pipa_span value = copy_span(c, from[i].value);

		if (to->labels)
			to->labels[i] = (struct pipa_results_label){ key, value };
	}
}

static void copy_hashes(struct copier *c, const struct pipa_span *from, size_t n,
			struct pipa_results_change *to)
{
	size_t i;

	to->hashes = copy_bytes(c, from, n * sizeof(*from));
	to->n_hashes = n;
	for (i = 0; i < n; i++) {
		struct pipa_span hash = copy_span(c, from[i]);

		if (to->hashes)
			to->hashes[i] = hash;
	}
}

/* The parts of a change; unused ones are empty. */
struct draft {
	enum pipa_results_change_kind kind;
	struct pipa_span table;
	const struct pipa_result *result;
	const struct pipa_results_label *labels;
	size_t n_labels;
	const struct pipa_span *hashes;
	size_t n_hashes;
	const struct pipa_results_recording *recording;
	const char *temporary;
	uint64_t before_us;
	pipa_results_done done;
	void *ctx;
};

static void copy_draft(struct copier *c, const struct draft *draft, struct pipa_results_change *to)
{
	if (draft->result)
		copy_result(c, draft->result, &to->result);
	copy_labels(c, draft->labels, draft->n_labels, to);
	copy_hashes(c, draft->hashes, draft->n_hashes, to);
	if (draft->recording) {
		to->recording = *draft->recording;
		to->recording.id = copy_span(c, draft->recording->id);
		to->recording.name = copy_span(c, draft->recording->name);
		to->temporary = copy_bytes(c, draft->temporary, strlen(draft->temporary));
	}
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int enqueue(struct pipa_sqlite_results *store, const struct draft *draft,
		   struct pipa_error *err)
{
	struct pipa_results_change measured = { 0 }, *change;
	struct pipa_sqlite_table *table;
	struct copier c = { 0 };
	int rc = 0;

	table = pipa_sqlite_results_table(store, draft->table, err);
	if (!table)
		return -ENOENT;
	copy_draft(&c, draft, &measured);
	change = malloc(sizeof(*change) + c.size);
	if (!change)
		return pipa_fail(err, -ENOMEM, "queue a change of results");
	*change = (struct pipa_results_change){ .kind = draft->kind,
						.size = sizeof(*change) + c.size,
						.table = table,
						.before_us = draft->before_us,
						.done = draft->done,
						.ctx = draft->ctx };
	c = (struct copier){ (char *)(change + 1), 0 };
	copy_draft(&c, draft, change);
	if (draft->result)
		pipa_result_hash(&change->result, change->hash);

	pthread_mutex_lock(&store->lock);
	if (store->stopping)
		rc = -ESHUTDOWN;
	else if (store->n_queued >= store->queue_max ||
		 (store->n_queued && store->queued_bytes + change->size > QUEUE_BYTES_MAX))
		rc = -EAGAIN;
	if (!rc) {
		*store->last = change;
		store->last = &change->next;
		store->n_queued++;
		atomic_fetch_add(&store->base.counters.queued, 1);
		store->queued_bytes += change->size;
		pthread_cond_signal(&store->changed);
	}
	pthread_mutex_unlock(&store->lock);
	if (!rc)
		return 0;
	free(change);
	if (rc == -ESHUTDOWN)
		return pipa_refuse(err, rc, "cannot change results: the store is closing");
	pipa_refuse(err, rc, "cannot change results: too many changes wait for the disk");
	pipa_hint(err, "try again later");
	return rc;
}

static int check_labels(const struct pipa_results_label *labels, size_t n, struct pipa_error *err)
{
	size_t i;

	if (n > PIPA_RESULTS_LABELS_MAX)
		return pipa_refuse(err, -EINVAL, "cannot store a result: more than %d labels",
				   PIPA_RESULTS_LABELS_MAX);
	for (i = 0; i < n; i++) {
		const struct pipa_span texts[] = { labels[i].key, labels[i].value };
		size_t t;

		if (!labels[i].key.size)
			return pipa_refuse(err, -EINVAL,
					   "cannot store a result: a label has no key");
		for (t = 0; t < PIPA_COUNT(texts); t++)
			if (texts[t].size > PIPA_RESULTS_LABEL_MAX ||
			    (texts[t].size && memchr(texts[t].data, '\0', texts[t].size)) ||
			    !pipa_utf8_is_valid(texts[t].data, texts[t].size))
				return pipa_refuse(
					err, -EINVAL,
					"cannot store a result: invalid label, expected UTF-8 "
					"of at most %d bytes",
					PIPA_RESULTS_LABEL_MAX);
	}
	return 0;
}

int pipa_results_queue_upload(struct pipa_results *base, const struct pipa_results_upload *upload,
			      pipa_results_done done, void *ctx, struct pipa_error *err)
{
	struct draft draft = { .kind = PIPA_RESULTS_UPLOAD,
			       .table = upload->table,
			       .result = upload->result,
			       .labels = upload->labels,
			       .n_labels = upload->n_labels,
			       .done = done,
			       .ctx = ctx };
	int rc;

	if (!upload->result->set)
		return pipa_refuse(err, -EINVAL, "cannot store a result: it has no values");
	rc = pipa_result_check(upload->result, err);
	if (!rc)
		rc = check_labels(upload->labels, upload->n_labels, err);
	return rc < 0 ? rc : enqueue(pipa_sqlite_results_of(base), &draft, err);
}

int pipa_results_queue_remove(struct pipa_results *base, struct pipa_span table,
			      const struct pipa_span *hashes, size_t n, pipa_results_done done,
			      void *ctx, struct pipa_error *err)
{
	struct draft draft = { .kind = PIPA_RESULTS_REMOVE,
			       .table = table,
			       .hashes = hashes,
			       .n_hashes = n,
			       .done = done,
			       .ctx = ctx };

	return enqueue(pipa_sqlite_results_of(base), &draft, err);
}

int pipa_results_queue_attach(struct pipa_results *base, struct pipa_span table,
			      struct pipa_span hash, const struct pipa_results_recording *recording,
			      const char *temporary, pipa_results_done done, void *ctx,
			      struct pipa_error *err)
{
	struct draft draft = { .kind = PIPA_RESULTS_ATTACH,
			       .table = table,
			       .hashes = &hash,
			       .n_hashes = 1,
			       .recording = recording,
			       .temporary = temporary,
			       .done = done,
			       .ctx = ctx };

	if (recording->id.size != PIPA_RESULTS_HASH_CHARS ||
	    memchr(recording->id.data, '/', recording->id.size))
		return pipa_refuse(err, -EINVAL, "cannot attach a recording: invalid id");
	return enqueue(pipa_sqlite_results_of(base), &draft, err);
}

int pipa_results_queue_expire(struct pipa_results *base, uint64_t before_us, pipa_results_done done,
			      void *ctx, struct pipa_error *err)
{
	struct draft draft = {
		.kind = PIPA_RESULTS_EXPIRE, .before_us = before_us, .done = done, .ctx = ctx
	};

	return enqueue(pipa_sqlite_results_of(base), &draft, err);
}

/* ---- taking ---------------------------------------------------------------------------------- */

struct pipa_results_change *pipa_results_queue_take(struct pipa_sqlite_results *store)
{
	struct pipa_results_change *batch, *change;
	size_t n = 0, bytes = 0;

	pthread_mutex_lock(&store->lock);
	while (!store->first && !store->stopping)
		pthread_cond_wait(&store->changed, &store->lock);
	batch = store->first;
	for (change = batch; change; change = change->next) {
		store->n_queued--;
		atomic_fetch_sub(&store->base.counters.queued, 1);
		store->queued_bytes -= change->size;
		bytes += change->size;
		if (++n == BATCH_MAX ||
		    (change->next && bytes + change->next->size > BATCH_BYTES_MAX))
			break;
	}
	store->first = change ? change->next : NULL;
	if (!store->first)
		store->last = &store->first;
	if (change)
		change->next = NULL;
	pthread_mutex_unlock(&store->lock);
	return batch;
}

void pipa_results_queue_answer(struct pipa_results_change *change)
{
	struct pipa_results_outcome *outcome = &change->outcome;

	if (change->kind == PIPA_RESULTS_UPLOAD && !outcome->status) {
		outcome->hash = change->hash;
		outcome->record = change->record;
		outcome->upload_datetime = change->datetime;
	}
	change->done(change->ctx, outcome);
	free(change->record);
	free(change);
}
