#include "store/results/recording_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "codec/sha256.h"

_Static_assert((int)PIPA_SHA256_CHARS == (int)PIPA_RESULTS_HASH_CHARS, "ids are sums");

struct pipa_recording_upload {
	struct pipa_results *store;
	char *table, *hash, *name;
	size_t table_len, hash_len, name_len;
	int dir_fd, fd;
	char temporary[64]; /* name in the directory */
	uint64_t size;
	struct pipa_sha256 sha;
};

static struct pipa_span span_of(const char *text, size_t len)
{
	return (struct pipa_span){ (const uint8_t *)text, len };
}

/* Find the run with that hash, and its recordings. */
static int find_run(struct pipa_results *store, struct pipa_span table, struct pipa_span hash,
		    struct pipa_results_scan **ret_scan, const struct pipa_results_run **ret,
		    struct pipa_error *err)
{
	struct pipa_results_filter filter = { .table = table, .hash = hash, .with_labels = true };
	int rc;

	if (!hash.size)
		return pipa_refuse(err, -EINVAL, "cannot find a run without a hash");
	rc = pipa_results_scan(store, &filter, ret_scan, err);
	if (rc < 0)
		return rc;
	rc = pipa_results_next(store, *ret_scan, ret, err);
	if (rc > 0)
		return 0;
	pipa_results_end(store, *ret_scan);
	return rc < 0 ? rc :
			pipa_refuse(err, -ENOENT, "cannot find run %.*s",
				    (int)(hash.size < PIPA_RESULTS_HASH_CHARS ?
						  hash.size :
						  PIPA_RESULTS_HASH_CHARS),
				    (const char *)hash.data);
}

static bool is_file_name(struct pipa_span name)
{
	return name.size && name.size <= PIPA_RESULTS_FILE_NAME_MAX &&
	       !memchr(name.data, '/', name.size) && !memchr(name.data, '\0', name.size) &&
	       !(name.data[0] == '.' &&
		 (name.size == 1 || (name.size == 2 && name.data[1] == '.'))) &&
	       pipa_utf8_is_valid(name.data, name.size);
}

