#include "serve/services.h"

#include <errno.h>

#include "serve/read.h"
#include "serve/recording.h"
#include "serve/upload.h"

const struct pipa_grpc_method *const pipa_pipad_methods[] = {
	&pipa_upload_deploy,
	&pipa_upload_deploy_stream_reply,
	&pipa_upload_deploy_bidi_stream,
	&pipa_read_download_full_table,
	NULL,
};

const struct pipa_grpc_method *const pipa_store_methods[] = {
	&pipa_upload_upload,	       &pipa_read_query,    &pipa_read_query_metric,
	&pipa_read_list_tables,	       &pipa_read_download, &pipa_recording_upload_method,
	&pipa_read_download_recording, &pipa_upload_delete, NULL,
};

enum pipa_grpc_code pipa_services_code(int rc)
{
	switch (rc) {
	case 0: return PIPA_GRPC_OK;
	case -EINVAL:
	case -EBADMSG:
	case -E2BIG: return PIPA_GRPC_INVALID_ARGUMENT;
	case -ENOENT: return PIPA_GRPC_NOT_FOUND;
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
	case -ENOMEM: return PIPA_GRPC_RESOURCE_EXHAUSTED;
	case -EAGAIN:
	case -EBUSY:
	case -ESHUTDOWN: return PIPA_GRPC_UNAVAILABLE;
	case -ECANCELED: return PIPA_GRPC_CANCELLED;
	default: return PIPA_GRPC_INTERNAL;
	}
}

void pipa_services_fail(struct pipa_grpc_call *call, enum pipa_grpc_code code,
			const struct pipa_error *err)
{
	char text[PIPA_ERROR_LINE_MAX];

	pipa_grpc_call_finish(call, code, pipa_error_line(err, text));
}
