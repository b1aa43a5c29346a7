/* The description of the machine: a tree of facts that can be folded and searched. */
const FACTS_SHOWN = 500; /* of a search */

class SystemSection {
	static id = "system";
	static label = "system.title";
	static keys = [["/", "system.key.search"]];

	static offered({ data }) {
		return Boolean(data.system) && Object.keys(data.system).length > 0;
	}

	constructor(page, element) {
		this.page = page;
		this.field = make("input", "system-search screen");
		this.field.type = "search";
		this.field.placeholder = page.text("system.search");
		this.field.setAttribute("aria-label", page.text("system.search"));
		this.field.spellcheck = false;
		this.said = make("output", "hint");
		this.box = make("div", "facts");
		const line = make("div", "tools-line screen");
		line.append(this.field, this.said);
		element.append(line, this.box);
		this.field.addEventListener("input", () => {
			this.search();
			page.remember();
		});
		this.search();
	}

	static isLeaf(value) {
		return value === null || typeof value !== "object";
	}

	/* The names in front of the entries of a list or an object. */
	static entries(value) {
		return Array.isArray(value) ? value.map((one, at) => [String(at), one]) : Object.entries(value);
	}

	search() {
		const { page } = this;
		const wanted = this.field.value.trim().toLowerCase();
		this.said.textContent = "";
		if (!wanted) {
			this.box.replaceChildren(...this.level(page.data.system, 0));
			return;
		}
		const found = [];
		const visit = (value, path) => {
			for (const [name, one] of SystemSection.entries(value)) {
				const here = [...path, name];
				if (SystemSection.isLeaf(one)) {
					if (`${here.join(" ")} ${one}`.toLowerCase().includes(wanted))
						found.push([here, one]);
				} else if (here.length < 32) {
					visit(one, here);
				}
			}
		};
		visit(page.data.system, []);
		this.said.textContent = page.text("system.found", countText(found.length));
		this.box.replaceChildren(pairs(found.slice(0, FACTS_SHOWN).map(([path, value]) =>
			[path.map((name) => visible(name, 80)).join(" \u203a "), visible(String(value ?? ""), 2000)])));
		if (found.length > FACTS_SHOWN)
			this.box.append(make("p", "hint", page.text("system.cut", FACTS_SHOWN)));
	}

	/* Entries without children as pairs, the others as folds; the outer ones are open. */
	level(value, depth) {
		const entries = SystemSection.entries(value);
		const leaves = entries.filter(([, one]) => SystemSection.isLeaf(one));
		const list = Array.isArray(value);
		const parts = [];
		if (leaves.length && list)
			parts.push(pairs([["", leaves.map(([, one]) => visible(String(one ?? ""), 2000)).join(", ")]]));
		else if (leaves.length)
			parts.push(pairs(leaves.map(([name, one]) => [visible(name, 120), visible(String(one ?? ""), 2000)])));
		for (const [name, one] of entries) {
			if (SystemSection.isLeaf(one))
				continue;
			const fold = make("details");
			const head = make("summary", "", list ? this.titleOf(one, name) : visible(name, 120));
			head.append(make("span", "hint", ` ${countText(SystemSection.entries(one).length)}`));
			fold.append(head);
			const fill = () => {
				if (fold.children.length === 1)
					fold.append(...this.level(one, depth + 1));
			};
			fold.addEventListener("toggle", () => fold.open && fill());
			if (depth === 0 && SystemSection.entries(one).length <= 24) {
				fill();
				fold.open = true;
			}
			parts.push(fold);
		}
		return parts;
	}

	/* An entry of a list by its name, if it has one. */
	titleOf(value, at) {
		const name = ["name", "NAME", "device", "interface", "id"].map((key) => value[key]).find((one) => typeof one === "string");
		return name ? visible(name, 120) : `#${Number(at) + 1}`;
	}

	key(event) {
		if (event.key !== "/")
			return false;
		this.field.focus();
		return true;
	}

	restore({ fact }) {
		this.field.value = fact || "";
		this.search();
	}

	state() {
		return this.field.value ? { fact: this.field.value } : {};
	}
}

ReportPage.sections.push(SystemSection);
