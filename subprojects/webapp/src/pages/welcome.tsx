import "../style/welcome.css";

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, type Account, type Problem, type Schemas } from "../api/client";
import { panelNews, useWatch } from "../api/live";
import { useResource } from "../api/resource";
import { loadStart, start } from "../api/session";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { Panel } from "../components/panel";
import { DevicePanel } from "../devices/device_panel";
import { LinkCard } from "../devices/link_card";
import { useDevices, type Device } from "../devices/store";
import { Heading } from "../frame/page";
import { go } from "../frame/place";
import morning from "../pictures/morning.webp";
import { WATCHED_MAX } from "../stream/wants";
import { NewDeviceForm } from "./device_new";

type NewDevice = Schemas["NewDevice"];
type Steps = NonNullable<Schemas["Start"]["firstSteps"]>;

const ALL_DONE: Steps = { hasPanel: true, hasEntry: true, hasApps: true };

/** Steps that are done, kept current; the panel's counts before the server has stored that it connected. */
function useSteps(devices: readonly Device[]): Steps {
	const ids = devices.slice(0, WATCHED_MAX).map(({ id }) => id);
	useWatch(ids);
	const topics = ids.flatMap((id) => [`device:${id}`, `rotation:${id}`]);
	useResource(loadStart, ["devices", "apps", ...topics]);
	const steps = start.value?.firstSteps ?? ALL_DONE;
	const isHere = devices.some(
		({ id, connectedAt }) => connectedAt !== null || panelNews(id).value?.isOnline === true,
	);
	useEffect(() => {
		if (isHere && !steps.hasPanel) void loadStart();
	}, [isHere, steps.hasPanel]);
	return { ...steps, hasPanel: steps.hasPanel || isHere };
}

interface StepProps {
	title: string;
	isDone: boolean;
	children: ComponentChildren;
}

function WelcomeStep({ title, isDone, children }: StepProps): JSX.Element {
	return (
		<li class="stack" data-done={isDone}>
			<h2>
				{title}
				<span class="only-read" role="status">
					{isDone ? ": done" : ""}
				</span>
			</h2>
			{children}
		</li>
	);
}

interface AddProps {
	device: Device | undefined;
	isDone: boolean;
	made: NewDevice | undefined;
	onMade: (made: NewDevice | undefined) => void;
}

/** A device, and the way to its panel. */
function AddDevice({ device, isDone, made, onMade }: AddProps): JSX.Element {
	if (made) return <LinkCard {...made} onDone={() => onMade(undefined)} />;
	if (!device)
		return (
			<>
				<p>
					A device is what your panel shows. A browser, a tablet or a terminal can be the panel,
					too.
				</p>
				<NewDeviceForm
					isShort
					onMade={onMade}
					beside={
						<a href="devices/import" data-page>
							Import from a tronbyt server
						</a>
					}
				/>
			</>
		);
	if (isDone) return <p>{isolated(device.name)} is connected.</p>;
	return (
		<>
			<p>{isolated(device.name)} has not connected yet.</p>
			<div class="row">
				<a class="button" href={`devices/${device.id}/connect`} data-page>
					Connect {isolated(device.name)}
				</a>
			</div>
		</>
	);
}

const AMBER = "#ffb000";
const TEXT_MAX = 500;

interface ShowProps {
	device: Device;
	account: Account;
	hasApps: boolean;
}

