import type { Language } from "../components/code";

/** What an empty draft begins with; nothing of it is saved before it is changed. */
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
