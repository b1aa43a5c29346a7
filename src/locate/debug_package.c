#include "locate/debug_package.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "base/str.h"

enum { LIST_MAX = 64 << 20, PATH_ROOM = 512 };

/*
 * Is the path a line of the text? Systems with a merged /usr have /bin, /lib and /sbin as links, in the database as
 * either.
 */
static bool lists_path(const char *text, const char *path)
{
	const char *at = text;
	size_t len;

	if (pipa_str_starts(path, "/usr/lib") || pipa_str_starts(path, "/usr/bin/") ||
	    pipa_str_starts(path, "/usr/sbin/"))
		path += strlen("/usr");
	len = strlen(path);
	while ((at = strstr(at, path))) {
		bool begins = at == text || at[-1] == '\n' ||
			      (at - text >= 4 && memcmp(at - 4, "/usr", 4) == 0 &&
			       (at - text == 4 || at[-5] == '\n'));

		if (begins && (at[len] == '\n' || !at[len]))
			return true;
		at += len;
	}
	return false;
}

/* Turn "libssl3:amd64.list" into the name of the package with its debug files. */
static void name_debug_package(const char *file, char ret[static PIPA_DEBUG_PACKAGE_MAX])
{
	size_t len = strcspn(file, ":");
	size_t most = strlen(file) - strlen(".list");

	len = len < most ? len : most;
	snprintf(ret, PIPA_DEBUG_PACKAGE_MAX, "%.*s-%s", (int)(len < 120 ? len : 120), file,
		 len == 5 && memcmp(file, "libc6", 5) == 0 ? "dbg" : "dbgsym");
}

static bool find_dpkg(const char *root, const char *path, char ret[static PIPA_DEBUG_PACKAGE_MAX])
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = LIST_MAX };
	char name[PATH_ROOM];
	struct dirent *entry;
	bool found = false;
	size_t len;
	DIR *dir;

	snprintf(name, sizeof(name), "%s/var/lib/dpkg/info", root);
	dir = opendir(name);
	while (dir && !found && (entry = readdir(dir))) {
		len = strlen(entry->d_name);
		if (len <= 5 || strcmp(entry->d_name + len - 5, ".list") != 0)
			continue;
		snprintf(name, sizeof(name), "%s/var/lib/dpkg/info/%.255s", root, entry->d_name);
		pipa_buf_reset(&text);
		if (pipa_file_read(name, &text, NULL) < 0 || !lists_path(pipa_buf_str(&text), path))
			continue;
		name_debug_package(entry->d_name, ret);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

void pipa_debug_package_find(const char *root, const char *path, const uint8_t *build_id,
			     size_t build_id_len, char ret[static PIPA_DEBUG_PACKAGE_MAX])
{
	static const char *const rpm[] = { "/var/lib/rpm", "/usr/lib/sysimage/rpm" };
	char name[PATH_ROOM];
	size_t i, n;

	root = root ? root : "";
	ret[0] = '\0';
	if (path[0] != '/' || find_dpkg(root, path, ret) || build_id_len < 2 || build_id_len > 32)
		return;
	for (i = 0; i < PIPA_COUNT(rpm); i++) {
		snprintf(name, sizeof(name), "%s%s", root, rpm[i]);
		if (access(name, R_OK) < 0)
			continue;
		n = (size_t)snprintf(ret, PIPA_DEBUG_PACKAGE_MAX, "/usr/lib/debug/.build-id/%02x/",
				     build_id[0]);
		for (i = 1; i < build_id_len; i++)
			n += (size_t)snprintf(ret + n, PIPA_DEBUG_PACKAGE_MAX - n, "%02x",
					      build_id[i]);
		snprintf(ret + n, PIPA_DEBUG_PACKAGE_MAX - n, ".debug");
		return;
	}
}

const char *pipa_debug_server(const char *root)
{
	static const struct {
		const char *id, *url;
	} servers[] = {
		{ "\nID=debian\n", "https://debuginfod.debian.net" },
		{ "\nID=ubuntu\n", "https://debuginfod.ubuntu.com" },
		{ "\nID=fedora\n", "https://debuginfod.fedoraproject.org" },
		{ "\nID=arch\n", "https://debuginfod.archlinux.org" },
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 16 };
	char name[PATH_ROOM];
	size_t i;

	snprintf(name, sizeof(name), "%s/etc/os-release", root ? root : "");
	pipa_buf_putc(&text, '\n');
	if (pipa_file_read(name, &text, NULL) == 0)
		for (i = 0; i < PIPA_COUNT(servers); i++)
			if (strstr(pipa_buf_str(&text), servers[i].id))
				return servers[i].url;
	return "https://debuginfod.elfutils.org";
}
