import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { post, Problem, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { isolated } from "../components/isolated";
import { Secret } from "../components/secret";
import { sentence } from "../components/sentence";
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

/** Reads a file; returns a message if it cannot be imported. */
async function read(file: File): Promise<Chosen | string> {
	if (file.size > FILE_BYTES_MAX) return "This file is over 4 MiB. Export one device at a time.";
	try {
		return { name: file.name, content: JSON.parse(await file.text()) as Export };
	} catch {
		return "This file is not an export: it is not JSON.";
	}
}

function stateWords({ state }: Imported, isDryRun: boolean): string {
	if (state === "there") return "Already here, unchanged";
	if (state === "failed") return "Not imported";
	return isDryRun ? "Will be imported" : "Imported";
}

/** Number of entries that are imported; if these are not all, also of how many. */
function entriesWords({ state, entries, entriesInFile: all }: Imported): string {
	if (state === "there") return "";
	const words = all === 1 ? "1 entry" : `${all} entries`;
	return entries < all ? `${entries} of ${words}` : words;
}

function Address({ alias, aliasNeedsKey, state }: Imported): JSX.Element | null {
	if (state !== "new") return null;
	if (alias === null) return <>New</>;
	return (
		<>
			<code>/{alias}/</code>
			{aliasNeedsKey && " with its key"}
		</>
	);
}

function Devices({ report }: { report: Report }): JSX.Element {
	return (
		<Table
			caption="Devices in the file"
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
					cell: (device) => <Address {...device} />,
				},
			]}
		/>
	);
}

function NotBrought({ report }: { report: Report }): JSX.Element | null {
	if (report.notBrought.length === 0) return <p>Everything in the file is imported.</p>;
	return (
		<details open={report.notBrought.length <= 20}>
			<summary>
				{report.isDryRun ? "Will be left out or changed:" : "Left out or changed:"}{" "}
				{report.notBrought.length}
			</summary>
			<Table
				caption="Left out or changed"
				rows={report.notBrought.map((row, i) => ({ ...row, key: String(i) }))}
				rowKey={({ key }) => key}
				columns={[
					{ title: "Device", cell: ({ device }) => device },
					{ title: "Entry", cell: ({ entry }) => entry ?? "" },
					{ title: "Item", cell: ({ what }) => what },
					{ title: "Reason", cell: ({ why }) => why },
				]}
			/>
		</details>
	);
}

interface AddressesProps {
	devices: readonly Imported[];
	title: string;
	text: string;
	isOpen: boolean;
}

/** Own addresses of imported devices, which are shown only once. */
function Addresses({ devices, title, text, isOpen }: AddressesProps): JSX.Element | null {
	if (devices.length === 0) return null;
	return (
		<details open={isOpen}>
			<summary>{title}, shown only once</summary>
			<div class="stack">
				<p>{text}</p>
				{devices.map(({ id, name, webSocketUrl }) => (
					<div key={id} class="stack">
						<p>{name}</p>
						<Secret text={webSocketUrl ?? ""} what={`the address of ${name}`} />
					</div>
				))}
			</div>
		</details>
	);
}

