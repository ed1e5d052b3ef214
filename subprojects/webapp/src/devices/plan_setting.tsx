import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, put } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { Fault } from "../components/fault";
import { wordsOfEffect, wordsOfSource, wordsOfWindow, type Plan, type PlanWindow } from "./plan";
import { PlanWeek } from "./plan_week";
import { WindowDialog } from "./plan_window";
import { WEEKDAYS } from "./schedule";
import type { Device, Entry } from "./store";
import { nameOfEntry } from "./words";

const WINDOWS_MAX = 16;
const NEW_WINDOW: PlanWindow = {
	weekdays: [...WEEKDAYS],
	from: "22:00",
	to: "07:00",
	dark: true,
};

interface PlanProps {
	device: Device;
	entries: readonly Entry[];
	/** The first windows: sleep and dimming. */
	children: ComponentChildren;
}

interface PartProps {
	device: Device;
	plan: Plan;
	resource: Resource<Plan>;
}

function timeIn(timezone: string, at: string): string {
	const format: Intl.DateTimeFormatOptions = {
		timeZone: timezone,
		weekday: "short",
		hour: "2-digit",
		minute: "2-digit",
		hourCycle: "h23",
	};
	return new Intl.DateTimeFormat("en-GB", format).format(new Date(at));
}

function wordsOfNow({ device, plan }: Omit<PartProps, "resource">): string {
	const { now, by, orders } = plan;
	const what = now.dark ? "Dark" : `Brightness ${now.brightness} %`;
	const source = wordsOfSource(now.dark ? by.dark : by.brightness);
	const until = now.dark || by.dark === "order" ? orders.sleepUntil : orders.dimUntil;
	const end = until === null ? "" : `, until ${timeIn(device.timezone, until)}`;
	return `Now: ${what} (${source})${end}.`;
}

type Order = "sleep" | "wake" | "dim" | "undim";

/** Orders by hand, until the plan next changes. */
function Orders({ device, plan, resource }: PartProps): JSX.Element {
	const [fault, setFault] = useState<string>();
	const isDimmed = plan.orders.dim === "dimmed";
	const send = async (order: Order) => {
		const place = { deviceId: device.id };
		try {
			if (order === "sleep") await post("/web/devices/{deviceId}/sleep", undefined, place);
			else if (order === "wake") await post("/web/devices/{deviceId}/wake", undefined, place);
			else if (order === "dim") await post("/web/devices/{deviceId}/dim", undefined, place);
			else await post("/web/devices/{deviceId}/undim", undefined, place);
			setFault(undefined);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setFault(error.message);
		}
		await resource.refresh();
	};
	return (
		<div class="field">
			<p role="status">{wordsOfNow({ device, plan })}</p>
			<div class="row">
				<Button onClick={() => void send("sleep")}>Dark now</Button>
				<Button onClick={() => void send("wake")}>Awake now</Button>
				<Button onClick={() => void send(isDimmed ? "undim" : "dim")}>
					{isDimmed ? "No longer dim" : "Dim now"}
				</Button>
			</div>
			<p class="quiet">Until the plan next changes; without a plan, until you choose another.</p>
			<Fault label="The order" fault={fault} />
		</div>
	);
}

interface ListProps {
	windows: readonly PlanWindow[];
	entries: readonly Entry[];
	onEdit: (index: number) => void;
	onRemove: (index: number) => void;
}

function WindowList({ windows, entries, onEdit, onRemove }: ListProps): JSX.Element | null {
	const nameOf = (id: string) => {
		const entry = entries.find(({ installationId }) => installationId === id);
		return entry ? nameOfEntry(entry) : id;
	};
	if (windows.length === 0) return null;
	return (
		<ol class="plan-windows">
			{windows.map((window, index) => (
				<li key={index}>
					<div>
						<div>
							{index + 1}. {wordsOfWindow(window)}
						</div>
						<div class="quiet">{wordsOfEffect(window, nameOf)}</div>
					</div>
					<RowActions
						name={`window ${index + 1}`}
						actions={[
							{ words: "Edit", onClick: () => onEdit(index) },
							{ words: "Remove", onClick: () => onRemove(index) },
						]}
					/>
				</li>
			))}
		</ol>
	);
}

function Windows({
	plan,
	device,
	resource,
	entries,
}: PartProps & { entries: readonly Entry[] }): JSX.Element {
	const [edited, setEdited] = useState<number>();
	const [fault, setFault] = useState<string>();
	const { windows } = plan;
	const save = async (next: PlanWindow[]) => {
		const body = { windows: next };
		resource.set(await put("/web/devices/{deviceId}/plan", body, { deviceId: device.id }));
	};
	const remove = async (index: number) => {
		try {
			await save(windows.filter((_, other) => other !== index));
			setFault(undefined);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setFault(error.message);
		}
	};
	return (
		<div class="stack">
			<WindowList
				windows={windows}
				entries={entries}
				onEdit={setEdited}
				onRemove={(index) => void remove(index)}
			/>
			<Fault label="The plan" fault={fault} />
			{windows.length < WINDOWS_MAX && (
				<div>
					<Button onClick={() => setEdited(windows.length)}>Add a window</Button>
				</div>
			)}
			{windows.length > 1 && (
				<p class="quiet">If several windows are open, the last one decides what it says.</p>
			)}
			{edited !== undefined && (
				<WindowDialog
					window={windows[edited] ?? NEW_WINDOW}
					index={edited}
					entries={entries}
					onSave={(window) => {
						const next = [...windows];
						next[edited] = window;
						return save(next);
					}}
					onClose={() => setEdited(undefined)}
				/>
			)}
		</div>
	);
}

/** The plan of a device: its week, orders by hand, sleep and dimming, and its own windows. */
export function PlanSetting({ device, entries, children }: PlanProps): JSX.Element {
	const resource = useResource(
		() => get("/web/devices/{deviceId}/plan", {}, { deviceId: device.id }),
		[`device:${device.id}`, `rotation:${device.id}`],
	);
	const plan = resource.value.value;
	return (
		<>
			{plan && <PlanWeek device={device} plan={plan} />}
			{plan && <Orders device={device} plan={plan} resource={resource} />}
			{children}
			{plan && <Windows device={device} plan={plan} resource={resource} entries={entries} />}
		</>
	);
}
