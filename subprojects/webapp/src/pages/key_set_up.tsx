import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { Check } from "../components/check";

type SetUp = Schemas["Key"]["setUp"];

/** Words for the things that a key has set up. */
export function setUpWords(of: SetUp): string {
	const webhooks = of.filter(({ kind }) => kind === "webhook").length;
	const words = [];
	if (webhooks > 0) words.push(webhooks === 1 ? "1 webhook" : `${webhooks} webhooks`);
	if (webhooks < of.length) words.push("MQTT");
	return words.join(", ");
}

interface EndingProps {
	of: SetUp;
	isKept: boolean;
	onKeep: (isKept: boolean) => void;
}

/** The things that end with a key, unless its owner keeps them. */
export function Ending({ of, isKept, onKeep }: EndingProps): JSX.Element {
	return (
		<section class="stack" aria-label="What the key has set up">
			<p>
				{isKept
					? "The key has set these up. They stay:"
					: "The key has set these up. They end, too:"}
			</p>
			<ul class="bullets">
				{of.map(({ kind, host }, index) => (
					<li key={index}>
						{kind === "mqtt" ? "MQTT connection to " : "Webhook for "}
						{host}
					</li>
				))}
			</ul>
			<Check label="Keep them: they are mine" isOn={isKept} onChange={onKeep} />
		</section>
	);
}
