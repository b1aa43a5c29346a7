#include "screen/report/report_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "screen/report/report_lines.h"

/* ---- the table --------------------------------------------------------------------------------- */

static void drop_table(struct pipa_report_model *m)
{
	size_t i;

	for (i = 0; m->trees && i < m->top.n; i++)
		if (m->trees[i].items)
			pipa_lazy_calltree_done(&m->trees[i]);
	free(m->trees);
	free(m->order_of);
	m->trees = NULL;
	m->order_of = NULL;
	m->n_shown = 0;
	pipa_top_done(&m->top);
	pipa_zoom_done(&m->part);
	pipa_frames_done(&m->frames);
}

void pipa_report_model_done(struct pipa_report_model *m)
{
	drop_table(m);
	free(m->lines.items);
	*m = (struct pipa_report_model){ 0 };
}

static bool uses_key(const struct pipa_report_model *m, enum pipa_key key)
{
	size_t i;

	for (i = 0; i < m->o.n_keys; i++)
		if (m->o.keys[i] == key)
			return true;
	for (i = 0; i < m->n_zooms; i++)
		if (m->zooms[i].key == key)
			return true;
	return false;
}

/*
 * Return the options of the table. A zoom into an object shows its own functions, not those that
 * called it.
 */
static struct pipa_top_options table_options(const struct pipa_report_model *m)
{
	struct pipa_top_options o = m->o;
	size_t i;

	o.children = true;
	for (i = 0; i < m->n_zooms; i++)
		if (m->zooms[i].key == PIPA_KEY_OBJECT) {
			o.one_object = true;
			o.object = m->zooms[i].value;
		}
	return o;
}

static bool has_callers(const struct pipa_profile *p)
{
	size_t i;

	for (i = 0; i < p->stacks.n; i++)
		if (p->stacks.items[i].parent != PIPA_NONE)
			return true;
	for (i = 0; i < p->locations.n; i++)
		if (p->locations.items[i].n_lines > 1)
			return true;
	return false;
}

static int make_table(struct pipa_report_model *m)
{
	struct pipa_top_options o = table_options(m);
	int rc = pipa_frames_make(m->profile, uses_key(m, PIPA_KEY_SRCLINE), &m->frames);

	if (!rc)
		rc = pipa_zoom_make(&m->frames, m->event, m->zooms, m->n_zooms, &m->part);
	if (!rc)
		rc = pipa_top_make(&m->part, &o, &m->top);
	if (rc < 0)
		return rc;
	m->trees = calloc(m->top.n + 1, sizeof(*m->trees));
	m->order_of = malloc(m->top.n * sizeof(*m->order_of) + 1);
	m->has_callers = has_callers(m->profile);
	m->partial = m->event < m->top.n_events ? m->top.all[m->event].weight : 0;
	m->whole = m->event < m->profile->events.n ? m->profile->events.items[m->event].weight : 0;
	return m->trees && m->order_of ? 0 : -ENOMEM;
}

int pipa_report_model_update(struct pipa_report_model *m)
{
	struct pipa_expanded_lines expanded;
	int rc = pipa_expanded_lines_make(&m->lines, &expanded);

	drop_table(m);
	m->lines.n = 0;
	if (!rc)
		rc = make_table(m);
	if (!rc)
		rc = pipa_report_lines_order(m);
	if (!rc)
		rc = pipa_report_lines_make(m, &expanded, PIPA_NONE);
	pipa_expanded_lines_done(&expanded);
	if (rc < 0) {
		drop_table(m);
		m->lines.n = 0;
	}
	return rc;
}

/* ---- zooms ------------------------------------------------------------------------------------- */

static const struct pipa_lazy_node *node_of_line(const struct pipa_report_model *m, size_t line)
{
	const struct pipa_report_line *l = &m->lines.items[line];

	return l->node ? &m->trees[l->row].items[l->node] : NULL;
}

/* Return the index of a key among the keys of rows, or PIPA_NONE. */
static size_t key_at(const struct pipa_report_model *m, enum pipa_key key)
{
	size_t i;

	for (i = 0; i < m->top.o.n_keys && m->top.o.keys[i] != key;)
		i++;
	return i;
}

bool pipa_report_model_symbol(const struct pipa_report_model *m, size_t line, uint32_t *symbol,
			      uint32_t *object)
{
	const struct pipa_lazy_node *node;
	size_t i, k;

	if (line >= m->lines.n)
		return false;
	node = node_of_line(m, line);
	if (node) {
		*symbol = node->name;
		*object = PIPA_NONE;
		return true;
	}
	i = key_at(m, PIPA_KEY_SYMBOL);
	k = key_at(m, PIPA_KEY_OBJECT);
	if (i == m->top.o.n_keys)
		return false;
	*symbol = m->top.items[m->lines.items[line].row].key[i];
	*object = k == m->top.o.n_keys ? PIPA_NONE : m->top.items[m->lines.items[line].row].key[k];
	return true;
}

/* Find the object of a line's location, as frames have it. */
static bool object_of(const struct pipa_report_model *m, size_t line, uint32_t *ret)
{
	const struct pipa_lazy_node *node = node_of_line(m, line);
	uint32_t location = node ? node->location : m->top.items[m->lines.items[line].row].location;

	if (location == PIPA_NONE)
		return false;
	*ret = m->frames.items[m->profile->lines.n + location].object;
	return true;
}

