#include "store/results/results.h"

#include <pthread.h>
#include <stdio.h>

/* A caller that waits for a change. */
struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	bool is_answered;
	int status;
	struct pipa_error err;
	struct pipa_results_answer *answer;
};

static void copy_string(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

static void copy_outcome(void *ctx, const struct pipa_results_outcome *outcome)
{
	struct waiting *waiting = ctx;
	struct pipa_results_answer *answer = waiting->answer;

	pthread_mutex_lock(&waiting->lock);
	waiting->status = outcome->status;
	waiting->err = outcome->err;
	if (!outcome->status && answer) {
		copy_string(answer->hash, sizeof(answer->hash), outcome->hash);
		copy_string(answer->record, sizeof(answer->record), outcome->record);
		copy_string(answer->upload_datetime, sizeof(answer->upload_datetime),
			    outcome->upload_datetime);
		answer->upload_time_us = outcome->upload_time_us;
		answer->runs = outcome->runs;
		answer->recordings = outcome->recordings;
		answer->existed = outcome->existed;
	}
	waiting->is_answered = true;
	pthread_cond_signal(&waiting->answered);
	pthread_mutex_unlock(&waiting->lock);
}

static void begin_waiting(struct waiting *waiting, struct pipa_results_answer *answer)
{
	*waiting = (struct waiting){ .answer = answer };
	pthread_mutex_init(&waiting->lock, NULL);
	pthread_cond_init(&waiting->answered, NULL);
}

/* Wait for the answer if the change was queued. Returns the status of the change. */
static int end_waiting(struct waiting *waiting, int queued, struct pipa_error *err)
{
	int rc = queued;

	if (!queued) {
		pthread_mutex_lock(&waiting->lock);
		while (!waiting->is_answered)
			pthread_cond_wait(&waiting->answered, &waiting->lock);
		pthread_mutex_unlock(&waiting->lock);
		rc = waiting->status;
		if (rc < 0 && err)
			*err = waiting->err;
	}
	pthread_cond_destroy(&waiting->answered);
	pthread_mutex_destroy(&waiting->lock);
	return rc;
}

int pipa_results_upload_wait(struct pipa_results *store, const struct pipa_results_upload *upload,
			     struct pipa_results_answer *ret, struct pipa_error *err)
{
	struct waiting waiting;

	begin_waiting(&waiting, ret);
	return end_waiting(&waiting,
			   pipa_results_upload(store, upload, copy_outcome, &waiting, err), err);
}

int pipa_results_remove_wait(struct pipa_results *store, struct pipa_span table,
			     const struct pipa_span *hashes, size_t n,
			     struct pipa_results_answer *ret, struct pipa_error *err)
{
	struct waiting waiting;

	begin_waiting(&waiting, ret);
	return end_waiting(
		&waiting, pipa_results_remove(store, table, hashes, n, copy_outcome, &waiting, err),
		err);
}

int pipa_results_expire_wait(struct pipa_results *store, uint64_t before_us,
			     struct pipa_results_answer *ret, struct pipa_error *err)
{
	struct waiting waiting;

	begin_waiting(&waiting, ret);
	return end_waiting(&waiting,
			   pipa_results_expire(store, before_us, copy_outcome, &waiting, err), err);
}

int pipa_results_attach_wait(struct pipa_results *store, struct pipa_span table,
			     struct pipa_span hash, const struct pipa_results_recording *recording,
			     const char *temporary, struct pipa_results_answer *ret,
			     struct pipa_error *err)
{
	struct waiting waiting;

	begin_waiting(&waiting, ret);
	return end_waiting(&waiting,
			   pipa_results_attach(store, table, hash, recording, temporary,
					       copy_outcome, &waiting, err),
			   err);
}
