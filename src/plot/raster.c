#include "plot/raster.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

static void reset_extent(struct pipa_raster *r)
{
	r->left = r->top = INFINITY;
	r->right = r->bottom = -INFINITY;
}

int pipa_raster_init(struct pipa_raster *r, size_t width, size_t height)
{
	*r = (struct pipa_raster){ .width = width, .height = height };
	r->rgb = malloc(width * height * 3);
	r->coverage = calloc((width + 2) * height, sizeof(*r->coverage));
	if (!r->rgb || !r->coverage) {
		pipa_raster_done(r);
		return -ENOMEM;
	}
	memset(r->rgb, 255, width * height * 3);
	pipa_raster_clip(r, NULL);
	reset_extent(r);
	return 0;
}

void pipa_raster_done(struct pipa_raster *r)
{
	free(r->rgb);
	free(r->coverage);
	*r = (struct pipa_raster){ 0 };
}

static size_t clamp_index(double value, size_t max)
{
	return value <= 0 ? 0 : value >= (double)max ? max : (size_t)value;
}

void pipa_raster_clip(struct pipa_raster *r, const struct pipa_rect *rect)
{
	r->clip_left = rect ? clamp_index(rect->x + 0.5, r->width) : 0;
	r->clip_top = rect ? clamp_index(rect->y + 0.5, r->height) : 0;
	r->clip_right = rect ? clamp_index(rect->x + rect->w + 0.5, r->width) : r->width;
	r->clip_bottom = rect ? clamp_index(rect->y + rect->h + 0.5, r->height) : r->height;
}

/*
 * Add the part of an edge within one row: it covers `cover` of the row's height (negative upwards)
 * from x0 to x1. Each pixel gets the difference that the area right of the edge makes.
 */
static void add_row_edge(float *row, double x0, double x1, double cover)
{
	double left = fmin(x0, x1), right = fmax(x0, x1);
	size_t first = (size_t)left, end = (size_t)ceil(right), i;
	double before = 0; /* share of the cover that lies in the pixels so far, as area */

	if (end <= first + 1) {
		double middle = (left + right) / 2 - (double)first;

		row[first] += (float)(cover * (1 - middle));
		row[first + 1] += (float)(cover * middle);
		return;
	}
	for (i = first; i < end; i++) {
		/* the edge crosses pixel i from a to b; area to its right in the pixel */
		double a = fmax(left, (double)i), b = fmin(right, (double)i + 1);
		double done = (a - left) / (right - left), part = (b - a) / (right - left);
		double area = done + part * ((double)i + 1 - (a + b) / 2);

		row[i] += (float)(cover * (area - before));
		before = area;
	}
	row[end] += (float)(cover * (1 - before));
}

static void add_edge(struct pipa_raster *r, struct pipa_xy from, struct pipa_xy to)
{
	double sign = 1, slope, x, limit = (double)r->width, y;
	struct pipa_xy swap;

	if (from.y == to.y || !isfinite(from.x + from.y + to.x + to.y))
		return;
	if (from.y > to.y) {
		swap = from;
		from = to;
		to = swap;
		sign = -1;
	}
	r->left = fmin(r->left, fmin(from.x, to.x));
	r->right = fmax(r->right, fmax(from.x, to.x));
	r->top = fmin(r->top, from.y);
	r->bottom = fmax(r->bottom, to.y);
	slope = (to.x - from.x) / (to.y - from.y);
	y = fmax(from.y, 0);
	x = from.x + (y - from.y) * slope;
	while (y < fmin(to.y, (double)r->height)) {
		size_t row = (size_t)y;
		double next = fmin((double)row + 1, to.y), next_x = x + (next - y) * slope;

		add_row_edge(r->coverage + row * (r->width + 2), fmin(fmax(x, 0), limit),
			     fmin(fmax(next_x, 0), limit), sign * (next - y));
		y = next;
		x = next_x;
	}
}

void pipa_raster_add_polygon(struct pipa_raster *r, const struct pipa_xy *points, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		add_edge(r, points[i], points[i + 1 < n ? i + 1 : 0]);
}

