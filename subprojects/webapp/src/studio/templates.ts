import type { Language } from "../components/code";

/** Templates of new drafts; they are saved only once they are changed. */
export const TEMPLATES: Record<Language, string> = {
	STARLARK: `load("render.star", "render")

def main(config):
    return render.Root(
        child = render.Box(
            child = render.Text("Hello"),
        ),
    )
`,
	TYPESCRIPT: `import { Box, Root, Text } from "panel";

export default function main() {
  return Root({ child: Box({ child: Text({ content: "Hello" }) }) });
}
`,
};
