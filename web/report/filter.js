/*
 * PIPA's filters of names, as src/analyze/series/instance_filter.h has them: a comma-separated list of
 * parts of names, numbers, ranges (0-3), exact names (^sda) and CPUs of a NUMA node (numa_node_1). An empty
 * list selects everything.
 */
const WORKLOAD_AVG = "workload_avg";

function filterEntries(list) {
	return list.split(",").map((entry) => entry.trim()).filter(Boolean);
}

/* nodeOf: Map of CPU -> NUMA node */
function entrySelects(entry, name, nodeOf) {
	const number = /^\d+$/.test(name) ? Number(name) : -1;
	const range = /^(\d+)-(\d+)$/.exec(entry);
	const node = /^numa_node_(\d+)$/.exec(entry);
	if (entry.startsWith("^"))
		return name === entry.slice(1);
	if (range)
		return number >= Number(range[1]) && number <= Number(range[2]);
	if (/^\d+$/.test(entry))
		return number >= 0 ? number === Number(entry) : name.includes(entry);
	if (node && number >= 0)
		return nodeOf.get(number) === Number(node[1]);
	return name.toLowerCase().includes(entry.toLowerCase());
}

function filterSelects(list, name, nodeOf = new Map()) {
	const entries = filterEntries(list);
	return !entries.length || entries.some((entry) => entrySelects(entry, name, nodeOf));
}

/* NUMA node of each CPU, as far as the payload knows. */
function nodesOfCpus(data) {
	const nodeOf = new Map();
	for (const { cpu, node } of data.cpus && data.cpus.items || []) {
		if (Number.isInteger(node))
			nodeOf.set(cpu, node);
	}
	return nodeOf;
}

/* Names of the expected CPUs: those of the workload, else all. */
function expectedCpus(data) {
	const items = data.cpus && data.cpus.items || [];
	const expected = items.filter((item) => item.expected);
	return new Set((expected.length ? expected : items).map(({ cpu }) => String(cpu)));
}

/* Has the report a choice of expected CPUs? */
function hasExpected(data) {
	const items = data.cpus && data.cpus.items || [];
	return items.some((item) => item.expected) && items.some((item) => !item.expected);
}
