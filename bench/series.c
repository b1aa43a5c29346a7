/*
 * Series of a large machine, for series.sh:
 *
 *	series make DIR CPUS SECONDS    write attach_session/sar_*.csv, perf_stat.txt and spec_info.yaml
 *	series load PATH                load all series and print figures
 *
 * The load of each CPU is a slow wave with noise, and two of 16 CPUs are nearly idle; sysstat prints
 * two digits.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "load/dataset.h"

enum { START = 1789000000 };

static uint64_t seed = 88172645463325252U;

static double noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	setvbuf(file, NULL, _IOFBF, 1 << 20);
	return file;
}

static char *put_fixed(char *pos, unsigned hundredths)
{
	char digits[12];
	int n = 0;

	do
		digits[n++] = (char)('0' + hundredths % 10);
	while ((hundredths /= 10) || n < 3);
	while (n > 2)
		*pos++ = digits[--n];
	*pos++ = '.';
	*pos++ = digits[1];
	*pos++ = digits[0];
	return pos;
}

static void write_cpus(FILE *cpu, const char *prefix, int cpus, int second)
{
	size_t len = strlen(prefix);
	char line[256];
	int i;

	for (i = -1; i < cpus; i++) {
		double wave = 30 + 25 * sin((second + i * 37) / 600.0);
		unsigned user = (unsigned)((i % 16 > 13 ? 1 : wave + 8 * noise()) * 100);
		unsigned system = (unsigned)((2 + 3 * noise()) * 100);
		unsigned iowait = noise() < 0.05 ? (unsigned)(noise() * 200) : 0;
		char *pos = line;

		memcpy(pos, prefix, len);
		pos += len + sprintf(pos + len, "%d;", i);
		pos = put_fixed(pos, user);
		memcpy(pos, ";0.00;", 6);
		pos = put_fixed(pos + 6, system);
		*pos++ = ';';
		pos = put_fixed(pos, iowait);
		memcpy(pos, ";0.00;", 6);
		pos = put_fixed(pos + 6, 10000 - user - system - iowait);
		*pos++ = '\n';
		fwrite(line, 1, (size_t)(pos - line), cpu);
	}
}

static void make(const char *dir, int cpus, int seconds)
{
	static const char *const events[] = { "cycles", "instructions", "branch-misses",
					      "context-switches" };
	FILE *cpu, *disk, *counts, *spec;
	char session[4096], prefix[128];
	int t;

	mkdir(dir, 0755);
	snprintf(session, sizeof(session), "%s/attach_session", dir);
	mkdir(session, 0755);
	cpu = create(session, "sar_cpu.csv");
	disk = create(session, "sar_disk.csv");
	counts = create(session, "perf_stat.txt");
	spec = create(dir, "spec_info.yaml");
	fprintf(spec, "cpu_info:\n  CPU(s): %d\n", cpus);
	fprintf(cpu,
		"# hostname;interval;timestamp;CPU;%%user;%%nice;%%system;%%iowait;%%steal;%%idle\n");
	fprintf(disk, "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;"
		      "await;%%util\n");
	for (t = 1; t <= seconds; t++) {
		double elapsed = t + 1e-3 * noise();
		time_t at = START + t;
		size_t i;

		strftime(prefix, sizeof(prefix), "host;1;%Y-%m-%d %H:%M:%S UTC;", gmtime(&at));
		write_cpus(cpu, prefix, cpus, t);
		for (i = 0; i < 4; i++)
			fprintf(disk, "%snvme%zun1;%.2f;%.2f;%.2f;0.00;%.2f;%.2f;%.2f;%.2f\n",
				prefix, i, 900 * noise(), 4e4 * noise(), 9e3 * noise(),
				32 * noise(), noise(), noise(), 40 * noise());
		for (i = 0; i < 4; i++)
			fprintf(counts, "%14.9f,%.0f,,%s,%d,100.00,,\n", elapsed,
				1e9 * (double)(cpus * 2) * noise(), events[i], 1000000000);
	}
	fclose(cpu);
	fclose(disk);
	fclose(counts);
	fclose(spec);
}

static void load(const char *path)
{
	struct pipa_dataset dataset = { 0 };
	struct pipa_error err = { 0 };
	struct rusage usage;
	uint64_t begin = pipa_clock_ns();
	int rc = pipa_dataset_add(&dataset, path, &err);

	if (!rc)
		rc = pipa_dataset_finish(&dataset, &err);
	if (rc < 0) {
		fprintf(stderr, "series: %s\n", err.what);
		exit(1);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f s wall, %.3f s CPU, %ld MB resident, %.1f MB of series, %.1f million values\n",
	       (double)(pipa_clock_ns() - begin) / 1e9,
	       (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
		       (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
	       usage.ru_maxrss / 1024, (double)pipa_series_set_bytes(&dataset.series) / 1e6,
	       (double)dataset.series.values / 1e6);
	for (size_t i = 0; i < dataset.notes.n; i++)
		printf("note: %s: %s\n", dataset.notes.items[i].name, dataset.notes.items[i].text);
	pipa_dataset_done(&dataset);
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "make") == 0) {
		make(argv[2], atoi(argv[3]), atoi(argv[4]));
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "load") == 0) {
		load(argv[2]);
		return 0;
	}
	fprintf(stderr, "usage: series make DIR CPUS SECONDS | series load PATH\n");
	return 2;
}
