/* Register the database as a datasource of Grafana, of the type frser-sqlite-datasource. */
#ifndef PIPA_SERVE_GRAFANA_H
#define PIPA_SERVE_GRAFANA_H

struct pipa_error;

struct pipa_grafana {
	const char *url, *key;
	const char *name; /* of the datasource */
	const char *path; /* of the database, as Grafana sees it */
};

/* Returns 0, 1 if there is such a datasource already, or a negative errno. Waits for at most ten seconds. */
int pipa_grafana_register(const struct pipa_grafana *grafana, struct pipa_error *err);

#endif
