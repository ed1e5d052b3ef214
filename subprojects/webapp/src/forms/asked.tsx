import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Button } from "../components/button";
import { Finder } from "../components/finder";
import {
	readOption,
	readPlace,
	wordsOf,
	writeOption,
	writePlace,
	type FormField,
	type FormOption,
	type Place,
} from "./fields";
import { PlacePicker } from "./place";
import { helpOf, labelOf, type Answers, type FieldProps } from "./props";
import { Around } from "./simple";

/** Field whose options the app's handler finds for the typed text. */
export function TypeaheadField(props: FieldProps): JSX.Element {
	const { field, value, onChange, context } = props;
	const chosen = readOption(value);
	const place = useRef<HTMLDivElement>(null);
	return (
		<div class="form-fields" ref={place}>
			<Finder
				label={labelOf(field)}
				value={chosen ? wordsOf(chosen) : ""}
				find={(text) => context.answers.options(field, text)}
				matchOf={(option) => ({ key: option.value, words: wordsOf(option) })}
				onChoose={(option) => onChange(writeOption(option))}
				findsAll
				placeholder="Type to search"
				nothing="No matches"
				help={helpOf(field)}
				fault={props.fault}
				isDisabled={props.isDisabled}
			/>
			{chosen && (
				<div class="row">
					<Button
						isDisabled={props.isDisabled}
						onClick={() => {
							place.current?.querySelector("input")?.focus(); // the button is removed
							onChange(undefined);
						}}
					>
						Clear<span class="only-read"> {labelOf(field)}</span>
					</Button>
				</div>
			)}
		</div>
	);
}

interface Offered {
	/** Parameter of the handler call. */
	parameter: string;
	options: readonly FormOption[];
	fault?: string;
}

function useOffered(
	field: FormField,
	parameter: string | undefined,
	answers: Answers,
): Offered | undefined {
	const [offered, setOffered] = useState<Offered>();
	useEffect(() => {
		if (parameter === undefined) return undefined;
		let isOver = false;
		const say = (next: Offered) => {
			if (!isOver) setOffered(next);
		};
		answers.options(field, parameter).then(
			(options) => say({ parameter, options }),
			(error: unknown) => {
				if (!(error instanceof Problem)) throw error;
				say({ parameter, options: [], fault: error.message });
			},
		);
		return () => {
			isOver = true;
		};
	}, [field.id, parameter]);
	return offered?.parameter === parameter ? offered : undefined;
}

/** Joins the chosen option and the place for which it was offered, so that the form can be opened
 * again with both. */
function joined(place: Place, option: FormOption | undefined): string {
	const text = option === undefined ? "{}" : writeOption(option);
	return JSON.stringify({
		...(JSON.parse(writePlace(place)) as object),
		...(JSON.parse(text) as object),
	});
}

function Offers({
	offered,
	chosen,
	isDisabled,
	onChoose,
}: {
	offered: Offered | undefined;
	chosen: FormOption | undefined;
	isDisabled: boolean;
	onChoose: (option: FormOption) => void;
}): JSX.Element {
	const id = useId();
	const options = offered?.options ?? [];
	const isKnown = options.some(({ value }) => value === chosen?.value);
	const nothing = "The app has no choices near this place.";
	const fault = offered?.options.length === 0 ? (offered.fault ?? nothing) : undefined;
	return (
		<Around id={id} label="Choices near this place" help={undefined} fault={fault}>
			<select
				id={id}
				value={chosen?.value ?? ""}
				disabled={isDisabled || options.length === 0}
				aria-busy={offered === undefined}
				aria-describedby={`${id}-fault`}
				onChange={(event) => {
					const option = options.find(({ value }) => value === event.currentTarget.value);
					if (option) onChoose(option);
				}}
			>
				{!isKnown && (
					<option value={chosen?.value ?? ""}>{chosen ? wordsOf(chosen) : "Choose one"}</option>
				)}
				{options.map((option) => (
					<option key={option.value} value={option.value}>
						{wordsOf(option)}
					</option>
				))}
			</select>
		</Around>
	);
}

/** A field for a place and one of the options that the app's handler offers near it. */
export function LocationBasedField(props: FieldProps): JSX.Element {
	const { field, value, onChange, context } = props;
	const place = readPlace(value) ?? readPlace(context.devicePlace ?? "");
	const chosen = readOption(value);
	const parameter = place && writePlace(place);
	const offered = useOffered(field, parameter, context.answers);
	return (
		<div class="form-fields" role="group" aria-label={labelOf(field)}>
			<PlacePicker
				label={labelOf(field)}
				place={place}
				onPlace={(next) => onChange(joined(next, undefined))}
				help={helpOf(field)}
				fault={props.fault}
				isDisabled={props.isDisabled}
				timezone={context.timezone}
				find={context.answers.places}
			/>
			{place ? (
				<Offers
					offered={offered}
					chosen={chosen}
					isDisabled={props.isDisabled}
					onChoose={(option) => onChange(joined(place, option))}
				/>
			) : (
				chosen && <p class="quiet">Chosen: {wordsOf(chosen)}</p>
			)}
		</div>
	);
}
