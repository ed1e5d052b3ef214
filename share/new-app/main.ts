import { Box, form, Root, Text, type Input } from "panel";

export default function main({ config }: Input) {
    return Root({ child: Box({ child: Text({ content: `Hello, ${config.who ?? "world"}` }) }) });
}

export const schema = [
    form.Text({ id: "who", name: "Who", desc: "Whom to greet", icon: "user", default: "world" }),
];
