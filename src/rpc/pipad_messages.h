/*
 * Messages of PIPA's service pipa.PIPAD (proto/pipa.proto) other than the result itself (rpc/result_message.h), as
 * codec/proto.h describes them. Spans are borrowed. Encode and decode with rpc/message.h.
 */
#ifndef PIPA_RPC_PIPAD_MESSAGES_H
#define PIPA_RPC_PIPAD_MESSAGES_H

#include <stdint.h>

#include "base/span.h"
#include "codec/proto.h"

#define PIPA_PIPAD_SERVICE "pipa.PIPAD"

enum {
	PIPA_PIPAD_SUCCESS = 200,
	PIPA_PIPAD_FAILURE = 500,
};

struct pipa_pipad_deploy_resp {
	struct pipa_span message;
	struct pipa_span username;
	struct pipa_span time;
	struct pipa_span hash; /* in single quotes */
	struct pipa_span upload_datetime;
	uint32_t status_code;
};

struct pipa_pipad_download_request {
	struct pipa_span pipad_ip_addr;
	uint32_t pipad_port;
	struct pipa_span table_name;
	struct pipa_span file_option;
};

struct pipa_pipad_download_resp {
	struct pipa_span file_content;
};

extern const struct pipa_proto_message pipa_pipad_deploy_resp_message;
extern const struct pipa_proto_message pipa_pipad_download_request_message;
extern const struct pipa_proto_message pipa_pipad_download_resp_message;

#endif
