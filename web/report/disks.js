/* Disks with their load and saturation, file systems with their capacity. */
const DISK_UTIL_HIGH = 75; /* as in analyze/series/disk_load.h */

class DisksSection {
	static id = "disks";
	static label = "disks.title";
	static printed = true;

	static offered({ data }) {
		return (data.disks || []).length > 0 || (data.filesystems || []).length > 0;
	}

	/* Disks and file systems with a warning. */
	static count({ data }) {
		return (data.disks || []).filter(({ saturated }) => saturated).length +
			(data.filesystems || []).filter(({ capacity }) => capacity !== "ok").length;
	}

	constructor(page, element) {
		const { disks = [], filesystems = [] } = page.data;
		this.page = page;
		for (const disk of disks.filter(({ saturated }) => saturated))
			element.append(make("p", "notice critical", this.saturation(disk)));
		for (const one of filesystems.filter(({ capacity }) => capacity !== "ok"))
			element.append(make("p", `notice ${one.capacity === "critical" ? "critical" : ""}`,
				page.text(`disks.full.${one.capacity === "critical" ? "critical" : "warning"}`,
					visible(one.mount || one.device || "", 200), figureText(one.percent, 0))));
		if (disks.length)
			element.append(make("h3", "", page.text("disks.load")), this.load(disks));
		if (filesystems.length)
			element.append(make("h3", "", page.text("disks.filesystems")), this.capacity(filesystems));
	}

	saturation(disk) {
		const { page } = this;
		const why = [];
		if (disk.p95_util > DISK_UTIL_HIGH)
			why.push(page.text("disks.why.util", figureText(disk.p95_util, 0)));
		if (disk.await_limit > 0 && disk.p95_await > disk.await_limit)
			why.push(page.text("disks.why.await", figureText(disk.p95_await, 1), figureText(disk.await_limit, 1)));
		if (!why.length)
			why.push(page.text("disks.why.queue", figureText(disk.queue, 1)));
		return page.text("disks.saturated", visible(disk.name, 80), why.join(page.text("disks.and")));
	}

	load(disks) {
		const { page } = this;
		const number = (key, column, text, more = {}) => ({ label: page.text(key), number: true,
			value: (row) => row[column], text: (row) => text(row[column]), ...more });
		const percent = (value) => fixedText(value, "%", 1);
		const ms = (value) => fixedText(value, "ms", 2);
		const high = (row) => (row.p95_util > DISK_UTIL_HIGH ? "critical" : "");
		return new RowTable(page, [
			{ label: page.text("col.disk"), value: (row) => row.name, node: (row) => {
				const name = make("span", "", `${visible(row.name, 80)} `);
				if (row.medium && row.medium !== "Unknown")
					name.append(make("span", "hint", visible(row.medium.replace("_", " "), 20)), " ");
				if (row.saturated)
					name.append(chip(page.text("disks.chip"), "critical"));
				return name;
			} },
			number("col.util", "util", percent, { bar: (row) => row.util / 100, limit: () => DISK_UTIL_HIGH / 100 }),
			number("col.p95_util", "p95_util", percent, { bar: (row) => row.p95_util / 100, tone: high,
				limit: () => DISK_UTIL_HIGH / 100 }),
			number("col.await", "await", ms),
			{ label: page.text("col.p95_await"), number: true, value: (row) => row.p95_await, text: (row) => (row.await_limit > 0
				? `${fixedText(row.p95_await, "", 2)} / ${ms(row.await_limit)}` : ms(row.p95_await)) },
			number("col.queue", "queue", (value) => fixedText(value, "", 2)),
			number("col.request", "request_kb", kilobytesText),
			number("col.tps", "tps", (value) => fixedText(value, "", 1)),
			number("col.read", "read_kb", (value) => perSecond(value)),
			number("col.written", "written_kb", (value) => perSecond(value)),
		], disks, { label: page.text("disks.load"), sort: 1 }).element;
	}

	capacity(list) {
		const { page } = this;
		const bytes = (value) => kilobytesText(typeof value === "number" ? value / 1024 : NaN);
		return new RowTable(page, [
			{ label: page.text("col.mount"), text: (row) => visible(row.mount || NO_VALUE, 200), value: (row) => row.mount },
			{ label: page.text("col.device"), text: (row) => visible(row.device || NO_VALUE, 100), value: (row) => row.device },
			{ label: page.text("col.size"), number: true, text: (row) => bytes(row.size_bytes), value: (row) => row.size_bytes },
			{ label: page.text("col.used"), number: true, text: (row) => bytes(row.used_bytes), value: (row) => row.used_bytes },
			{ label: page.text("col.percent"), number: true, value: (row) => row.percent,
				text: (row) => fixedText(row.percent, "%", 0), bar: (row) => row.percent / 100,
				tone: (row) => (row.capacity === "ok" ? "" : row.capacity), limit: () => 0.8 },
			{ label: page.text("col.state"), node: (row) => chip(page.text(`capacity.${
				["warning", "critical"].includes(row.capacity) ? row.capacity : "ok"}`),
			row.capacity === "ok" ? "none" : row.capacity === "critical" ? "critical" : "warning") },
		], list, { label: page.text("disks.filesystems"), sort: 4 }).element;
	}
}

function perSecond(kb) {
	const text = kilobytesText(kb);
	return text === NO_VALUE ? text : `${text}/s`;
}

ReportPage.sections.push(DisksSection);
