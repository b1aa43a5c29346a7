#include "measure/sample/record_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "base/visible.h"

struct pipa_record_print {
	struct pipa_record_sink sink; /* first member: callbacks cast it to the printer */
	const struct pipa_perf_events *events;
	struct pipa_perf_decoder *decoder;
	struct pipa_buf text;
	bool begun;
};

static const char *event_name(const struct pipa_record_print *p, uint32_t event, char buf[64])
{
	char raw[64];

	if (event >= p->events->n)
		return "?";
	pipa_visible_copy(buf, 64, pipa_perf_event_name(&p->events->items[event], raw));
	return buf;
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample)
{
	struct pipa_record_print *p = (struct pipa_record_print *)self;
	char name[64];

	if (!p->begun)
		pipa_buf_printf(&p->text, "%16s %7s %7s %16s %4s %12s %s\n", "ip", "pid", "tid",
				"time", "cpu", "period", "event");
	p->begun = true;
	pipa_buf_printf(&p->text,
			"%16" PRIx64 " %7d %7d %6" PRIu64 ".%09" PRIu64 " %4u %12" PRIu64 " %s\n",
			sample->ip, (int)id->pid, (int)id->tid, id->time / PIPA_NS_PER_SEC,
			id->time % PIPA_NS_PER_SEC, id->cpu, sample->period,
			event_name(p, id->event, name));
	return 0;
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct pipa_record_print *p = (struct pipa_record_print *)self;
	char name[64];

	pipa_buf_printf(&p->text, "# lost %" PRIu64 " on cpu %d (%s)\n", lost->lost, (int)id->cpu,
			event_name(p, id->event, name));
	return 0;
}

int pipa_record_print_new(const struct pipa_perf_events *events, struct pipa_record_print **ret)
{
	struct pipa_record_print *p = calloc(1, sizeof(*p));

	if (!p || pipa_perf_decoder_new(events, &p->decoder) < 0) {
		free(p);
		return -ENOMEM;
	}
	p->events = events;
	p->sink.sample = on_sample;
	p->sink.lost = on_lost;
	*ret = p;
	return 0;
}

void pipa_record_print_free(struct pipa_record_print *p)
{
	if (!p)
		return;
	pipa_perf_decoder_free(p->decoder);
	pipa_buf_done(&p->text);
	free(p);
}

int pipa_record_print_add(struct pipa_record_print *p, const struct pipa_perf_raw *raw)
{
	struct pipa_rec_id id;
	int rc = pipa_perf_decode_id(p->decoder, raw, &id);

	if (!rc)
		rc = pipa_perf_decode(p->decoder, raw, &id, &p->sink);
	return rc == -EBADMSG ? 0 : rc; /* records of the kernel are complete */
}

int pipa_record_print_flush(struct pipa_record_print *p, int fd)
{
	int rc = p->text.status;

	if (!rc && p->text.len)
		rc = pipa_file_write(fd, p->text.data, p->text.len);
	pipa_buf_reset(&p->text);
	return rc;
}
