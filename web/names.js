/*
 * Shorter forms of function names, as in src/analyze/profile/short_name.h: template arguments and parameters as
 * dots, the innermost first; no parameters; no leading scopes, packages or library. For boxes that are narrower than
 * the name; the tooltip has all of it.
 */
const STRING_TEMPLATE =
	/std::(?:__cxx11::|__1::)?basic_string<char, std::(?:__1::)?char_traits<char>, std::(?:__1::)?allocator<char> ?>/gu;
const NAME_READ = 4000;

/* Parts of names whose brackets are not arguments. */
const NAME_ATOM = /operator(?:\(\)|[<>=-]*)|\(anonymous namespace\)|\.\(\*[^)]*/uy;

function atomAt(text, at) {
	NAME_ATOM.lastIndex = at;
	const match = "o(.".includes(text[at]) ? NAME_ATOM.exec(text) : null;
	return match ? match[0].length : 0;
}

/* Return [open, close, depth] of each pair of brackets whose contents are longer than the dots. */
function bracketPairs(text) {
	const open = [];
	const pairs = [];
	for (let i = 0; i < text.length; i++) {
		const skip = atomAt(text, i);
		if (skip) {
			i += skip - 1;
		} else if (text[i] === "<" || text[i] === "(") {
			open.push(i);
		} else if ((text[i] === ">" || text[i] === ")") && open.length) {
			const from = open.pop();
			if (i - from > 2)
				pairs.push([from, i, 0]);
		}
	}
	pairs.sort((a, b) => a[0] - b[0]);
	const ends = [];
	for (const pair of pairs) {
		while (ends.length && ends[ends.length - 1] < pair[0])
			ends.pop();
		pair[2] = ends.length;
		ends.push(pair[1]);
	}
	return pairs;
}

function foldAt(text, pairs, depth) {
	let folded = "";
	let from = 0;
	for (const [open, close, at] of pairs) {
		if (at !== depth)
			continue;
		folded += `${text.slice(from, open + 1)}\u2026`;
		from = close;
	}
	return folded + text.slice(from);
}

/* Calls visit(character, index) outside of brackets until it returns true. */
function outsideBrackets(text, visit) {
	let depth = 0;
	for (let i = 0; i < text.length; i++) {
		const skip = atomAt(text, i);
		if (skip) {
			i += skip - 1;
			continue;
		}
		if (!depth && visit(text[i], i))
			return;
		if (text[i] === "<" || text[i] === "(")
			depth++;
		else if ((text[i] === ">" || text[i] === ")") && depth)
			depth--;
	}
}

/* Return the name without its first scope, "" if it has none. */
function withoutScope(text) {
	let plain = true; /* no space and no colon: a slash may be in the path of a Go package */
	let rest = "";
	outsideBrackets(text, (c, i) => {
		if (c === ":" && text[i + 1] === ":")
			rest = text.slice(i + 2);
		else if (c === "!" || (c === "/" && plain && i && text.includes(".", i)))
			rest = text.slice(i + 1);
		plain = plain && c !== " " && c !== ":";
		return rest;
	});
	return rest;
}

/* Return the name and its shorter forms, longest first. */
function shorterNames(name) {
	if (name.length > NAME_READ)
		return [name];
	const forms = [name];
	const add = (form) => form && form.length < forms[forms.length - 1].length && forms.push(form);
	const text = name.replace(STRING_TEMPLATE, "std::string");
	const pairs = bracketPairs(text);
	add(text);
	for (let depth = pairs.reduce((most, pair) => Math.max(most, pair[2]), -1); depth >= 0; depth--)
		add(foldAt(text, pairs, depth));
	let last = forms[forms.length - 1];
	let end = last.length;
	outsideBrackets(last, (c, i) => {
		if (c === "(" && i)
			end = i;
	});
	last = last.slice(0, end);
	add(last);
	while ((last = withoutScope(last)))
		add(last);
	return forms;
}
