#include "store/collection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/time/zone.h"
#include "base/visible.h"
#include "codec/sha256.h"
#include "kernel/machine/root.h"

/* Read /etc/hostid: four bytes in the byte order of the machine. */
static bool read_hostid(struct pipa_root *root, char *ret, size_t size)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_ETC, 0, "hostid");
	uint32_t id;

	if (fd < 0 || read(fd, &id, sizeof(id)) != sizeof(id))
		return false;
	snprintf(ret, size, "%08" PRIx32, id);
	return true;
}

static void name_machine(struct pipa_root *root, char *ret, size_t size)
{
	ssize_t n = pipa_root_read(root, PIPA_ETC, ret, size, "machine-id");

	if (n > 0)
		ret[strcspn(ret, "\n")] = '\0';
	if (n > 0 && ret[0])
		return;
	if (read_hostid(root, ret, size))
		return;
	n = pipa_root_read(root, PIPA_PROC, ret, size, "sys/kernel/hostname");
	if (n <= 0)
		snprintf(ret, size, "unknown");
}

void pipa_collection_init(struct pipa_collection *c, struct pipa_root *root, uint64_t wall_ns)
{
	char text[PIPA_COLLECTION_MACHINE + 64];
	uint8_t sum[PIPA_SHA256_SIZE];
	size_t i;
	int n;

	c->epoch_s = wall_ns / PIPA_NS_PER_SEC;
	name_machine(root, c->machine, sizeof(c->machine));
	n = snprintf(text, sizeof(text), "%s:%" PRIu64 ":pipa-tree", c->machine, c->epoch_s);
	pipa_sha256(text, (size_t)n, sum);
	for (i = 0; i < PIPA_COLLECTION_ID / 2; i++)
		snprintf(c->id + 2 * i, 3, "%02x", sum[i]);
}

static void append_line(struct pipa_buf *out, const char *key, const char *value)
{
	pipa_buf_printf(out, "%s: ", key);
	pipa_visible_put(out, value);
	pipa_buf_putc(out, '\n');
}

void pipa_collection_info(const struct pipa_collection *c, const char *program, const char *version,
			  const char *archive, struct pipa_buf *out)
{
	struct pipa_date date = pipa_date_at((int64_t)c->epoch_s);

	append_line(out, "collection_id", c->id);
	pipa_buf_printf(out, "generated_at_epoch: %" PRIu64 "\n", c->epoch_s);
	pipa_buf_printf(out, "generated_at_utc: %04d-%02d-%02dT%02d:%02d:%02dZ\n", date.year,
			date.month, date.day, date.hour, date.minute, date.second);
	append_line(out, "machine_identifier", c->machine);
	append_line(out, "program_name", program);
	append_line(out, "program_version", version);
	append_line(out, "target_archive", archive);
}
