import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Field } from "../components/field";
import { Select } from "../components/select";
import {
	CHOICES,
	PLACES,
	readMonthDays,
	readRule,
	wordsOfMonthDays,
	writeRule,
	type Choice,
	type Recurrence,
} from "./recurrence";
import { useUnsaved, type Saver } from "./saver";
import { longDay, WEEKDAYS } from "./schedule";

const WEEKS_MAX = 52;
/** A rule that no other choice has. */
const EXAMPLE = "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU";

interface TypedProps {
	label: string;
	stored: string;
	saver: Saver<string>;
	/** Returns what is to be saved; undefined, and `wrong` is said. */
	read: (text: string) => string | undefined;
	wrong?: string;
	/** The server's faults of the rule stand elsewhere. */
	isQuiet?: boolean;
	help?: string;
	type?: "number" | "date";
}

/** Saves on leaving the field. */
function Typed(props: TypedProps): JSX.Element {
	const { label, stored, saver, read, wrong, isQuiet, help, type } = props;
	const [text, setText, sent] = useUnsaved(saver.said, stored);
	const [fault, setFault] = useState<string>();
	const leave = () => {
		if (text === undefined || text === stored) {
			setText(undefined);
			return;
		}
		const value = read(text.trim());
		setFault(value === undefined ? wrong : undefined);
		if (value === undefined) return;
		sent.current = text;
		saver.save(value);
	};
	return (
		<Field
			label={label}
			name={label}
			value={text ?? stored}
			onInput={setText}
			onLeave={leave}
			help={help}
			fault={fault ?? (isQuiet ? undefined : saver.fault)}
			{...(type ? { type } : {})}
		/>
	);
}

interface ChoiceProps {
	now: Recurrence;
	saver: Saver<string>;
}

function Weeks({ now, saver }: ChoiceProps): JSX.Element {
	return (
		<Typed
			label="Weeks"
			type="number"
			stored={String(now.every)}
			saver={saver}
			read={(text) => {
				const every = Number(text);
				const fits = Number.isInteger(every) && every >= 1 && every <= WEEKS_MAX;
				return fits ? writeRule({ ...now, every }) : undefined;
			}}
			wrong={`Enter 1 to ${WEEKS_MAX} weeks.`}
			help="They begin on Mondays, and count from the first day."
		/>
	);
}

function Details({ now, saver }: ChoiceProps): JSX.Element | null {
	const save = (change: Partial<Recurrence>) => saver.save(writeRule({ ...now, ...change }));
	const rule = (change: Partial<Recurrence>) => writeRule({ ...now, ...change });
	if (now.choice === "weeks") return <Weeks now={now} saver={saver} />;
	if (now.choice === "monthDays")
		return (
			<Typed
				label="Days of the month"
				stored={wordsOfMonthDays(now.monthDays)}
				saver={saver}
				read={(text) => {
					const monthDays = readMonthDays(text);
					return monthDays === undefined ? undefined : rule({ monthDays });
				}}
				wrong="Enter days such as 1, 15, last."
				help="Such as 1, 15, last."
			/>
		);
	if (now.choice === "monthWeekday")
		return (
			<div class="pair">
				<Select
					label="Which"
					value={now.place}
					options={Object.entries(PLACES).map(([value, words]) => ({ value, words }))}
					onChange={(place) => save({ place })}
				/>
				<Select
					label="Weekday"
					value={String(now.weekday)}
					options={WEEKDAYS.map((day, i) => ({ value: String(i), words: longDay(day) }))}
					onChange={(weekday) => save({ weekday: Number(weekday) })}
				/>
			</div>
		);
	if (now.choice !== "own") return null;
	return (
		<Typed
			label="Rule"
			stored={now.rule}
			saver={saver}
			read={(text) => text}
			help="A recurrence rule of RFC 5545, such as FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU."
		/>
	);
}

interface RecurrenceProps {
	rule: string;
	start: string;
	ruleSaver: Saver<string>;
	startSaver: Saver<string>;
}

/** The days on which an entry is shown, besides its weekdays. */
export function RecurrenceOption({
	rule,
	start,
	ruleSaver,
	startSaver,
}: RecurrenceProps): JSX.Element {
	const now = readRule(ruleSaver.chosen ?? rule);
	const choices = Object.entries(CHOICES).map(([value, words]) => ({ value, words }));
	const repeats = now.choice !== "day";
	const choose = (choice: Choice) => {
		const rule = choice === "own" ? EXAMPLE : writeRule({ ...now, choice });
		ruleSaver.save(rule);
	};
	return (
		<>
			<Select
				label="Repeats"
				value={now.choice}
				options={choices}
				onChange={(choice) => choose(choice as Choice)}
				said={ruleSaver.said}
				fault={repeats ? undefined : ruleSaver.fault}
			/>
			<Details now={now} saver={ruleSaver} />
			<div class="pair">
				<Typed
					label="First day"
					type="date"
					stored={start}
					saver={startSaver}
					read={(text) => text}
				/>
				<Typed
					label="Last day"
					type="date"
					stored={now.until}
					isQuiet
					saver={ruleSaver}
					read={(until) => writeRule({ ...now, until })}
				/>
			</div>
		</>
	);
}
