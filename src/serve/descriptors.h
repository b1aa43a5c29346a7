/* The files of proto/, each encoded as a FileDescriptorSet with one file, for gRPC's reflection service. */
#ifndef PIPA_SERVE_DESCRIPTORS_H
#define PIPA_SERVE_DESCRIPTORS_H

#include "base/span.h"

/* Ends with an empty span. */
extern const struct pipa_span pipa_descriptors[];

#endif
