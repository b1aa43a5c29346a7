#include "model/profile_compact.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "model/profile.h"

enum { STACKS, LOCATIONS, FUNCTIONS, MAPPINGS, OBJECTS, THREADS, PROCESSES, TABLES };

/* [table][row] 0: not used; after number_rows() the new index of each used row. */
struct rows {
	uint32_t *of[TABLES];
	size_t n[TABLES];
};

static void mark(struct rows *rows, size_t table, uint32_t row)
{
	if (row < rows->n[table])
		rows->of[table][row] = 1;
}

/* Mark the rows from the samples down. A caller precedes its stacks. */
static void mark_rows(const struct pipa_profile *p, struct rows *rows)
{
	uint32_t k;
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		mark(rows, STACKS, p->samples.items[i].stack);
		mark(rows, THREADS, p->samples.items[i].thread);
	}
	for (i = p->stacks.n; i-- > 0;)
		if (rows->of[STACKS][i]) {
			mark(rows, STACKS, p->stacks.items[i].parent);
			mark(rows, LOCATIONS, p->stacks.items[i].location);
		}
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];

		if (!rows->of[LOCATIONS][i])
			continue;
		mark(rows, OBJECTS, location->object);
		mark(rows, MAPPINGS, location->mapping);
		for (k = 0; k < location->n_lines; k++)
			mark(rows, FUNCTIONS, p->lines.items[location->lines + k].function);
	}
	mark(rows, MAPPINGS, 0);
	mark(rows, MAPPINGS, 1);
	for (i = 0; i < p->functions.n; i++)
		if (rows->of[FUNCTIONS][i])
			mark(rows, OBJECTS, p->functions.items[i].object);
	for (i = 0; i < p->mappings.n; i++)
		if (rows->of[MAPPINGS][i])
			mark(rows, OBJECTS, p->mappings.items[i].object);
	for (i = 0; i < p->truncated_stacks.n; i++)
		mark(rows, OBJECTS, p->truncated_stacks.items[i].object);
	mark(rows, PROCESSES, 0);
	for (i = 0; i < p->threads.n; i++)
		if (rows->of[THREADS][i])
			mark(rows, PROCESSES, p->threads.items[i].process);
}

/* Return the new index of a row. PIPA_NONE and rows of empty tables stay as they are. */
static uint32_t renumbered(const struct rows *rows, size_t table, uint32_t row)
{
	return row < rows->n[table] ? rows->of[table][row] : row;
}

/* Move the used rows of a table to its start and number them. */
#define MOVE_ROWS(rows, number, table)                                                             \
	do {                                                                                       \
		size_t i_, n_ = 0;                                                                 \
                                                                                                   \
		for (i_ = 0; i_ < (table)->n; i_++) {                                              \
			if (!(rows)->of[number][i_])                                               \
				continue;                                                          \
			(table)->items[n_] = (table)->items[i_];                                   \
			(rows)->of[number][i_] = (uint32_t)n_++;                                   \
		}                                                                                  \
		(table)->n = n_;                                                                   \
	} while (0)

static void renumber_code(struct pipa_profile *p, const struct rows *rows)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < p->stacks.n; i++) {
		struct pipa_stack *stack = &p->stacks.items[i];

		stack->parent = renumbered(rows, STACKS, stack->parent);
		stack->location = renumbered(rows, LOCATIONS, stack->location);
	}
	for (i = 0; i < p->functions.n; i++)
		p->functions.items[i].object = renumbered(rows, OBJECTS,
							  p->functions.items[i].object);
	for (i = 1; i < p->mappings.n; i++)
		p->mappings.items[i].object = renumbered(rows, OBJECTS,
							 p->mappings.items[i].object);
	for (i = 0; i < p->truncated_stacks.n; i++)
		p->truncated_stacks.items[i].object = renumbered(
			rows, OBJECTS, p->truncated_stacks.items[i].object);
	for (i = 0; i < p->locations.n; i++) {
		struct pipa_location *location = &p->locations.items[i];

		location->object = renumbered(rows, OBJECTS, location->object);
		location->mapping = renumbered(rows, MAPPINGS, location->mapping);
		for (k = 0; k < location->n_lines; k++) {
			struct pipa_line *line = &p->lines.items[location->lines + k];

			line->function = renumbered(rows, FUNCTIONS, line->function);
		}
	}
}

/*
 * Remove the lines of removed locations. Locations need not be in the order of their lines, so the
 * lines are copied.
 */
static void copy_lines(struct pipa_profile *p, struct pipa_line *lines)
{
	uint32_t n = 0, k;
	size_t i;

	for (i = 0; i < p->locations.n; i++) {
		struct pipa_location *location = &p->locations.items[i];

		for (k = 0; k < location->n_lines; k++)
			lines[n + k] = p->lines.items[location->lines + k];
		location->lines = n;
		n += location->n_lines;
	}
	free(p->lines.items);
	p->lines.items = lines;
	p->lines.n = p->lines.cap = n;
}

int pipa_profile_compact(struct pipa_profile *p)
{
	struct rows rows = { .n = { [STACKS] = p->stacks.n,
				    [LOCATIONS] = p->locations.n,
				    [FUNCTIONS] = p->functions.n,
				    [MAPPINGS] = p->mappings.n,
				    [OBJECTS] = p->objects.n,
				    [THREADS] = p->threads.n,
				    [PROCESSES] = p->processes.n } };
	struct pipa_line *lines = malloc((p->lines.n + 1) * sizeof(*lines));
	int rc = lines ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < TABLES; i++) {
		rows.of[i] = calloc(rows.n[i] + 1, sizeof(*rows.of[i]));
		rc = rows.of[i] ? rc : -ENOMEM;
	}
	if (!rc) {
		mark_rows(p, &rows);
		pipa_profile_close(p);
		MOVE_ROWS(&rows, STACKS, &p->stacks);
		MOVE_ROWS(&rows, LOCATIONS, &p->locations);
		MOVE_ROWS(&rows, FUNCTIONS, &p->functions);
		MOVE_ROWS(&rows, MAPPINGS, &p->mappings);
		MOVE_ROWS(&rows, OBJECTS, &p->objects);
		MOVE_ROWS(&rows, THREADS, &p->threads);
		MOVE_ROWS(&rows, PROCESSES, &p->processes);
		copy_lines(p, PIPA_TAKE(lines));
		renumber_code(p, &rows);
		for (i = 0; i < p->threads.n; i++)
			p->threads.items[i].process = renumbered(&rows, PROCESSES,
								 p->threads.items[i].process);
		for (i = 0; i < p->samples.n; i++) {
			struct pipa_sample *sample = &p->samples.items[i];

			sample->stack = renumbered(&rows, STACKS, sample->stack);
			sample->thread = renumbered(&rows, THREADS, sample->thread);
		}
	}
	for (i = 0; i < TABLES; i++)
		free(rows.of[i]);
	free(lines);
	return rc;
}
