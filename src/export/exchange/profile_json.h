/*
 * Write a profile as one JSON document with the tables of model/profile.h, for scripts:
 * docs/format/profile.schema.json describes it.
 */
#ifndef PIPA_EXPORT_EXCHANGE_PROFILE_JSON_H
#define PIPA_EXPORT_EXCHANGE_PROFILE_JSON_H

#include <stddef.h>

#include "base/pieces.h"

struct pipa_profile;

/*
 * Pass the text to put() in pieces that end anywhere. Returns 0, -ENOMEM, or the first negative
 * result of put(), which ends the writing. Memory beside the profile is one piece.
 */
int pipa_profile_json_write(const struct pipa_profile *profile, pipa_put_fn *put, void *ctx);

#endif
