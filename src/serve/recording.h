/* UploadRecording: a file in chunks, written by the threads of the jobs, attached to its run at the end. */
#ifndef PIPA_SERVE_RECORDING_H
#define PIPA_SERVE_RECORDING_H

#include "net/server/call.h"

extern const struct pipa_grpc_method pipa_recording_upload_method;

#endif
