/* Container ids in paths of cgroups. */
#ifndef PIPA_MODEL_CONTAINER_H
#define PIPA_MODEL_CONTAINER_H

#include <stddef.h>

enum { PIPA_CONTAINER_ID = 64 }; /* characters */

/*
 * Return where the container id begins in a cgroup's path, PIPA_CONTAINER_ID hexadecimal digits; NULL: there is none.
 * Docker, containerd, CRI-O and Podman all have it: "/docker/ID", "/system.slice/docker-ID.scope",
 * "/kubepods.slice/.../cri-containerd-ID.scope". The innermost one counts.
 */
const char *pipa_container_id(const char *cgroup);

#endif
