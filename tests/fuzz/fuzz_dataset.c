/*
 * Everything that an analysis reads, as a file of any bytes: series whose axes rise and whose values
 * can be read, or a note for each part that is of no use.
 */
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz.h"
#include "load/dataset.h"

static void check_group(const struct pipa_series_set *set, size_t group)
{
	const struct pipa_series_group *g = &set->groups.items[group];
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, g);
	double values[64];
	size_t i, k;

	MUST(g->n_ticks <= axis->n);
	for (i = 1; i < axis->n; i++)
		MUST(axis->wall_ns[i - 1] < axis->wall_ns[i]);
	for (i = 0; i < g->n; i++) {
		MUST(g->items[i].first + g->items[i].n <= g->n_ticks);
		for (k = 0; k < g->section->n_columns; k++)
			pipa_series_read(set, (struct pipa_series_ref){ group, i, k }, 0, 64,
					 values);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("dataset", MFD_CLOEXEC);
	struct pipa_dataset dataset = { .series.max_bytes = 64 << 20 };
	struct pipa_error err = { 0 };
	char path[32];
	size_t i;
	int rc;

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = pipa_dataset_add(&dataset, path, &err);
	if (!rc)
		rc = pipa_dataset_finish(&dataset, &err);
	MUST(rc == 0 || *err.what);
	for (i = 0; i < dataset.series.groups.n; i++)
		check_group(&dataset.series, i);
	for (i = 0; i < dataset.notes.n; i++)
		MUST(dataset.notes.items[i].name && dataset.notes.items[i].text);
	pipa_dataset_done(&dataset);
	close(fd);
	return 0;
}
