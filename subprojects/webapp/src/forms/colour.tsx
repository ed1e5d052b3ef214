import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { useTyped } from "../components/typed";
import { nameOfColour, readColour } from "./fields";
import { helpOf, labelOf, type FieldProps } from "./props";
import { Around } from "./simple";

/** Offered if the app has no palette of its own: colours that LEDs show well. */
const PALETTE = ["#ffffff", "#ffb03c", "#ff5446", "#5adc78", "#40a0ff", "#c77dff"];

function Dots({
	colours,
	value,
	name,
	isDisabled,
	onChange,
}: {
	colours: readonly string[];
	value: string;
	name: string;
	isDisabled: boolean;
	onChange: (value: string) => void;
}): JSX.Element {
	return (
		<>
			{colours.map((colour) => (
				<label key={colour} class="form-colour">
					<input
						type="radio"
						name={name}
						checked={colour === value}
						disabled={isDisabled}
						aria-label={`${nameOfColour(colour)}, ${colour}`}
						onChange={() => onChange(colour)}
					/>
					<span class="form-dot" style={{ "--dot": colour }} />
				</label>
			))}
		</>
	);
}

/** A field for the colour's digits; invalid ones are reported and not accepted. */
function Digits({
	label,
	value,
	text,
	fault,
	isDisabled,
	described,
	onText,
	onChange,
}: {
	label: string;
	value: string;
	text: string | undefined;
	fault: string | undefined;
	isDisabled: boolean;
	described: string;
	onText: (text: string | undefined) => void;
	onChange: (value: string) => void;
}): JSX.Element {
	return (
		<input
			class="form-hex"
			value={text ?? value}
			disabled={isDisabled}
			maxLength={7}
			spellcheck={false}
			autocomplete="off"
			aria-label={`${label} as hex code`}
			aria-invalid={fault === undefined ? "false" : "true"}
			aria-describedby={described}
			onInput={(event) => {
				const typed = event.currentTarget.value;
				// Three digits may be the start of six.
				const read = typed.length > 4 ? readColour(typed) : undefined;
				onText(typed);
				if (read !== undefined) onChange(read);
			}}
			onBlur={(event) => {
				const read = readColour(event.currentTarget.value);
				if (read !== undefined && read !== value) onChange(read);
				onText(undefined);
			}}
		/>
	);
}

/** The palette, the browser's own picker, and the digits. */
export function ColourField({
	field,
	value,
	onChange,
	fault,
	isDisabled,
}: FieldProps): JSX.Element {
	const id = useId();
	const colour = readColour(value) ?? "#000000";
	const [text, setText] = useTyped(colour);
	const isWrong = text !== undefined && readColour(text) === undefined;
	const given = field.palette.length > 0 ? field.palette : PALETTE;
	const colours = [...new Set(given.flatMap((other) => readColour(other) ?? []))];
	const label = labelOf(field);
	const said = isWrong ? "Enter a hex code such as #ffb03c." : fault;
	const common = { value: colour, isDisabled, onChange };
	return (
		<Around id={id} label={label} help={helpOf(field)} fault={said} isGroup>
			<div class="form-colours">
				<Dots {...common} colours={colours} name={id} />
				<span class="form-mix">
					<span class="form-colour form-mixed">
						<input
							type="color"
							value={colour}
							disabled={isDisabled}
							aria-label={`${label}: choose any colour`}
							onInput={(event) => onChange(event.currentTarget.value)}
						/>
						<span class="form-dot" style={{ "--dot": colour }} />
					</span>
					<Digits
						{...common}
						label={label}
						value={value}
						fault={said}
						described={`${id}-fault`}
						text={text}
						onText={setText}
					/>
				</span>
			</div>
		</Around>
	);
}
