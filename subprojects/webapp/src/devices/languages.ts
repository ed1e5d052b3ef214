/** Languages that apps are likely to support; others can be set with the API. */
const KNOWN =
	"ar bg bn ca cs da de de-AT de-CH el en en-GB en-US es es-MX et fa fi fr fr-CA he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv th tr uk vi zh-Hans zh-Hant".split(
		" ",
	);

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

function nameOf(locale: string): string {
	try {
		return names.of(locale) ?? locale;
	} catch {
		return locale;
	}
}

/** The languages sorted by name; the one that is set is always included. */
export function languages(set: string): { value: string; words: string }[] {
	const all = KNOWN.includes(set) ? KNOWN : [...KNOWN, set];
	return all
		.map((value) => ({ value, words: nameOf(value) }))
		.sort((a, b) => a.words.localeCompare(b.words, "en"));
}