void pipa_raster_add_disc(struct pipa_raster *r, struct pipa_xy center, double radius)
{
	enum { MAX_CORNERS = 48 };
	struct pipa_xy corners[MAX_CORNERS];
	size_t i, n = (size_t)fmin(fmax(8 + 4 * radius, 8), MAX_CORNERS);
	double grow = sqrt(2 * M_PI / (double)n /
			   sin(2 * M_PI / (double)n)); /* area of the circle */

	for (i = 0; i < n; i++) {
		double angle = -2 * M_PI * (double)i / (double)n;

		corners[i] = (struct pipa_xy){ center.x + grow * radius * cos(angle),
					       center.y + grow * radius * sin(angle) };
	}
	pipa_raster_add_polygon(r, corners, n);
}

/* Add a segment as a rectangle without its ends. */
static void add_segment(struct pipa_raster *r, struct pipa_xy a, struct pipa_xy b, double half)
{
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
	double nx, ny;

	if (!(length > 0))
		return;
	nx = -dy / length * half;
	ny = dx / length * half;
	pipa_raster_add_polygon(r,
				(const struct pipa_xy[]){ { a.x + nx, a.y + ny },
							  { b.x + nx, b.y + ny },
							  { b.x - nx, b.y - ny },
							  { a.x - nx, a.y - ny } },
				4);
}

/* Add the dashes of a segment; *phase is the position in the pattern. */
static void add_dashes(struct pipa_raster *r, struct pipa_xy a, struct pipa_xy b, double half,
		       double dash, double gap, double *phase)
{
	double length = hypot(b.x - a.x, b.y - a.y), at = 0;

	while (at < length) {
		bool on = *phase < dash;
		double left = on ? dash - *phase : dash + gap - *phase;
		double until = fmin(at + left, length);
		struct pipa_xy from = { a.x + (b.x - a.x) * at / length,
					a.y + (b.y - a.y) * at / length };
		struct pipa_xy to = { a.x + (b.x - a.x) * until / length,
				      a.y + (b.y - a.y) * until / length };

		if (on)
			add_segment(r, from, to, half);
		*phase += until - at;
		if (until - at >= left * (1 - 1e-9))
			*phase = on ? dash : 0;
		at = until;
	}
}

void pipa_raster_add_line(struct pipa_raster *r, const struct pipa_xy *points, size_t n,
			  double width, double dash, double gap)
{
	double half = width / 2, phase = 0;
	bool dashed = dash >= 0.5 && gap >= 0.5;
	size_t i;

	for (i = 0; i < n; i++) {
		/* thin lines need no joins; a line along an axis no ends */
		if (!dashed && half > 0.4 && i > 0 && i + 1 < n)
			pipa_raster_add_disc(r, points[i], half);
		if (i + 1 == n)
			break;
		if (dashed)
			add_dashes(r, points[i], points[i + 1], half, dash, gap, &phase);
		else
			add_segment(r, points[i], points[i + 1], half);
	}
}

static uint8_t blend(uint8_t below, uint8_t above, double share)
{
	return (uint8_t)lround(below + (above - below) * share);
}

void pipa_raster_fill(struct pipa_raster *r, struct pipa_color color, double opacity)
{
	size_t left = clamp_index(floor(r->left), r->width);
	size_t right = clamp_index(ceil(r->right) + 1, r->width);
	size_t top = clamp_index(floor(r->top), r->height), x, y;
	size_t bottom = clamp_index(ceil(r->bottom), r->height);

	for (y = top; y < bottom; y++) {
		float *row = r->coverage + y * (r->width + 2), sum = 0;
		uint8_t *pixel = r->rgb + (y * r->width + left) * 3;

		for (x = left; x < right; x++, pixel += 3) {
			double share;

			sum += row[x];
			share = fmin(fabs((double)sum), 1) * opacity;
			if (share < 1.0 / 512 || x < r->clip_left || x >= r->clip_right ||
			    y < r->clip_top || y >= r->clip_bottom)
				continue;
			pixel[0] = blend(pixel[0], color.r, share);
			pixel[1] = blend(pixel[1], color.g, share);
			pixel[2] = blend(pixel[2], color.b, share);
		}
		memset(row + left, 0, (r->width + 2 - left) * sizeof(*row));
	}
	reset_extent(r);
}
