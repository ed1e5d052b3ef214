import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Problem, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { setGuard } from "../frame/place";
import { appAnswers, askPreview, faultsIn, type Target } from "./ask";
import { textOf, type Settings } from "./fields";
import { AppForm } from "./form";
import { Previewer } from "./previewer";
import { PreviewPanel, RunProblemNote } from "./run";

interface SetupProps {
	/** App, and the device that it is installed on. */
	target: Target;
	appName: string;
	timezone: string;
	devicePlace: string;
	form: Schemas["Form"];
	/** Stored settings. */
	settings: Settings;
	secrets: readonly string[];
	/** Text of the button. */
	action: string;
	/** It can be saved without changes. */
	isReady: boolean;
	/** Throws a Problem on failure. */
	onSave: (settings: Settings) => Promise<void>;
	/** Text about the picture. */
	note?: string;
	/** Called when a requested picture is there or has failed. */
	onPreview?: () => void;
	beside?: ComponentChildren;
	children?: ComponentChildren;
}

/** Makes previews for the settings, beginning with the stored ones. */
function usePreviewer(
	{ target, form, onPreview }: SetupProps,
	settings: Settings,
): Previewer<Settings, Schemas["Preview"]> {
	const previewer = useMemo(
		() => new Previewer((wanted: Settings) => askPreview(target, wanted)),
		[target.appId, target.deviceId, target.installationId],
	);
	const isFirst = useRef(true);
	useEffect(() => {
		if (form.unavailable !== null) return;
		previewer.want(settings, isFirst.current);
		isFirst.current = false;
	}, [textOf(settings), previewer, form.version]);
	useEffect(() => () => previewer.end(), [previewer]);
	const answer = previewer.answer.value;
	useEffect(() => {
		if (answer) onPreview?.();
	}, [answer]);
	return previewer;
}

/** Asks for confirmation before leaving the page with unsaved changes. */
function useGuard(isChanged: boolean): void {
	useEffect(() => {
		if (!isChanged) return undefined;
		setGuard({
			title: "Leave without saving?",
			text: "Your changes are not saved.",
			action: "Leave",
		});
		return () => setGuard(undefined);
	}, [isChanged]);
}

interface Filled {
	settings: Settings;
	change: (settings: Settings) => void;
	/** Adds settings made by the app, which do not count as changes. */
	fill: (settings: Settings) => void;
	isChanged: boolean;
	/** Drops the changes: from now on the stored settings are shown. */
	settle: () => void;
}

/** Holds the settings of the form: the stored ones, until one is changed here. */
function useFilled(stored: Settings): Filled {
	const [mine, setMine] = useState<Settings>();
	const [filled, setFilled] = useState<Settings>();
	const settings = mine ?? stored;
	const isChanged = mine !== undefined && textOf(mine) !== textOf(filled ?? stored);
	const fill = (next: Settings) => {
		if (!isChanged) setFilled(next);
		setMine(next);
	};
	const settle = () => {
		setMine(undefined);
		setFilled(undefined);
	};
	return { settings, change: setMine, fill, isChanged, settle };
}

function Picture({
	previewer,
	appName,
	hasFaults,
	note,
}: {
	previewer: Previewer<Settings, Schemas["Preview"]>;
	appName: string;
	hasFaults: boolean;
	note: string | undefined;
}): JSX.Element {
	const preview = previewer.answer.value;
	const error = previewer.error.value;
	const words = error instanceof Problem ? error.message : undefined;
	return (
		<div class="app-setup-picture">
			<PreviewPanel
				preview={preview}
				isBusy={previewer.isBusy.value}
				fault={hasFaults ? "Correct the marked fields to see the preview." : words}
				label={`Preview of ${appName}`}
				line="Preview"
			/>
			{preview?.problem && <RunProblemNote problem={preview.problem} />}
			{note !== undefined && <p class="quiet">{note}</p>}
		</div>
	);
}

