/* Texts of the views in the language of the page: English, unless the page has a dictionary. */
const WORDS = { dictionary: null }; /* English text -> text in another language */

/* Return the text in the language of the page, with its arguments for {0}, {1}... */
function local(text, ...args) {
	const { dictionary } = WORDS;
	const found = dictionary && Object.hasOwn(dictionary, text) ? dictionary[text] : text;
	return args.length ? found.replace(/\{(\d)\}/g, (_, n) => String(args[n])) : found;
}