/*
 * Find the only process or thread of the samples of a row that is not grouped by it; false if there
 * are several.
 */
static bool find_single_task(const struct pipa_report_model *m, const struct pipa_top_row *row,
			     enum pipa_key key, uint32_t *ret)
{
	const struct pipa_profile *p = &m->part;
	bool found = false;
	uint32_t i;

	if (key != PIPA_KEY_PID && key != PIPA_KEY_TID && key != PIPA_KEY_COMM)
		return false;
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_thread *thread;
		uint32_t value;

		if (p->samples.items[i].thread == PIPA_NONE || !pipa_top_is_of_row(&m->top, i, row))
			continue;
		thread = &p->threads.items[p->samples.items[i].thread];
		value = key == PIPA_KEY_PID ? thread->pid :
			key == PIPA_KEY_TID ? thread->tid :
					      thread->comm;
		if (found && value != *ret)
			return false;
		*ret = value;
		found = true;
	}
	return found;
}

bool pipa_report_model_can_zoom(const struct pipa_report_model *m, size_t line, enum pipa_key key,
				struct pipa_zoom *ret)
{
	struct pipa_zoom zoom = { .key = key, .object = PIPA_NONE };
	size_t i = key_at(m, key);

	if (line >= m->lines.n || m->n_zooms == PIPA_ZOOMS_MAX)
		return false;
	if (key == PIPA_KEY_SYMBOL) {
		if (!pipa_report_model_symbol(m, line, &zoom.value, &zoom.object))
			return false;
	} else if (key == PIPA_KEY_OBJECT && (node_of_line(m, line) || i == m->top.o.n_keys)) {
		if (!object_of(m, line, &zoom.value))
			return false;
	} else if (i == m->top.o.n_keys) {
		if (!find_single_task(m, &m->top.items[m->lines.items[line].row], key, &zoom.value))
			return false;
	} else {
		zoom.value = m->top.items[m->lines.items[line].row].key[i];
	}
	*ret = zoom;
	return true;
}

int pipa_report_model_zoom(struct pipa_report_model *m, const struct pipa_zoom *zoom)
{
	if (m->n_zooms == PIPA_ZOOMS_MAX)
		return 0;
	m->zooms[m->n_zooms++] = *zoom;
	return pipa_report_model_update(m);
}

int pipa_report_model_unzoom(struct pipa_report_model *m)
{
	if (!m->n_zooms)
		return 0;
	m->n_zooms--;
	return pipa_report_model_update(m);
}

void pipa_report_model_zoom_text(const struct pipa_report_model *m, const struct pipa_zoom *zoom,
				 char *out, size_t size)
{
	const struct pipa_top as = { .profile = m->profile,
				     .frames = m->frames,
				     .o = { .keys = { zoom->key }, .n_keys = 1 } };
	const struct pipa_top_row row = { .key = { zoom->value } };
	char buf[64];

	snprintf(out, size, "%s %s", pipa_key_name(&m->o, zoom->key),
		 pipa_top_text(&as, &row, 0, buf));
}

/* ---- lines as numbers and text ----------------------------------------------------------------- */

struct pipa_report_share pipa_report_model_share(const struct pipa_report_model *m, size_t line)
{
	const struct pipa_lazy_node *node = node_of_line(m, line);
	size_t at = m->lines.items[line].row * m->top.n_events + m->event;

	if (node)
		return (struct pipa_report_share){ .total = { node->weight, node->count } };
	return (struct pipa_report_share){ m->top.total[at], m->top.self[at], true };
}

void pipa_report_model_cell(const struct pipa_report_model *m, uint32_t row, size_t i, char *out,
			    size_t size)
{
	const struct pipa_top_row *r = &m->top.items[row];
	char buf[64];
	char mode;

	if (m->top.o.keys[i] != PIPA_KEY_SYMBOL) {
		snprintf(out, size, "%s", pipa_top_text(&m->top, r, i, buf));
		return;
	}
	mode = pipa_mode_letter(r->location == PIPA_NONE ?
					PIPA_MODE_UNKNOWN :
					m->profile->locations.items[r->location].mode);
	snprintf(out, size, "[%c] %s%s", mode, pipa_top_text(&m->top, r, i, buf),
		 pipa_frame_mark(r->key[i]));
}

void pipa_report_model_text(const struct pipa_report_model *m, size_t line, char *out, size_t size)
{
	const struct pipa_lazy_node *node = node_of_line(m, line);
	size_t i, n = 0;
	char buf[64];

	out[0] = '\0';
	if (node) {
		snprintf(out, size, "%s%s%s", pipa_frame_text(m->profile, node->name, buf),
			 pipa_frame_mark(node->name), node->cut ? " [truncated]" : "");
		return;
	}
	for (i = 0; i < m->top.o.n_keys && n + 1 < size; i++) {
		if (i)
			out[n++] = ' ';
		pipa_report_model_cell(m, m->lines.items[line].row, i, out + n, size - n);
		n += strlen(out + n);
	}
}