static int create_file(struct pipa_recording_upload *upload, struct pipa_error *err)
{
	static atomic_uint next;

	upload->dir_fd = open(upload->store->recordings, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (upload->dir_fd < 0)
		return pipa_fail(err, -errno, "open %s", upload->store->recordings);
	snprintf(upload->temporary, sizeof(upload->temporary), "tmp.%llx.%x",
		 (unsigned long long)pipa_clock_ns(), atomic_fetch_add(&next, 1));
	upload->fd = openat(upload->dir_fd, upload->temporary,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (upload->fd < 0) {
		upload->temporary[0] = '\0';
		return pipa_fail(err, -errno, "create a file in %s", upload->store->recordings);
	}
	return 0;
}

int pipa_recording_begin(struct pipa_results *store, struct pipa_span table, struct pipa_span hash,
			 struct pipa_span name, struct pipa_recording_upload **ret,
			 struct pipa_error *err)
{
	struct pipa_recording_upload *upload;
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;
	int rc;

	if (!is_file_name(name))
		return pipa_refuse(err, -EINVAL,
				   "invalid name of a recording, expected a file name of at most "
				   "%d bytes",
				   PIPA_RESULTS_FILE_NAME_MAX);
	rc = find_run(store, table, hash, &scan, &run, err);
	if (rc < 0)
		return rc;
	pipa_results_end(store, scan);
	upload = calloc(1, sizeof(*upload));
	if (!upload)
		return pipa_fail(err, -ENOMEM, "store a recording");
	*upload = (struct pipa_recording_upload){ .store = store,
						  .table_len = table.size,
						  .hash_len = hash.size,
						  .name_len = name.size,
						  .dir_fd = -1,
						  .fd = -1 };
	upload->table = strndup(table.size ? (const char *)table.data : "", table.size);
	upload->hash = strndup((const char *)hash.data, hash.size);
	upload->name = strndup((const char *)name.data, name.size);
	pipa_sha256_init(&upload->sha);
	if (!upload->table || !upload->hash || !upload->name)
		rc = pipa_fail(err, -ENOMEM, "store a recording");
	else
		rc = create_file(upload, err);
	if (rc < 0)
		pipa_recording_end(upload);
	else
		*ret = upload;
	return rc;
}

int pipa_recording_add(struct pipa_recording_upload *upload, struct pipa_span bytes,
		       struct pipa_error *err)
{
	size_t left = bytes.size;
	const uint8_t *at = bytes.data;
	ssize_t n;

	while (left) {
		n = write(upload->fd, at, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pipa_fail(err, -errno, "write a recording to %s",
					 upload->store->recordings);
		at += n;
		left -= (size_t)n;
	}
	pipa_sha256_add(&upload->sha, bytes.data, bytes.size);
	upload->size += bytes.size;
	return 0;
}

int pipa_recording_commit(struct pipa_recording_upload *upload, struct pipa_span expected_id,
			  uint64_t expected_size, struct pipa_recording_info *ret,
			  struct pipa_error *err)
{
	struct pipa_recording_info info = { .size = upload->size };
	uint8_t sum[PIPA_SHA256_SIZE];
	struct pipa_results_recording recording;
	struct pipa_results_answer answer = { 0 };
	int rc;

	pipa_sha256_end(&upload->sha, sum);
	pipa_sha256_hex(sum, info.id);
	if ((expected_size && expected_size != upload->size) ||
	    (expected_id.size && (expected_id.size != PIPA_SHA256_CHARS ||
				  memcmp(expected_id.data, info.id, PIPA_SHA256_CHARS) != 0)))
		return pipa_refuse(err, -EBADMSG,
				   "cannot store a recording: its bytes are not those that were "
				   "announced");
	if (fsync(upload->fd) < 0)
		return pipa_fail(err, -errno, "sync a recording in %s", upload->store->recordings);
	recording = (struct pipa_results_recording){
		.id = span_of(info.id, PIPA_SHA256_CHARS),
		.name = span_of(upload->name, upload->name_len),
		.size = upload->size,
	};
	rc = pipa_results_attach_wait(upload->store, span_of(upload->table, upload->table_len),
				      span_of(upload->hash, upload->hash_len), &recording,
				      upload->temporary, &answer, err);
	if (rc < 0)
		return rc;
	upload->temporary[0] = '\0';
	snprintf(info.name, sizeof(info.name), "%s", upload->name);
	info.upload_time_us = answer.upload_time_us;
	info.existed = answer.existed;
	*ret = info;
	return 0;
}

void pipa_recording_end(struct pipa_recording_upload *upload)
{
	if (!upload)
		return;
	if (upload->temporary[0])
		unlinkat(upload->dir_fd, upload->temporary, 0);
	pipa_fd_close(upload->fd);
	pipa_fd_close(upload->dir_fd);
	free(upload->table);
	free(upload->hash);
	free(upload->name);
	free(upload);
}

static bool equals(struct pipa_span a, struct pipa_span b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

int pipa_recording_open(struct pipa_results *store, struct pipa_span table, struct pipa_span hash,
			struct pipa_span id, struct pipa_recording_info *ret,
			struct pipa_error *err)
{
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;
	struct pipa_recording_info info = { 0 };
	char path[4096];
	size_t i;
	int fd, rc;

	if (id.size != PIPA_SHA256_CHARS)
		return pipa_refuse(err, -EINVAL, "invalid id of a recording");
	rc = find_run(store, table, hash, &scan, &run, err);
	if (rc < 0)
		return rc;
	for (i = 0; i < run->n_recordings; i++) {
		const struct pipa_results_recording *recording = &run->recordings[i];

		if (!equals(recording->id, id))
			continue;
		snprintf(info.id, sizeof(info.id), "%.*s", (int)id.size, (const char *)id.data);
		snprintf(info.name, sizeof(info.name), "%.*s", (int)recording->name.size,
			 (const char *)recording->name.data);
		info.size = recording->size;
		info.upload_time_us = recording->upload_time_us;
	}
	pipa_results_end(store, scan);
	if (!info.id[0])
		return pipa_refuse(err, -ENOENT, "cannot find recording %.64s of the run",
				   (const char *)id.data);
	snprintf(path, sizeof(path), "%s/%s", store->recordings, info.id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pipa_fail(err, -errno, "open %s", path);
	*ret = info;
	return fd;
}
