#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Optimal string alignment distance over three rows; both names are shorter than the rows. */
static unsigned int distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned int rows[3][PIPA_NEAREST_LEN] = { 0 };
	size_t i, j;

	for (j = 0; j <= lb; j++)
		rows[0][j] = (unsigned int)j;
	for (i = 1; i <= la; i++) {
		unsigned int *cur = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		cur[0] = (unsigned int)i;
		for (j = 1; j <= lb; j++) {
			cur[j] = min3(up[j] + 1, cur[j - 1] + 1,
				      up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < cur[j])
				cur[j] = up2[j - 2] + 1;
		}
	}
	return rows[la % 3][lb];
}

void pipa_nearest_offer(struct pipa_nearest *near, const char *name)
{
	size_t la = strlen(near->wanted), lb = strlen(name), i;
	unsigned int d;

	if (la >= PIPA_NEAREST_LEN || lb >= PIPA_NEAREST_LEN)
		return;
	d = distance(near->wanted, la, name, lb);
	if (la > 2 &&
	    strstr(name, near->wanted)) /* a part of the name was typed: as good as a typo */
		d = d < 2 ? d : 2;
	if (d > la / 3 + 1)
		return;

	for (i = 0; i < near->n; i++)
		if (strcmp(near->best[i].name, name) == 0)
			return;
	for (i = near->n; i > 0 && near->best[i - 1].distance > d; i--)
		if (i < PIPA_NEAREST_KEEP)
			near->best[i] = near->best[i - 1];
	if (i == PIPA_NEAREST_KEEP)
		return;
	near->best[i].distance = d;
	snprintf(near->best[i].name, sizeof(near->best[i].name), "%s", name);
	if (near->n < PIPA_NEAREST_KEEP)
		near->n++;
}

const char *pipa_nearest_hint(const struct pipa_nearest *near, char *text, size_t size)
{
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < near->n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s",
					i == 0		? "did you mean " :
					i + 1 < near->n ? ", " :
							  " or ",
					near->best[i].name);
	if (near->n && len + 1 < size)
		snprintf(text + len, size - len, "?");
	return text;
}
