// The time of day, as clock.star shows it.

import { Animation, Box, form, Padding, Root, Row, Text, type Input, type Widget } from "panel";

function face(text: string, half: string, colour: string): Widget {
    const parts: Widget[] = [Text({ content: text, font: "10x20", color: colour })];
    if (half) {
        const child = Text({ content: half, font: "tom-thumb", color: colour });
        parts.push(Padding({ pad: [1, 0, 0, 3], child }));
    }
    return Row({ cross_align: "end", children: parts });
}

export default function main({ config, local }: Input) {
    const twelve = config.twelve_hours === "true";
    const colour = config.colour ?? "#ffb000";
    const hour = twelve ? String(local.hour % 12 || 12) : String(local.hour).padStart(2, "0");
    const half = twelve ? (local.hour < 12 ? "AM" : "PM") : "";
    const minute = String(local.minute).padStart(2, "0");
    return Root({
        delay: 500,
        max_age: 60,
        child: Box({
            child: Animation({
                children: [":", " "].map((sign) => face(hour + sign + minute, half, colour)),
            }),
        }),
    });
}

export const schema = [
    form.Toggle({
        id: "twelve_hours",
        name: "12 hours",
        desc: "3:04 PM instead of 15:04",
        icon: "clock",
        default: false,
    }),
    form.Color({
        id: "colour",
        name: "Colour",
        desc: "Colour of the digits",
        icon: "palette",
        default: "#ffb000",
    }),
];
