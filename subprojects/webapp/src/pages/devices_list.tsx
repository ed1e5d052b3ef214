import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { panelNews } from "../api/live";
import { RowActions } from "../components/actions";
import { BottomBar } from "../components/bottom_bar";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Select } from "../components/select";
import { Table } from "../components/table";
import { When } from "../components/when";
import { boardWords } from "../devices/boards";
import { nextEntry, turnLight } from "../devices/controls";
import { DevicePanel } from "../devices/device_panel";
import {
	grouped,
	GROUPS,
	ORDERS,
	sorted,
	stateOf,
	type Grouping,
	type Line,
	type Order,
} from "../devices/list";
import type { Device } from "../devices/store";
import { Together } from "../devices/together";
import { useAddress } from "../frame/place";

function optionsOf<T extends string>(
	words: Readonly<Record<T, string>>,
): { value: string; words: string }[] {
	return Object.entries<string>(words).map(([value, text]) => ({ value, words: text }));
}

/** A choice that stands in the page's URL; the first one is not written there. */
function useChoice<T extends string>(
	name: string,
	words: Readonly<Record<T, string>>,
): [T, (value: string) => void] {
	const [text, setText] = useAddress(name);
	const [first] = Object.keys(words) as [T];
	return [text in words ? (text as T) : first, (value) => setText(value === first ? "" : value)];
}

function Actions({ line }: { line: Line }): JSX.Element {
	const { device } = line;
	const state = stateOf(line);
	const page = `devices/${device.id}`;
	const isAway = state !== "On" && state !== "Asleep";
	return (
		<RowActions
			name={device.name}
			actions={[
				{
					words: "Next",
					of: `on ${device.name}`,
					isDisabled: state !== "On",
					onClick: () => void nextEntry(device),
				},
				{
					words: state === "Asleep" ? "Wake" : "Dark",
					isDisabled: isAway,
					onClick: () => void turnLight(device, state === "Asleep"),
				},
				{ words: "Add an app", of: `to ${device.name}`, to: `${page}/add` },
				{ words: "Push", of: `to ${device.name}`, to: `${page}/push` },
				{ words: "Settings", of: `of ${device.name}`, to: `${page}/settings` },
			]}
		/>
	);
}

interface GroupProps {
	title: string;
	lines: Line[];
	chosen: ReadonlySet<string>;
	onChoose: (ids: readonly string[], isOn: boolean) => void;
}

function Name({ device }: { device: Device }): JSX.Element {
	return (
		<span class="device-line-name">
			<span class="device-line-picture" aria-hidden="true">
				<DevicePanel device={device} line="none" />
			</span>
			<a href={`devices/${device.id}`} data-page>
				{device.name}
			</a>
		</span>
	);
}

function Group({ title, lines, chosen, onChoose }: GroupProps): JSX.Element {
	const ids = lines.map(({ device }) => device.id);
	const isWhole = ids.every((id) => chosen.has(id));
	return (
		<section class="stack">
			{title !== "" && <h2>{title}</h2>}
			<Check
				label={title === "" ? "Choose all" : "Choose this group"}
				of={title}
				isOn={isWhole}
				onChange={(isOn) => onChoose(ids, isOn)}
			/>
			<Table
				caption={title === "" ? "Your devices" : `Your devices: ${title}`}
				rows={lines}
				rowKey={({ device }) => device.id}
				columns={[
					{ title: "Device", cell: ({ device }) => <Name device={device} /> },
					{
						title: "Choose",
						isAction: true,
						cell: ({ device }) => (
							<Check
								label="Choose"
								of={device.name}
								isOn={chosen.has(device.id)}
								onChange={(isOn) => onChoose([device.id], isOn)}
							/>
						),
					},
					{ title: "State", cell: stateOf },
					{ title: "Brightness", cell: ({ device }) => `${device.brightness} %` },
					{
						title: "Board",
						cell: ({ device }) => (device.board === null ? "-" : boardWords(device.board)),
					},
					{
						title: "Last seen",
						cell: ({ device, news }) => {
							if (news?.isOnline) return "now";
							return device.connectedAt === null || !news ? "-" : <When at={news.lastOnline} />;
						},
					},
					{ title: "Actions", isAction: true, cell: (line) => <Actions line={line} /> },
				]}
			/>
		</section>
	);
}

/** The devices as a list, sorted and in groups, of which several can be chosen. */
export function DevicesList({ devices }: { devices: readonly Device[] }): JSX.Element {
	const [order, setOrder] = useChoice<Order>("sort", ORDERS);
	const [grouping, setGrouping] = useChoice<Grouping>("group", GROUPS);
	const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
	const [isTogether, setTogether] = useState(false);
	const lines = devices.map((device) => ({ device, news: panelNews(device.id).value }));
	const here = devices.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
	const choose = (ids: readonly string[], isOn: boolean) => {
		const next = new Set(chosen);
		for (const id of ids) {
			if (isOn) next.add(id);
			else next.delete(id);
		}
		setChosen(next);
	};
	return (
		<div class="stack wide">
			<div class="device-list-tools">
				<Select label="Sort by" value={order} options={optionsOf(ORDERS)} onChange={setOrder} />
				<Select
					label="Group by"
					value={grouping}
					options={optionsOf(GROUPS)}
					onChange={setGrouping}
				/>
			</div>
			<div class="row">
				<a class="button" href="devices/firmware" data-page>
					Update all panels
				</a>
			</div>
			{grouped(sorted(lines, order), grouping).map(([title, group]) => (
				<Group key={title} title={title} lines={group} chosen={chosen} onChoose={choose} />
			))}
			{here.length > 0 && (
				<BottomBar label="Chosen devices">
					<span>{here.length === 1 ? "1 device" : `${here.length} devices`}</span>
					<Button kind="primary" onClick={() => setTogether(true)}>
						Change them
					</Button>
					<Button onClick={() => setChosen(new Set())}>Choose none</Button>
				</BottomBar>
			)}
			{isTogether && <Together devices={devices} first={here} onClose={() => setTogether(false)} />}
		</div>
	);
}
