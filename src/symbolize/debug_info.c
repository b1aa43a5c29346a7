#include "symbolize/debug_info.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "locate/files.h"

enum { SHARE_LEAST = 2048 }; /* lookups that are worth a thread, which costs some 50 us */

/* Fetch a .dwo file. Called from several threads. */
static bool fetch_split(void *ctx, const struct pipa_dwarf_split *wanted, struct pipa_span *ret)
{
	struct pipa_debug_info *info = ctx;
	struct pipa_span *slot;
	bool found;

	pthread_mutex_lock(&info->lock);
	slot = PIPA_VEC_ADD(&info->splits);
	found = slot && pipa_locate_split(info->locate, wanted->comp_dir, wanted->name, slot);
	if (found)
		*ret = *slot;
	else
		info->splits.n -= slot != NULL;
	pthread_mutex_unlock(&info->lock);
	return found;
}

/* ---- decompression --------------------------------------------------------------------------- */

static void unpack(void *ctx)
{
	struct pipa_debug_info *info = ctx;
	unsigned int part;

	while ((part = atomic_fetch_add(&info->next_part, 1)) < PIPA_DWARF_PARTS) {
		pipa_dwarf_unpack(info->dwarf, part);
		atomic_fetch_add(&info->parts_done, 1);
	}
}

void pipa_debug_info_begin(struct pipa_debug_info *info)
{
	if (info->dwarf && !info->unpacked && !info->thread.running &&
	    pipa_dwarf_packed(info->dwarf) && pipa_parallel_width() > 1)
		pipa_worker_start(&info->thread, "pipa-decompress", PIPA_WORKER_STACK_PARSE, unpack,
				  info);
}

void pipa_debug_info_unpack(struct pipa_debug_info *info)
{
	pipa_debug_info_begin(info);
	if (info->thread.running)
		unpack(info);
	pipa_worker_join(&info->thread);
	info->unpacked = true;
}

static bool is_unpacking(void *ctx)
{
	struct pipa_debug_info *info = ctx;

	return atomic_load(&info->parts_done) < PIPA_DWARF_PARTS;
}

/*
 * Like pipa_debug_info_unpack(), but build line tables in the time until everything is
 * decompressed.
 */
static void unpack_for_many(struct pipa_debug_info *info)
{
	pipa_debug_info_begin(info);
	if (info->thread.running && !info->unpacked) {
		unpack(info);
		pipa_dwarf_preload_lines(info->dwarf, is_unpacking, info);
	}
	pipa_debug_info_unpack(info);
}

/* ---- lookup ---------------------------------------------------------------------------------- */

int pipa_debug_info_open(struct pipa_debug_info *info, const struct pipa_locate_options *locate,
			 const struct pipa_located *located)
{
	struct pipa_dwarf_files files = { .main = located->main,
					  .debug = located->debug,
					  .package = located->package,
					  .fetch = fetch_split,
					  .ctx = info };

	*info = (struct pipa_debug_info){ .locate = locate, .lock = PTHREAD_MUTEX_INITIALIZER };
	if (pipa_locate_shared(locate, located, &info->alt))
		files.alt = info->alt;
	return pipa_dwarf_new(&files, &info->dwarf, NULL);
}

void pipa_debug_info_done(struct pipa_debug_info *info)
{
	size_t i;

	atomic_store(&info->next_part, PIPA_DWARF_PARTS);
	pipa_worker_join(&info->thread);
	for (i = 1; i < PIPA_PARALLEL_MAX; i++)
		pipa_dwarf_free(info->clones[i]);
	pipa_dwarf_free(info->dwarf); /* before the files that it borrows from */
	for (i = 0; i < info->splits.n; i++)
		pipa_locate_unmap(&info->splits.items[i]);
	free(info->splits.items);
	pipa_locate_unmap(&info->alt);
	*info = (struct pipa_debug_info){ 0 };
}

unsigned int pipa_debug_info_shares(size_t n)
{
	unsigned int width = pipa_parallel_width();

	if (n / SHARE_LEAST < 2)
		return 1;
	return n / SHARE_LEAST < width ? (unsigned int)(n / SHARE_LEAST) : width;
}

struct asking {
	struct pipa_debug_info *info;
	struct pipa_debug_share *shares;
};

static void run_share(void *ctx, unsigned int part)
{
	const struct asking *asking = ctx;
	struct pipa_debug_share *share = &asking->shares[part];

	share->status = pipa_dwarf_resolve(asking->info->clones[part], share->addrs, share->n,
					   share->found, share->ctx);
}

int pipa_debug_info_resolve(struct pipa_debug_info *info, struct pipa_debug_share *shares,
			    unsigned int n)
{
	struct asking asking = { info, shares };
	unsigned int i;
	int rc = 0;

	if (n > 1)
		unpack_for_many(info);
	else
		pipa_debug_info_unpack(info);
	info->clones[0] = info->dwarf;
	for (i = 1; rc == 0 && i < n; i++)
		if (!info->clones[i])
			rc = pipa_dwarf_clone(info->dwarf, &info->clones[i], NULL);
	if (rc == 0)
		pipa_parallel(n, run_share, &asking);
	for (i = 0; rc == 0 && i < n; i++)
		rc = shares[i].status;
	return rc;
}
