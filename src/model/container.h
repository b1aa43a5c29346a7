/* Container ids in paths of cgroups. */
#ifndef PIPA_MODEL_CONTAINER_H
#define PIPA_MODEL_CONTAINER_H

#include <stddef.h>

enum { PIPA_CONTAINER_ID = 64 }; /* characters */

/*
 * Find the container id in the path of a cgroup: PIPA_CONTAINER_ID hexadecimal digits. Returns its
 * first digit, or NULL if there is none; of several the innermost one. Docker, containerd, CRI-O
 * and Podman write it: "/docker/ID", "/system.slice/docker-ID.scope", "/kubepods.slice/.../cri-
 * containerd-ID.scope".
 */
const char *pipa_container_id(const char *cgroup);

#endif
