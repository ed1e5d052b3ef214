import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { post, Problem, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Secret } from "../components/secret";
import { Table } from "../components/table";
import { Heading } from "../frame/page";

type Report = Schemas["ImportReport"];
type Imported = Schemas["ImportedDevice"];
type Export = Schemas["TronbytExport"];

const FILE_BYTES_MAX = 4 * 1024 * 1024;

interface Chosen {
	name: string;
	content: Export;
}

/** Reads a file; a text says why it is none that can be brought. */
async function read(file: File): Promise<Chosen | string> {
	if (file.size > FILE_BYTES_MAX)
		return "This file is larger than 4 MiB. Export one device at a time.";
	try {
		return { name: file.name, content: JSON.parse(await file.text()) as Export };
	} catch {
		return "This file is not an export: it is no JSON.";
	}
}

function stateWords({ state }: Imported, isDryRun: boolean): string {
	if (state === "there") return "Is here already, and stays as it is";
	if (state === "failed") return "Does not come";
	return isDryRun ? "Will come" : "Has come";
}

function entriesWords({ state, entries }: Imported): string {
	if (state !== "new") return "";
	return entries === 1 ? "1 entry" : `${entries} entries`;
}

function Devices({ report }: { report: Report }): JSX.Element {
	return (
		<Table
			caption="Devices of the file"
			rows={report.devices}
			rowKey={({ formerId }) => formerId}
			columns={[
				{
					title: "Device",
					cell: ({ id, name }) =>
						id === null ? (
							name
						) : (
							<a href={`devices/${id}`} data-page>
								{name}
							</a>
						),
				},
				{ title: "Outcome", cell: (device) => stateWords(device, report.isDryRun) },
				{ title: "Rotation", cell: entriesWords },
				{
					title: "Address",
					cell: ({ alias, state }) =>
						state !== "new" ? "" : alias === null ? "A new one" : <code>/{alias}/</code>,
				},
			]}
		/>
	);
}

function NotBrought({ report }: { report: Report }): JSX.Element | null {
	if (report.notBrought.length === 0) return <p>Nothing of the file is left behind.</p>;
	return (
		<details open={report.notBrought.length <= 20}>
			<summary>
				{report.isDryRun ? "What will not come" : "What has not come"}, or not as it was (
				{report.notBrought.length})
			</summary>
			<Table
				caption="What does not come"
				rows={report.notBrought.map((row, i) => ({ ...row, key: String(i) }))}
				rowKey={({ key }) => key}
				columns={[
					{ title: "Device", cell: ({ device }) => device },
					{ title: "Entry", cell: ({ entry }) => entry ?? "" },
					{ title: "What", cell: ({ what }) => what },
					{ title: "Why", cell: ({ why }) => why },
				]}
			/>
		</details>
	);
}

/** The addresses of devices that came; they are shown this once. */
function Addresses({ devices }: { devices: readonly Imported[] }): JSX.Element | null {
	const made = devices.filter(({ webSocketUrl }) => webSocketUrl !== null);
	if (made.length === 0) return null;
	const areKept = made.every(({ alias }) => alias !== null);
	return (
		<details open={!areKept}>
			<summary>Their own addresses, shown this once</summary>
			<div class="stack">
				<p>
					{areKept
						? "You need them only for a panel that you set up anew: the others come by the addresses that they have."
						: "Enter each on the set-up page of its panel, as the Image URL."}
				</p>
				{made.map(({ id, name, webSocketUrl }) => (
					<div key={id} class="stack">
						<p>{name}</p>
						<Secret text={webSocketUrl ?? ""} what={`the address of ${name}`} />
					</div>
				))}
			</div>
		</details>
	);
}

function Next({ devices }: { devices: readonly Imported[] }): JSX.Element | null {
	if (!devices.some(({ alias }) => alias !== null)) return null;
	return (
		<div class="notice stack">
			<p>
				Now let the host name, or the port, of the former server point to this one: the panels come
				by themselves. Nobody has to touch them.
			</p>
			<p>
				Then open each device here and choose Connect: “Lead it to its own address” ends its former
				one, which is a short secret.
			</p>
		</div>
	);
}

