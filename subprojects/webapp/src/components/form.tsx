import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Button } from "./button";

interface FormProps {
	/** Text of the button. */
	action: string;
	/** Throws a Problem on failure. */
	onSubmit: () => Promise<void>;
	/** The fields; faults: by the field's name. */
	children: (faults: ReadonlyMap<string, string>) => ComponentChildren;
	/** Names of the fields; faults of others are shown above the button. */
	names: readonly string[];
	kind?: "primary" | "plain" | "danger";
	beside?: ComponentChildren;
}

/** Focuses the field with the first fault. */
function focusFault(form: HTMLFormElement | null): void {
	requestAnimationFrame(() =>
		form?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus(),
	);
}

/** A form that shows faults beside their fields, and sends one request at a time. */
export function Form(props: FormProps): JSX.Element {
	const form = useRef<HTMLFormElement>(null);
	const [isBusy, setBusy] = useState(false);
	const [problem, setProblem] = useState<Problem>();
	const [mended, setMended] = useState<ReadonlySet<string>>(new Set());
	const submit = async () => {
		setBusy(true);
		setMended(new Set());
		try {
			await props.onSubmit();
			setProblem(undefined);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setProblem(error);
			focusFault(form.current);
		} finally {
			setBusy(false);
		}
	};
	const told = problem?.faults ?? new Map<string, string>();
	const isSaid = props.names.some((name) => told.has(name));
	// A fault is no longer shown once its value has changed.
	const faults = new Map([...told].filter(([name]) => !mended.has(name)));
	const mend = ({ target }: Event) => {
		const name = (target as Partial<HTMLInputElement> | null)?.name;
		if (name !== undefined && told.has(name)) setMended(new Set([...mended, name]));
	};
	return (
		<form
			ref={form}
			class="stack"
			noValidate
			onInput={mend}
			onSubmit={(event) => {
				event.preventDefault();
				if (!isBusy) void submit();
			}}
		>
			{props.children(faults)}
			{problem && !isSaid && (
				<p class="notice bad" role="alert" tabIndex={-1}>
					{problem.message}
				</p>
			)}
			<div class="row">
				<Button kind={props.kind ?? "primary"} type="submit" isBusy={isBusy}>
					{props.action}
				</Button>
				{props.beside}
			</div>
		</form>
	);
}