/** A text that stays in the rotation: the first picture that a new panel shows. */
function ShowSomething({ device, account, hasApps }: ShowProps): JSX.Element {
	const [text, setText] = useState(`Good to see you, ${account.name}`);
	const place = `devices/${device.id}`;
	const submit = async () => {
		const body = { text, color: AMBER, installationId: "welcome" };
		await post("/web/devices/{deviceId}/message", body, { deviceId: device.id });
		await loadStart();
	};
	return (
		<>
			<Form action="Show it" onSubmit={submit} names={["text"]}>
				{(faults) => (
					<Field
						label={`A text for ${isolated(device.name)}`}
						name="text"
						value={text}
						onInput={setText}
						fault={faults.get("text")}
						maxLength={TEXT_MAX}
						isRequired
					/>
				)}
			</Form>
			<p>
				Or{" "}
				<a href={`${place}/push`} data-page>
					a picture
				</a>
				{hasApps ? ", or " : "."}
				{hasApps && (
					<a href={`${place}/add`} data-page>
						an app
					</a>
				)}
				{hasApps && "."}
			</p>
		</>
	);
}

function ShowStep({
	device,
	...more
}: Partial<ShowProps> & Omit<ShowProps, "device">): JSX.Element {
	if (!device) return <p class="quiet">A text, a picture or an app, once a device is there.</p>;
	return <ShowSomething device={device} {...more} />;
}

function Apps({ isDone }: { isDone: boolean }): JSX.Element {
	return (
		<>
			<p>
				{isDone
					? "The catalogue has apps: clocks, weather, departures and more."
					: "The catalogue is empty. Fill it with the apps that come with the server, or those of a collection."}
			</p>
			<div class="row">
				<a class="button" href="apps" data-page>
					{isDone ? "See the apps" : "Bring in apps"}
				</a>
			</div>
		</>
	);
}

function LargePanel({ device }: { device: Device | undefined }): JSX.Element {
	return (
		<div class="welcome-panel">
			{device ? (
				<DevicePanel device={device} title={device.name} />
			) : (
				<Panel picture={morning} label="A panel that shows the time and the weather" />
			)}
		</div>
	);
}

/** The page until the devices are known. */
function Unknown({ problem }: { problem: Problem | undefined }): JSX.Element {
	return (
		<div class="stack wide" aria-busy={!problem}>
			<Heading title="First steps" />
			{problem && <p class="notice bad">{problem.message}</p>}
		</div>
	);
}

/** /welcome: the first steps of an account, until they are done. */
export function WelcomePage({ account }: { account: Account }): JSX.Element | null {
	const devices = useDevices();
	const list = devices.value.value ?? [];
	const steps = useSteps(list);
	const [made, setMade] = useState<NewDevice>();
	const [wasDone] = useState(() => start.value?.firstSteps === null);
	useEffect(() => {
		if (wasDone) go("devices", { replaces: true });
	}, [wasDone]);
	if (wasDone) return null;
	if (!devices.value.value) return <Unknown problem={devices.problem.value} />;
	const device = list.find(({ connectedAt }) => connectedAt !== null) ?? list[0] ?? made?.device;
	const isDone = steps.hasPanel && steps.hasEntry && steps.hasApps;
	return (
		<div class="stack wide">
			<Heading title={isDone ? "All is set up" : "First steps"} />
			<div class="welcome">
				<LargePanel device={device} />
				<ol class="steps welcome-steps">
					<WelcomeStep title="Add a device" isDone={steps.hasPanel}>
						<AddDevice device={device} isDone={steps.hasPanel} made={made} onMade={setMade} />
					</WelcomeStep>
					<WelcomeStep title="Give it something to show" isDone={steps.hasEntry}>
						{steps.hasEntry ? (
							<p>Its rotation has begun.</p>
						) : (
							<ShowStep account={account} hasApps={steps.hasApps} {...(device && { device })} />
						)}
					</WelcomeStep>
					{account.isAdministrator && (
						<WelcomeStep title="Bring in apps" isDone={steps.hasApps}>
							<Apps isDone={steps.hasApps} />
						</WelcomeStep>
					)}
				</ol>
			</div>
			{!made && device && (
				<div class="row">
					<a class={isDone ? "button primary" : "button"} href={`devices/${device.id}`} data-page>
						Go to {isolated(device.name)}
					</a>
				</div>
			)}
		</div>
	);
}