interface ChooseProps {
	isBusy: boolean;
	keepsAddresses: boolean;
	onKeep: (keeps: boolean) => void;
	onFile: (file: File) => void;
}

function Choose({ isBusy, keepsAddresses, onKeep, onFile }: ChooseProps): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	return (
		<div class="stack form-width">
			<p>
				On the former server, export your account, or a device on its settings page. Choose the file
				here: you see first what will come.
			</p>
			<Check
				label="The panels keep the addresses that they have"
				isOn={keepsAddresses}
				onChange={onKeep}
			/>
			<p class="quiet">
				Then none has to be set up anew. Such an address is a short secret: whoever knows it sees
				the pictures of the device, and nothing else. You can end it later.
			</p>
			<input
				ref={input}
				type="file"
				accept=".json,application/json"
				aria-label="Export of a tronbyt server"
				hidden
				onChange={({ currentTarget }) => {
					const file = currentTarget.files?.[0];
					if (file) onFile(file);
					currentTarget.value = "";
				}}
			/>
			<div class="row">
				<Button kind="primary" isBusy={isBusy} onClick={() => input.current?.click()}>
					Choose a file
				</Button>
				<a href="devices" data-page>
					Cancel
				</a>
			</div>
		</div>
	);
}

interface OutcomeProps {
	report: Report;
	/** Name of the file. */
	name: string;
	isBusy: boolean;
	onBring: () => void;
	onBack: () => void;
}

/** Report of the file: of what would come, with a button that brings it, or of what has come. */
function Outcome({ report, name, isBusy, onBring, onBack }: OutcomeProps): JSX.Element {
	const count = report.devices.filter(({ state }) => state === "new").length;
	const words = count === 1 ? "Bring 1 panel" : `Bring ${count} panels`;
	return (
		<>
			<p role="status">
				{report.isDryRun ? `This is what ${name} has. Nothing is changed yet.` : "Done."}
			</p>
			<Devices report={report} />
			{!report.isDryRun && <Next devices={report.devices} />}
			{!report.isDryRun && <Addresses devices={report.devices} />}
			<NotBrought report={report} />
			<div class="row">
				{report.isDryRun && count > 0 && (
					<Button kind="primary" isBusy={isBusy} onClick={onBring}>
						{words}
					</Button>
				)}
				{report.isDryRun ? (
					<Button onClick={onBack}>Choose another file</Button>
				) : (
					<a class="button primary" href="devices" data-page>
						See your devices
					</a>
				)}
			</div>
		</>
	);
}

/** Words for the place in the file that the server does not take. */
function faultOf(problem: Problem): string {
	const [first] = problem.faults;
	if (!first) return problem.message;
	return `This file is not an export: /${first[0]} ${first[1].charAt(0).toLowerCase()}${first[1].slice(1)}`;
}

/** Page of /devices/import: devices of a tronbyt server; first what would come, then the devices. */
export function ImportPage(): JSX.Element {
	const [keepsAddresses, setKeeps] = useState(true);
	const [chosen, setChosen] = useState<Chosen>();
	const [report, setReport] = useState<Report>();
	const [fault, setFault] = useState<string>();
	const [isBusy, setBusy] = useState(false);
	const ask = async (file: Chosen, dryRun: boolean, keeps: boolean) => {
		setBusy(true);
		setFault(undefined);
		try {
			const query = { dryRun, keepAddresses: keeps };
			setReport(await post("/web/import/tronbyt", file.content, {}, query));
			setChosen(file);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setFault(faultOf(error));
		}
		setBusy(false);
	};
	const take = async (file: File) => {
		const result = await read(file);
		if (typeof result === "string") setFault(result);
		else await ask(result, true, keepsAddresses);
	};
	return (
		<div class="stack wide">
			<Heading title="Bring panels from a tronbyt server" />
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			{!report && (
				<Choose
					isBusy={isBusy}
					keepsAddresses={keepsAddresses}
					onKeep={setKeeps}
					onFile={(file) => void take(file)}
				/>
			)}
			{report && (
				<Outcome
					report={report}
					name={chosen?.name ?? "the file"}
					isBusy={isBusy}
					onBring={() => chosen && void ask(chosen, false, keepsAddresses)}
					onBack={() => setReport(undefined)}
				/>
			)}
		</div>
	);
}
