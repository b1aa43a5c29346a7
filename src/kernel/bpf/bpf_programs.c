#include "kernel/bpf/bpf_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "kernel/bpf/btf.h"

enum {
	MOST_FUNCTIONS = 4096, /* of a program; the verifier takes 256 */
	MOST_BTF = 16 << 20,
	FUNC_INFO = 8, /* of what we read of a record: instruction, type */
};

/* What the kernel fills in for one program. */
struct arrays {
	uint64_t *starts;
	uint32_t *lens;
	uint8_t (*tags)[BPF_TAG_SIZE];
	uint8_t *func_info;
};

static int call(int command, union bpf_attr *attr)
{
	long rc = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : (int)rc;
}

static int info_of(int fd, void *info, uint32_t size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static int open_by_id(int command, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id; /* a btf_id is in the same place */
	return call(command, &attr);
}

/* The types of a program, where its functions' names are; empty when it has none. */
static void load_btf(uint32_t id, struct pipa_btf *ret, uint8_t **ret_bytes)
{
	struct bpf_btf_info info = { 0 };
	PIPA_AUTO(pipa_fd_close) int fd = id ? open_by_id(BPF_BTF_GET_FD_BY_ID, id) : -1;
	uint8_t *bytes;
	uint32_t size;

	if (fd < 0 || info_of(fd, &info, sizeof(info)) < 0 || info.btf_size > MOST_BTF)
		return;
	size = info.btf_size;
	bytes = malloc(size + 1);
	if (!bytes)
		return;
	info = (struct bpf_btf_info){ .btf = (uintptr_t)bytes, .btf_size = size };
	if (info_of(fd, &info, sizeof(info)) < 0 || pipa_btf_init(ret, bytes, size) < 0) {
		free(bytes);
		return;
	}
	*ret_bytes = bytes;
}

static void name_function(struct pipa_bpf_function *f, const uint8_t *tag, const char *name)
{
	char hex[2 * BPF_TAG_SIZE + 1];
	size_t i;

	for (i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", tag[i]);
	snprintf(f->name, sizeof(f->name), "bpf_prog_%s%s%s", hex, *name ? "_" : "", name);
}

/* Its own name, that of the program where it is the only one; else "F", as the kernel calls it. */
static const char *find_name(const struct bpf_prog_info *info, const struct arrays *a,
			     const struct pipa_btf *btf, size_t i)
{
	uint32_t type;

	if (btf->n && i < info->nr_func_info) {
		memcpy(&type, a->func_info + i * info->func_info_rec_size + 4, sizeof(type));
		return pipa_btf_name(btf, type);
	}
	return info->nr_jited_ksyms == 1 ? info->name : "F";
}

static int hand_out(const struct bpf_prog_info *info, const struct arrays *a,
		    int (*fn)(void *ctx, const struct pipa_bpf_program *program), void *ctx)
{
	PIPA_AUTO(free) uint8_t *bytes = NULL;
	PIPA_AUTO(free) struct pipa_bpf_function *functions = NULL;
	struct pipa_bpf_program program = { .id = info->id };
	struct pipa_btf btf = { 0 };
	size_t i;
	int rc;

	functions = calloc(info->nr_jited_ksyms + 1, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	if (info->nr_func_info)
		load_btf(info->btf_id, &btf, &bytes);
	memcpy(program.tag, info->tag, sizeof(program.tag));
	for (i = 0; i < info->nr_jited_ksyms; i++) {
		struct pipa_bpf_function *f = &functions[program.n];

		if (!a->starts[i])
			continue; /* withheld */
		f->start = a->starts[i];
		f->len = a->lens[i];
		name_function(f, a->tags[i], find_name(info, a, &btf, i));
		program.n++;
	}
	program.functions = functions;
	rc = program.n ? fn(ctx, &program) : 0;
	pipa_btf_done(&btf);
	return rc;
}

/* How much there is, then all of it, if that has not changed: programs do not. */
static int load(int fd, int (*fn)(void *ctx, const struct pipa_bpf_program *program), void *ctx)
{
	struct bpf_prog_info size = { 0 }, info = { 0 };
	struct arrays a;
	uint32_t n;
	int rc = info_of(fd, &size, sizeof(size));

	n = size.nr_jited_ksyms;
	if (rc < 0 || !n || n > MOST_FUNCTIONS || size.nr_jited_func_lens != n)
		return 0;
	if (size.nr_func_info != n || size.func_info_rec_size < FUNC_INFO ||
	    size.func_info_rec_size > 256 || size.nr_prog_tags != n)
		size.nr_func_info = 0;
	a.starts = calloc(n, sizeof(*a.starts));
	a.lens = calloc(n, sizeof(*a.lens));
	a.tags = calloc(n, sizeof(*a.tags));
	a.func_info = calloc(n, size.func_info_rec_size + 1);
	if (!a.starts || !a.lens || !a.tags || !a.func_info) {
		rc = -ENOMEM;
		goto out;
	}
	info.nr_jited_ksyms = info.nr_jited_func_lens = n;
	info.jited_ksyms = (uintptr_t)a.starts;
	info.jited_func_lens = (uintptr_t)a.lens;
	info.nr_prog_tags = size.nr_prog_tags < n ? size.nr_prog_tags : n;
	info.prog_tags = (uintptr_t)a.tags;
	info.nr_func_info = size.nr_func_info;
	info.func_info_rec_size = size.nr_func_info ? size.func_info_rec_size : 0;
	info.func_info = size.nr_func_info ? (uintptr_t)a.func_info : 0;
	if (info_of(fd, &info, sizeof(info)) < 0 || info.nr_jited_ksyms != n)
		goto out;
	memcpy(a.tags[0], info.tag, sizeof(a.tags[0])); /* the first is the program */
	info.nr_func_info = size.nr_func_info;
	rc = hand_out(&info, &a, fn, ctx);
out:
	free(a.starts);
	free(a.lens);
	free(a.tags);
	free(a.func_info);
	return rc;
}

int pipa_bpf_programs(int (*fn)(void *ctx, const struct pipa_bpf_program *program), void *ctx)
{
	union bpf_attr attr;
	uint32_t id = 0;
	int fd, rc;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		rc = call(BPF_PROG_GET_NEXT_ID, &attr);
		if (rc < 0)
			return rc == -ENOENT ? 0 : rc == -EINVAL ? -ENOSYS : rc;
		id = attr.next_id;
		fd = open_by_id(BPF_PROG_GET_FD_BY_ID, id);
		if (fd == -ENOENT)
			continue; /* it has gone */
		if (fd < 0)
			return fd;
		rc = load(fd, fn, ctx);
		close(fd);
		if (rc)
			return rc;
	}
}
