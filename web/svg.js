/*
 * Script of an SVG flame graph: zoom, search, details of the frame under the mouse, and a layout that fits the
 * window. The image is complete without it. Names are taken from the titles, where the writer has escaped them,
 * and are only set as text.
 */
"use strict";
(() => {
	const svg = document.currentScript.ownerSVGElement || document.documentElement;
	const part = (name) => svg.querySelector(`[data-part="${name}"]`);
	const COLUMN = 6.65;   /* of a character, as the writer counts */
	const NARROW = 0.1;    /* narrower boxes are not drawn */
	const TOOL = 106;      /* a button and the space before it */
	const LEAST = 240;     /* smallest width of the layout */
	const KEY_LINE = 18;   /* a line of the legend, as in the writer */
	const KEY_APART = 16;  /* between entries of the legend */
	const heading = part("heading");
	const detail = part("detail");
	const found = part("found");
	const boxes = [...svg.querySelectorAll(".f")].map((group, number) => {
		const rect = group.querySelector("rect");
		const told = group.querySelector("title").textContent;
		return {
			group, rect, number, told, text: group.querySelector("text"),
			name: told.split("\n")[0], x: Number(rect.getAttribute("x")),
			y: Number(rect.getAttribute("y")), width: Number(rect.getAttribute("width")),
			row: Number(group.dataset.row), shown: true,
		};
	});
	const all = boxes[0];
	if (!all)
		return;
	const known = new Map(boxes.map((box) => [box.group, box]));
	const title = heading.textContent;
	/* a document, not part of a page, and without a requested width */
	const fits = svg === document.documentElement && svg.dataset.fit === "1";
	const height = svg.viewBox.baseVal.height;
	const eventLine = part("event");
	const notes = part("notes");
	const eventText = eventLine.textContent;
	const notesText = notes.textContent;
	const keys = [...svg.querySelectorAll(".key")].map((text) => ({
		text, swatch: text.previousElementSibling,
		x: Number(text.getAttribute("x")), y: Number(text.getAttribute("y")),
		columns: columnsOf(text.textContent),
	}));
	/* entries of a swatch and a name; a colour scale fits any window */
	const isList = keys.length > 0 && keys.every((key) => !key.swatch.matches(".f, text"));
	const tools = [part("reset"), part("search")];
	let zoomed = all;
	let chosen = null;
	let width = all.width; /* of all frames on the screen; boxes keep the numbers of the file */

	/* Wide characters count twice, as in the writer. */
	function columnsOf(text) {
		return [...text].reduce((n, c) => n + (c.codePointAt(0) > 0x7ff ? 2 : 1), 0);
	}

	/* Return the longest form of a name that fits. */
	function cut(name, width) {
		const forms = shorterNames(name);
		const has = (form) => columnsOf(form) <= Math.floor((width - 6) / COLUMN);
		return cutEnd(forms.find(has) ?? forms[forms.length - 1], width);
	}

	function cutEnd(name, width) {
		let left = Math.floor((width - 6) / COLUMN);
		let short = "";
		if (left < 3)
			return "";
		for (const c of name) {
			const columns = c.codePointAt(0) > 0x7ff ? 2 : 1;
			if (columns > left || (columns === left && short.length + c.length < name.length))
				return `${short}…`;
			left -= columns;
			short += c;
		}
		return short;
	}

	function place(box, x, width) {
		const show = width >= NARROW;
		if (show !== box.shown)
			box.group.style.display = show ? "" : "none";
		box.shown = show;
		if (!show)
			return;
		box.rect.setAttribute("x", x);
		box.rect.setAttribute("width", width);
		const label = cut(box.name, width);
		if (!box.text && label) {
			box.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
			box.text.setAttribute("y", box.y + 11);
			box.group.append(box.text);
		}
		if (box.text) {
			box.text.setAttribute("x", x + 3);
			box.text.textContent = label;
		}
	}

	function covers(outer, inner) {
		return outer.x <= inner.x + 0.001 && outer.x + outer.width >= inner.x + inner.width - 0.001;
	}

	function zoom(to) {
		const scale = width / to.width;
		zoomed = to;
		for (const box of boxes) {
			const above = box.row < to.row && covers(box, to);
			box.group.classList.toggle("above", above);
			if (above)
				place(box, all.x, width);
			else if (box === to || (box.row > to.row && covers(to, box)))
				place(box, all.x + (box.x - to.x) * scale, box.width * scale);
			else
				place(box, 0, 0);
		}
		part("reset").style.visibility = to === all ? "hidden" : "visible";
		/* a character of the heading is half as wide again as one of a name */
		heading.textContent = cutEnd(to === all ? title : `${title} › ${cut(to.name, 600)}`,
			(width - (to === all ? TOOL : 2 * TOOL)) / 1.5);
	}

	/* Lay out the entries of the legend in lines of the window's width. Return the pixels of additional lines. */
	function fitLegend() {
		let x = 0;
		let line = 0;
		if (!isList)
			return 0;
		for (const key of keys) {
			const start = Number(key.swatch.firstElementChild.getAttribute("x"));
			const wide = key.x - start + key.columns * COLUMN;
			if (x > 0 && x + wide > width) {
				x = 0;
				line++;
			}
			const move = `translate(${all.x + x - start} ${keys[0].y + line * KEY_LINE - key.y})`;
			key.swatch.setAttribute("transform", move);
			key.text.setAttribute("transform", move);
			x += wide + KEY_APART;
		}
		return line * KEY_LINE - (keys[keys.length - 1].y - keys[0].y);
	}

	/* Shorten the lines of text to the width; the event leaves room for the result of a search. */
	function fitTexts() {
		eventLine.textContent = cutEnd(eventText, width - COLUMN * columnsOf(found.textContent));
		notes.textContent = cutEnd(notesText, width);
	}

	/* Use the width of the window, if the image is a document. */
	function fit() {
		const room = Math.max(innerWidth, LEAST);
		width = room - 2 * all.x;
		const added = fitLegend();
		svg.setAttribute("width", room);
		svg.setAttribute("height", height + added);
		svg.setAttribute("viewBox", `0 0 ${room} ${height + added}`);
		for (const line of [notes, detail])
			line.setAttribute("transform", `translate(0 ${added})`);
		fitTexts();
		for (const tool of tools)
			tool.setAttribute("transform", `translate(${width - all.width} 0)`);
		found.setAttribute("x", all.x + width);
		zoom(zoomed);
	}

	/* Show the title of a frame below the graph. */
	function showDetail(box) {
		const text = box ? box.told.split("\n").join("  ·  ") : "";
		detail.textContent = fits ? cutEnd(text, width) : text;
	}

	function choose(box) {
		if (chosen)
			chosen.group.classList.remove("chosen");
		chosen = box;
		if (box)
			box.group.classList.add("chosen");
		showDetail(box);
	}

	function pattern(text) {
		try {
			return new RegExp(text, text === text.toLowerCase() ? "iu" : "u");
		} catch {
			return new RegExp(text.replace(/[.*+?^${}()|[\]\\\/]/gu, "\\$&"), "iu");
		}
	}

	/* Mark matching frames. The percentage counts a frame within a matching frame once. */
	function search(text) {
		const wanted = text ? pattern(text) : null;
		let covered = 0;
		let count = 0;
		let within = Infinity;
		for (const box of boxes) {
			const match = wanted !== null && box !== all && wanted.test(box.name);
			box.group.classList.toggle("match", match);
			count += match;
			if (box.row <= within)
				within = Infinity;
			if (match && within === Infinity) {
				covered += box.width;
				within = box.row;
			}
		}
		found.textContent = wanted === null ? "" :
			`${(100 * covered / all.width).toFixed(2)} % in ${count} matching frames`;
		if (fits)
			fitTexts();
	}

	function ask() {
		const text = prompt("Search for a name (text or regular expression)", "");
		if (text !== null)
			search(text);
	}

	/* The next box in sight: of the same row, or the first above or below the chosen one. */
	function beside(step) {
		for (let i = chosen.number + step; boxes[i]; i += step) {
			if (boxes[i].shown && boxes[i].row === chosen.row)
				return boxes[i];
		}
		return null;
	}

	function outward() {
		for (let i = chosen.number - 1; i >= 0; i--) {
			if (boxes[i].row < chosen.row)
				return boxes[i];
		}
		return null;
	}

	function inward() {
		for (let i = chosen.number + 1; boxes[i] && boxes[i].row > chosen.row; i++) {
			if (boxes[i].shown)
				return boxes[i];
		}
		return null;
	}

	const icicle = svg.dataset.icicle === "1";
	const arrows = {
		ArrowLeft: () => beside(-1),
		ArrowRight: () => beside(1),
		ArrowUp: () => icicle ? outward() : inward(),
		ArrowDown: () => icicle ? inward() : outward(),
	};

	function press(event) {
		if (event.key === "/" || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
			ask();
		} else if (event.key === "Escape") {
			search("");
			zoom(all);
			choose(null);
		} else if (event.key === "Enter" && event.target.closest && event.target.closest(".tool")) {
			event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
		} else if (event.key === "Enter" && chosen) {
			zoom(chosen);
		} else if (arrows[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
			choose(chosen ? arrows[event.key]() || chosen : zoomed);
		} else {
			return;
		}
		event.preventDefault();
	}

	svg.addEventListener("click", (event) => {
		const group = event.target.closest(".f, .tool");
		if (!group)
			return;
		if (group.dataset.part === "search")
			ask();
		else if (group.dataset.part === "reset")
			zoom(all);
		else
			zoom(known.get(group));
	});
	svg.addEventListener("mouseover", (event) => {
		const group = event.target.closest(".f");
		if (group)
			showDetail(known.get(group));
	});
	svg.addEventListener("mouseout", () => showDetail(chosen));
	document.addEventListener("keydown", press);
	svg.classList.add("scripted");
	part("reset").style.visibility = "hidden";
	if (fits) {
		fit();
		addEventListener("resize", fit);
	}
	if (!icicle && svg === document.documentElement) /* start at the outermost frames */
		scrollTo(0, svg.height.baseVal.value);
})();
