#include "locate/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/file/tmp.h"
#include "elf/identity.h"
#include "locate/files.h"
#include "net/get.h"

enum {
	MAX_SERVERS = 16,
	MISS_SECONDS = 600,
	STEP_SECONDS = 30,
	CONNECT_SECONDS = 5,
	MOST_SECONDS = 86400
};

struct server {
	char *url;
	bool failed;
};

struct pipa_debuginfod {
	struct server servers[MAX_SERVERS];
	size_t n;
	struct pipa_log log;
	char cache[PATH_MAX - 256]; /* "": not available */
	uint64_t step_ns, connect_ns, max_bytes;
	uint64_t whole_ns; /* limit per file; 0: none */
	bool told_late;
};

/* A requested file. */
struct request {
	const char *id, *what;
	char directory[PATH_MAX - 128], path[PATH_MAX];
	struct pipa_span bytes;
	uint64_t until_ns; /* 0: no limit */
};

/* ---- configuration --------------------------------------------------------------------------- */

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t value;

	return text && pipa_str_u64(text, &value) == 0 && value ? value : otherwise;
}

/* Read a number of seconds; 0 and below mean no limit, for which a day is used. */
static uint64_t env_seconds(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || !text[0])
		return otherwise;
	if (text[0] == '-' && pipa_str_u64(text + 1, &value) == 0)
		return MOST_SECONDS;
	if (pipa_str_u64(text, &value) < 0)
		return otherwise;
	return value && value < MOST_SECONDS ? value : MOST_SECONDS;
}

/* Find the cache directory that elfutils' client would use. */
static void find_cache(struct pipa_debuginfod *d)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct stat st;

	if (own && own[0]) {
		snprintf(d->cache, sizeof(d->cache), "%s", own);
		return;
	}
	if (home && home[0]) {
		snprintf(d->cache, sizeof(d->cache), "%s/.debuginfod_client_cache", home);
		if (stat(d->cache, &st) == 0)
			return; /* location of old versions */
	}
	if (xdg && xdg[0])
		snprintf(d->cache, sizeof(d->cache), "%s/debuginfod_client", xdg);
	else if (home && home[0])
		snprintf(d->cache, sizeof(d->cache), "%s/.cache/debuginfod_client", home);
	else
		d->cache[0] = '\0';
}

static int add_servers(struct pipa_debuginfod *d, const char *urls)
{
	static const char blanks[] = " \t\n";
	size_t len;

	for (urls += strspn(urls, blanks); *urls && d->n < MAX_SERVERS;
	     urls += strspn(urls, blanks)) {
		struct server *s = &d->servers[d->n];

		len = strcspn(urls, blanks);
		s->url = strndup(urls, len);
		if (!s->url)
			return -ENOMEM;
		d->n++;
		urls += len;
		for (len = strlen(s->url); len && s->url[len - 1] == '/'; len--)
			s->url[len - 1] = '\0';
	}
	return 0;
}

struct pipa_debuginfod *pipa_debuginfod_new(const struct pipa_log *log)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct pipa_debuginfod *d;
	uint64_t whole;

	if (!urls || !urls[strspn(urls, " \t\n")])
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d || add_servers(d, urls) < 0) {
		pipa_debuginfod_free(d);
		return NULL;
	}
	d->step_ns = env_seconds("DEBUGINFOD_TIMEOUT", STEP_SECONDS) * PIPA_NS_PER_SEC;
	d->connect_ns = env_seconds("DEBUGINFOD_TIMEOUT", CONNECT_SECONDS) * PIPA_NS_PER_SEC;
	whole = env_seconds("DEBUGINFOD_MAXTIME", MOST_SECONDS);
	d->whole_ns = whole < MOST_SECONDS ? whole * PIPA_NS_PER_SEC : 0;
	d->max_bytes = env_number("DEBUGINFOD_MAXSIZE", UINT64_C(4) << 30);
	if (log)
		d->log = *log;
	find_cache(d);
	return d;
}

void pipa_debuginfod_free(struct pipa_debuginfod *d)
{
	size_t i;

	for (i = 0; d && i < d->n; i++)
		free(d->servers[i].url);
	free(d);
}

/* ---- cache ----------------------------------------------------------------------------------- */

/* Return the seconds after which a missing file is requested again. */
static uint64_t miss_seconds(const struct pipa_debuginfod *d)
{
	char path[PATH_MAX], text[100];
	uint64_t seconds;

	snprintf(path, sizeof(path), "%s/cache_miss_s", d->cache);
	if (pipa_file_read_into(path, text, sizeof(text)) < 0)
		return MISS_SECONDS;
	text[strcspn(text, "\n")] = '\0';
	return pipa_str_u64(text, &seconds) == 0 ? seconds : MISS_SECONDS;
}