/** Steps at the panels: none, if they keep their former addresses. */
function Next({ devices }: { devices: readonly Imported[] }): JSX.Element {
	const made = devices.filter(({ webSocketUrl }) => webSocketUrl !== null);
	const kept = made.filter(({ alias }) => alias !== null);
	const lost = made.filter(({ alias }) => alias === null);
	return (
		<>
			{kept.length > 0 && (
				<div class="notice stack">
					<p>
						Now point the host name or the port of the former server to this server.{" "}
						{lost.length > 0 ? "Panels with a former address" : "The panels"} then connect by
						themselves.
					</p>
					<p>
						Then open each device here, choose Connect and “Move to own address”. This removes its
						former address, which is only a short secret.
					</p>
				</div>
			)}
			<Addresses
				devices={lost}
				title="Addresses to enter at panels"
				text="Enter each address on the setup page of its panel, as the Image URL."
				isOpen
			/>
			<Addresses
				devices={kept}
				title="Own addresses"
				text="You need these only if you set up a panel again. The panels keep using their former addresses."
				isOpen={false}
			/>
		</>
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
				On the former server, export your account, or one device on its settings page. Choose the
				file here to see what will be imported.
			</p>
			<Check
				label="Keep the present addresses of the panels"
				isOn={keepsAddresses}
				onChange={onKeep}
			/>
			<p class="quiet">
				No panel has to be set up again. Such an address is a short secret: anyone who knows it can
				see the pictures of the device, but nothing else. One that is made from a name, such as
				/kitchen/, is no secret: it works only if the panel sends the device’s key. You can remove
				addresses later.
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

interface OpenProps {
	opensAddresses: boolean;
	onOpen: (opens: boolean) => void;
}

/** Lets panels come by addresses that others can guess, which only the single account of a server can. */
function Open({ opensAddresses, onOpen }: OpenProps): JSX.Element {
	return (
		<div class="stack form-width">
			<Check
				label="Accept addresses made from names without a key"
				isOn={opensAddresses}
				onChange={onOpen}
			/>
			<p class="quiet">
				Choose this if the panels did not send keys to the former server. Anyone who can reach this
				server and guesses such an address, for example /kitchen/, then sees the pictures of the
				device and can pose as its panel. It ends when the server gets a second account, because
				others could then claim the same address.
			</p>
		</div>
	);
}

interface OutcomeProps extends OpenProps {
	report: Report;
	/** Name of the file. */
	name: string;
	isBusy: boolean;
	onBring: () => void;
	onBack: () => void;
}

/** Report about the file: what would be imported, with a button, or what was imported. */
function Outcome({ report, name, isBusy, onBring, onBack, ...open }: OutcomeProps): JSX.Element {
	const count = report.devices.filter(({ state }) => state === "new").length;
	const words = count === 1 ? "Import 1 device" : `Import ${count} devices`;
	return (
		<>
			<p role="status">
				{report.isDryRun
					? `Contents of ${isolated(name)}. Nothing has been imported yet.`
					: "Done."}
			</p>
			<Devices report={report} />
			{!report.isDryRun && <Next devices={report.devices} />}
			{report.isDryRun && report.canOpenAddresses && <Open {...open} />}
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
						Show devices
					</a>
				)}
			</div>
		</>
	);
}

/** Text for the position in the file that the server refuses. */
function faultOf(problem: Problem): string {
	const [first] = problem.faults;
	if (!first) return problem.message.replace(/^The body\b/, "This file");
	return sentence(`${first[0] === "" ? "this file" : `"${first[0]}" in this file`} ${first[1]}`);
}

function Refusal({ fault }: { fault: string | undefined }): JSX.Element | null {
	if (fault === undefined) return null;
	return (
		<p class="notice bad" role="alert">
			{fault}
		</p>
	);
}

/** Page of /devices/import: devices of a tronbyt server; first a report of what would be imported,
 * then the devices. */
export function ImportPage(): JSX.Element {
	const [keepsAddresses, setKeeps] = useState(true);
	const [opensAddresses, setOpens] = useState(false);
	const [chosen, setChosen] = useState<Chosen>();
	const [report, setReport] = useState<Report>();
	const [fault, setFault] = useState<string>();
	const [isBusy, setBusy] = useState(false);
	const ask = async (file: Chosen, dryRun: boolean, opens: boolean) => {
		setBusy(true);
		setFault(undefined);
		try {
			const query = { dryRun, keepAddresses: keepsAddresses, openAddresses: opens };
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
		else {
			setOpens(false);
			await ask(result, true, false);
		}
	};
	return (
		<div class="stack wide">
			<Heading title="Import from a tronbyt server" />
			<Refusal fault={fault} />
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
					opensAddresses={opensAddresses}
					onOpen={(opens) => {
						setOpens(opens);
						if (chosen) void ask(chosen, true, opens);
					}}
					onBring={() => chosen && void ask(chosen, false, opensAddresses)}
					onBack={() => setReport(undefined)}
				/>
			)}
		</div>
	);
}
