import assert from "node:assert/strict";
import { test } from "node:test";
import { insertionOf } from "../src/editor/insertion";

type Language = Parameters<typeof insertionOf>[2];

/** Inserts the code at the "|" of the text. */
function inserted(text: string, language: Language, code: string): string {
	const at = text.indexOf("|");
	const plain = text.replace("|", "");
	const changes = insertionOf(plain, { from: at, to: at }, language, code);
	return [...changes]
		.reverse()
		.sort((one, other) => other.from - one.from)
		.reduce(
			(changed, { from, to = from, insert }) => changed.slice(0, from) + insert + changed.slice(to),
			plain,
		);
}

void test("a widget in Starlark comes with the modules that it needs", () => {
	const code = "animation.X(child = render.Text())";
	assert.equal(
		inserted("# Mine.\n\ndef main():\n    return |\n", "STARLARK", code),
		`# Mine.\n\nload("animation.star", "animation")\nload("render.star", "render")\ndef main():\n    return ${code}\n`,
	);
	assert.equal(
		inserted('load("render.star", "render")\n|', "STARLARK", "render.Text()"),
		'load("render.star", "render")\nrender.Text()',
	);
});

void test("of several files, the one with the cursor gets the modules", () => {
	assert.equal(
		inserted(
			'-- a.star --\nload("render.star", "render")\n-- b.star --\nx = |\n',
			"STARLARK",
			"render.Text()",
		),
		'-- a.star --\nload("render.star", "render")\n-- b.star --\nload("render.star", "render")\nx = render.Text()\n',
	);
});

void test("a widget in TypeScript joins the import that is there", () => {
	const code = "Box({ child: Text({}) })";
	assert.equal(
		inserted('import { Root, Text } from "panel";\n|', "TYPESCRIPT", code),
		`import { Root, Text, Box } from "panel";\n${code}`,
	);
	assert.equal(
		inserted("|", "TYPESCRIPT", "form.Text({})"),
		'import { form } from "panel";\nform.Text({})',
	);
	assert.equal(
		inserted('import {\n\tRoot,\n} from "panel";\n|', "TYPESCRIPT", "Text({})"),
		'import {\n\tRoot, Text\n} from "panel";\nText({})',
	);
});
