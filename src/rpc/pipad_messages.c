#include "rpc/pipad_messages.h"

#include "base/auto.h"

#define MESSAGE(tag, name_)                                                                        \
	const struct pipa_proto_message tag##_message = { .name = name_,                           \
							  .fields = tag##_fields,                  \
							  .n_fields = PIPA_COUNT(tag##_fields),    \
							  .size = sizeof(struct tag),              \
							  .flat = true }

static const struct pipa_proto_field pipa_pipad_deploy_resp_fields[] = {
	PIPA_PROTO_FIELD(pipa_pipad_deploy_resp, 1, STRING, message),
	PIPA_PROTO_FIELD(pipa_pipad_deploy_resp, 2, STRING, username),
	PIPA_PROTO_FIELD(pipa_pipad_deploy_resp, 3, STRING, time),
	PIPA_PROTO_FIELD(pipa_pipad_deploy_resp, 4, STRING, hash),
	PIPA_PROTO_FIELD(pipa_pipad_deploy_resp, 5, STRING, upload_datetime),
	PIPA_PROTO_FIELD(pipa_pipad_deploy_resp, 6, UINT32, status_code),
};
MESSAGE(pipa_pipad_deploy_resp, "DeployResp");

static const struct pipa_proto_field pipa_pipad_download_request_fields[] = {
	PIPA_PROTO_FIELD(pipa_pipad_download_request, 1, STRING, pipad_ip_addr),
	PIPA_PROTO_FIELD(pipa_pipad_download_request, 2, UINT32, pipad_port),
	PIPA_PROTO_FIELD(pipa_pipad_download_request, 3, STRING, table_name),
	PIPA_PROTO_FIELD(pipa_pipad_download_request, 4, STRING, file_option),
};
MESSAGE(pipa_pipad_download_request, "DownloadFullTableRequest");

static const struct pipa_proto_field pipa_pipad_download_resp_fields[] = {
	PIPA_PROTO_FIELD(pipa_pipad_download_resp, 1, BYTES, file_content),
};
MESSAGE(pipa_pipad_download_resp, "DownloadFullTableResp");