/* Look up the cache. 1: found; 0: unknown; -ENOENT: known to be on no server. */
static int look_up_cache(const struct pipa_debuginfod *d, struct request *r)
{
	struct stat st;
	time_t now = time(NULL);

	if (!d->cache[0] || lstat(r->path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_size > 0)
		return pipa_locate_map(r->path, &r->bytes);
	if (now >= st.st_mtime && (uint64_t)(now - st.st_mtime) <= miss_seconds(d))
		return -ENOENT;
	unlink(r->path);
	return 0;
}

/* Create the directories down to that of the build id, like elfutils' client. */
static bool make_directories(const struct request *r)
{
	char path[PATH_MAX];
	struct stat st;
	char *slash;

	snprintf(path, sizeof(path), "%s", r->directory);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Record that no server has the file: an empty file without permissions. */
static void note_miss(const struct pipa_debuginfod *d, const struct request *r)
{
	if (d->cache[0] && make_directories(r))
		pipa_fd_close(open(r->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0));
}

/* ---- servers --------------------------------------------------------------------------------- */

/* Output file of a download: next to its path in the cache, else an unnamed temporary file. */
struct download {
	char path[PATH_MAX + 16];
	int fd;
};

static bool open_download(const struct pipa_debuginfod *d, const struct request *r,
			  struct download *l)
{
	l->fd = -1;
	if (d->cache[0] && make_directories(r)) {
		snprintf(l->path, sizeof(l->path), "%s.XXXXXX", r->path);
		l->fd = mkostemp(l->path, O_CLOEXEC);
	}
	if (l->fd < 0) {
		l->path[0] = '\0';
		l->fd = pipa_tmp_open();
	}
	return l->fd >= 0;
}

static int write_download(void *ctx, const void *bytes, size_t len)
{
	return pipa_file_write(((struct download *)ctx)->fd, bytes, len);
}

static void disable_server(struct pipa_debuginfod *d, struct server *s, const char *why)
{
	s->failed = true;
	pipa_log_put(&d->log, PIPA_LOG_WARN, "debuginfod server %s: %s; not used again", s->url,
		     why);
}

static void note_late(struct pipa_debuginfod *d, const struct server *s)
{
	if (!d->told_late)
		pipa_log_put(&d->log, PIPA_LOG_WARN,
			     "debuginfod server %s: a file took longer than DEBUGINFOD_MAXTIME",
			     s->url);
	d->told_late = true;
}

/* Move a download to the cache and map it, if it is the requested file. */
static bool commit_download(struct download *l, const struct request *r, struct pipa_span id,
			    struct pipa_span *ret)
{
	struct pipa_span own, bytes;

	if (!pipa_locate_map_fd(l->fd, &bytes))
		return false;
	if (!pipa_locate_build_id(bytes, &own) || own.size != id.size ||
	    memcmp(own.data, id.data, id.size) != 0) {
		pipa_locate_unmap(&bytes);
		return false;
	}
	if (l->path[0] && (fchmod(l->fd, 0400) < 0 || rename(l->path, r->path) < 0))
		unlink(l->path);
	l->path[0] = '\0';
	*ret = bytes;
	return true;
}

/* Request a file from a server. 1: found; 0: not on this server; negative: failed. */
static int request_file(struct pipa_debuginfod *d, struct server *s, struct request *r,
			struct pipa_span id)
{
	struct pipa_error err = { 0 };
	struct download download;
	char url[2048];
	int rc;
	struct pipa_get_options get = { .url = url,
					.connect_ns = d->connect_ns,
					.step_ns = d->step_ns,
					.until_ns = r->until_ns,
					.max_bytes = d->max_bytes,
					.put = write_download,
					.ctx = &download };

	if (!open_download(d, r, &download))
		return 0;
	snprintf(url, sizeof(url), "%s/buildid/%s/%s", s->url, r->id, r->what);
	rc = pipa_http_get(&get, &err);
	if (rc == 200 && !commit_download(&download, r, id, &r->bytes)) {
		disable_server(d, s, "the response is not the requested file");
		rc = -EBADMSG;
	} else if (rc >= 0 && rc != 200 && rc != 404) {
		snprintf(err.what, sizeof(err.what), "HTTP status %d", rc);
		disable_server(d, s, err.what);
		rc = -EIO;
	} else if (rc == -ETIME) {
		note_late(d, s);	     /* the server may be faster for other files */
	} else if (rc < 0 && rc != -EFBIG) { /* -EFBIG: other files of the server may be smaller */
		disable_server(d, s, err.what);
	}
	if (download.path[0])
		unlink(download.path);
	close(download.fd);
	return rc == 200 ? 1 : rc == 404 ? 0 : rc;
}

bool pipa_debuginfod_find(struct pipa_debuginfod *d, struct pipa_span id, const char *what,
			  struct pipa_span *ret)
{
	char text[2 * PIPA_ELF_BUILD_ID_MAX + 1];
	struct request r = { .id = text, .what = what };
	bool all = true;
	size_t i;
	int rc;

	if (id.size < 2 || id.size > PIPA_ELF_BUILD_ID_MAX)
		return false;
	for (i = 0; i < id.size; i++)
		snprintf(text + 2 * i, 3, "%02x", id.data[i]);
	snprintf(r.directory, sizeof(r.directory), "%s/%s", d->cache, text);
	snprintf(r.path, sizeof(r.path), "%s/%s", r.directory, what);
	rc = look_up_cache(d, &r);
	r.until_ns = d->whole_ns ? pipa_clock_ns() + d->whole_ns : 0;
	for (i = 0; rc == 0 && i < d->n; i++) {
		if (!d->servers[i].failed)
			rc = request_file(d, &d->servers[i], &r, id);
		if (d->servers[i].failed || rc == -EFBIG) {
			all = false;
			rc = 0;
		}
	}
	if (rc == 0 && all) /* a server that failed might have the file */
		note_miss(d, &r);
	*ret = r.bytes;
	return rc > 0;
}
