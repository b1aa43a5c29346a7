#include "export/frame/result_frame.h"

#include <errno.h>
#include <pthread.h>

#include "base/buf.h"

enum { HASH, UPLOAD_TIME, RECORD, FIRST_FIELD };

static struct pipa_frame_column columns[FIRST_FIELD + PIPA_RESULT_FIELDS];

static void make_columns(void)
{
	int i;

	columns[HASH] = (struct pipa_frame_column){ "hash", PIPA_FRAME_TEXT, false, NULL };
	columns[UPLOAD_TIME] = (struct pipa_frame_column){ "upload_time", PIPA_FRAME_F64, true,
							   "s" };
	columns[RECORD] = (struct pipa_frame_column){ "record", PIPA_FRAME_TEXT, true, NULL };
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		const struct pipa_result_field_info *info = &pipa_result_fields[i];

		columns[FIRST_FIELD + i - 1] = (struct pipa_frame_column){
			.name = info->name,
			.type = info->type == PIPA_RESULT_UINT64 ? PIPA_FRAME_U64 :
				info->type == PIPA_RESULT_DOUBLE ? PIPA_FRAME_F64 :
								   PIPA_FRAME_TEXT,
			.optional = true,
			.unit = info->unit[0] ? info->unit : NULL,
		};
	}
}

struct pipa_frame_columns pipa_result_frame_columns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_columns);
	return (struct pipa_frame_columns){ columns, PIPA_COUNT(columns) };
}

static void put_span(struct pipa_frame_writer *w, size_t column, struct pipa_span text)
{
	w->put_text(w, column, text.size ? (const char *)text.data : "", text.size);
}

int pipa_result_frame_put(struct pipa_frame_writer *w, struct pipa_span hash,
			  uint64_t upload_time_us, struct pipa_span record,
			  const struct pipa_result *result, struct pipa_buf *text)
{
	int i;

	put_span(w, HASH, hash);
	if (upload_time_us)
		w->put_f64(w, UPLOAD_TIME, (double)upload_time_us / 1e6);
	put_span(w, RECORD, record);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		const union pipa_result_value *value = &result->values[i];
		size_t column = (size_t)(FIRST_FIELD + i - 1);

		if (!pipa_result_has(result, (enum pipa_result_field)i))
			continue;
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT: put_span(w, column, value->text); break;
		case PIPA_RESULT_UINT64: w->put(w, column, value->number); break;
		case PIPA_RESULT_DOUBLE: w->put_f64(w, column, value->real); break;
		case PIPA_RESULT_LIST:
			pipa_buf_reset(text);
			pipa_result_put_list(text, value->list.items, value->list.n);
			if (text->status)
				return text->status;
			w->put_text(w, column, pipa_buf_str(text), text->len);
		}
	}
	return w->end_row(w);
}