/** Saves one request at a time; the button and the text beside it show its state. */
function useSave(
	{ onSave }: SetupProps,
	filled: Filled,
): { save: () => Promise<void>; isBusy: boolean; error: unknown } {
	const [isBusy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>();
	const save = async () => {
		setBusy(true);
		try {
			await onSave(filled.settings);
			setError(undefined);
			filled.settle();
		} catch (thrown) {
			if (!(thrown instanceof Problem)) throw thrown;
			setError(thrown);
		} finally {
			setBusy(false);
		}
	};
	return { save, isBusy, error };
}

/** Shows why there are no fields, in their place. */
function FormNotes({ form }: { form: Schemas["Form"] }): JSX.Element | null {
	if (form.unavailable !== null) return <p class="notice">{form.unavailable}</p>;
	if (form.problem) return <RunProblemNote problem={form.problem} />;
	if (form.fields.length > 0) return null;
	return <p class="quiet">This app has no settings.</p>;
}

/** Collects the faults of the last save and of the last preview. */
function useFaults(previewer: Previewer<Settings, Schemas["Preview"]>, error: unknown): Faults {
	const shown = previewer.error.value;
	const faults = useMemo(() => new Map([...faultsIn(shown), ...faultsIn(error)]), [shown, error]);
	if (!(error instanceof Problem)) return { faults, words: undefined };
	const isMarked = faultsIn(error).size > 0;
	return { faults, words: isMarked ? "Not saved. Correct the marked fields." : error.message };
}

interface Faults {
	/** Faults by the fields' IDs. */
	faults: ReadonlyMap<string, string>;
	/** Why nothing was saved. */
	words: string | undefined;
}

/** Focuses the first field that the server has refused. */
function useFocus(error: unknown): { current: HTMLFormElement | null } {
	const form = useRef<HTMLFormElement>(null);
	useEffect(() => {
		if (faultsIn(error).size === 0) return;
		form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
	}, [error]);
	return form;
}

/** Stands in place of a form until the server has read it: its app may have to be run. */
export function Reading({ problem }: { problem: Problem | undefined }): JSX.Element {
	if (problem) return <p class="notice bad">{problem.message}</p>;
	return (
		<p class="quiet" role="status" aria-busy="true">
			Reading the form
		</p>
	);
}

/** The form of an app beside its preview, which follows each change, and the button that saves. */
export function Setup(props: SetupProps): JSX.Element {
	const { target, form, isReady } = props;
	const filled = useFilled(props.settings);
	const { settings, change, fill, isChanged } = filled;
	const now = useRef(settings);
	now.current = settings;
	const previewer = usePreviewer(props, settings);
	const answers = useMemo(() => appAnswers(target, () => now.current), [previewer]);
	const { save, isBusy, error } = useSave(props, filled);
	useGuard(isChanged && !isBusy);
	const { faults, words } = useFaults(previewer, error);
	const place = useFocus(error);
	const canSave = isChanged || isReady;
	const submit = (event: Event) => {
		event.preventDefault();
		if (!isBusy && canSave) void save();
	};
	return (
		<div class="app-setup">
			<Picture
				previewer={previewer}
				appName={props.appName}
				hasFaults={faults.size > 0}
				note={props.note}
			/>
			<div class="app-setup-rest">
				<form class="stack" noValidate ref={place} onSubmit={submit}>
					<FormNotes form={form} />
					<AppForm
						fields={form.fields}
						settings={settings}
						secrets={new Set(props.secrets)}
						timezone={props.timezone}
						devicePlace={props.devicePlace}
						answers={answers}
						faults={faults}
						onSettings={change}
						onDefaults={fill}
					/>
					{words !== undefined && (
						<p class="notice bad" role="alert">
							{words}
						</p>
					)}
					<div class="row app-setup-actions">
						<Button kind="primary" type="submit" isBusy={isBusy} isDisabled={!canSave}>
							{props.action}
						</Button>
						{props.beside}
					</div>
				</form>
				{props.children}
			</div>
		</div>
	);
}
