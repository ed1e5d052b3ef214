import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { mebibytes } from "../components/bytes";
import { confirm } from "../components/dialog";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { Select } from "../components/select";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { BOARD_NAMES, boardWords } from "../devices/boards";
import { toBase64 } from "../devices/canvas";
import { AdminFrame } from "./admin";
import { FirmwareReleases } from "./firmware_releases";

type Image = Schemas["FirmwareImage"];
type Board = Image["board"];

/** Boards whose panels take updates. */
const BOARDS: readonly Board[] = [
	"tidbyt_gen1",
	"tidbyt_gen2",
	"tronbyt_s3",
	"tronbyt_s3_wide",
	"matrixportal_s3",
	"matrixportal_s3_waveshare",
	"waveshare_s3",
];

function nameOf({ version, board }: Image): string {
	return `${isolated(version)} for ${boardWords(board)}`;
}

function Upload({ onAdded }: { onAdded: () => void }): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	const [board, setBoard] = useState<Board>("tidbyt_gen1");
	const [version, setVersion] = useState("");
	const [file, setFile] = useState<File>();
	const submit = async () => {
		if (!file) {
			input.current?.click();
			return;
		}
		const image = await toBase64(file);
		const body = { board, image, ...(version === "" ? {} : { version }) };
		const added = await post("/web/admin/firmware", body);
		toast(`Added ${nameOf(added)}`);
		setFile(undefined);
		setVersion("");
		onAdded();
	};
	return (
		<div class="form-width">
			<Form
				action={file ? `Add ${isolated(file.name)}` : "Choose an image"}
				onSubmit={submit}
				names={["version"]}
				beside={file && <Button onClick={() => setFile(undefined)}>Cancel</Button>}
			>
				{(faults) => (
					<>
						<Select
							label="Board"
							value={board}
							options={BOARD_NAMES.filter(({ value }) => BOARDS.includes(value as Board))}
							onChange={(chosen) => setBoard(chosen as Board)}
						/>
						<Field
							label="Version"
							name="version"
							value={version}
							onInput={setVersion}
							fault={faults.get("version")}
							help="Leave empty to take it from the image."
							isVerbatim
						/>
						<input
							ref={input}
							type="file"
							accept=".bin,application/octet-stream"
							aria-label="Image of firmware"
							hidden
							onChange={({ currentTarget }) => {
								setFile(currentTarget.files?.[0]);
								currentTarget.value = "";
							}}
						/>
					</>
				)}
			</Form>
		</div>
	);
}

async function withdraw(image: Image, all: Resource<Image[]>): Promise<void> {
	const isSure = await confirm({
		title: `Remove ${nameOf(image)}?`,
		text: "Updates that fetch it now fail.",
		action: "Remove",
	});
	if (!isSure) return;
	try {
		await remove("/web/admin/firmware/{firmwareId}", { firmwareId: image.id });
		toast("Image removed");
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await all.refresh();
}

function Images({ all }: { all: Resource<Image[]> }): JSX.Element | null {
	const rows = all.value.value;
	if (!rows) return null;
	if (rows.length === 0) return <Empty title="No images" />;
	return (
		<Table
			caption="Images of firmware"
			rows={rows}
			rowKey={(image) => image.id}
			columns={[
				{ title: "Board", cell: ({ board }) => boardWords(board) },
				{ title: "Version", cell: ({ version }) => isolated(version) },
				{ title: "Project", cell: ({ project }) => isolated(project) },
				{ title: "Chip", cell: ({ chip }) => chip },
				{ title: "Size", cell: ({ sizeBytes }) => mebibytes(sizeBytes) },
				{ title: "SHA-256", cell: ({ sha256 }) => <code>{sha256}</code> },
				{ title: "Added", cell: ({ addedAt }) => <When at={addedAt} /> },
				{
					title: "Remove",
					isAction: true,
					cell: (image) => (
						<RowActions
							name={nameOf(image)}
							actions={[{ words: "Remove", onClick: () => void withdraw(image, all) }]}
						/>
					),
				},
			]}
		/>
	);
}

/** /admin/firmware */
export function FirmwarePage(): JSX.Element {
	const all = useResource(() => get("/web/admin/firmware"), ["admin"]);
	return (
		<AdminFrame title="Firmware">
			<p>
				Add the image of an application that a release of the firmware has for a board. Owners can
				then update their panels. Compare the SHA-256 with that of the release: the server cannot
				know where a file comes from.
			</p>
			<Upload onAdded={() => void all.refresh()} />
			<Images all={all} />
			<FirmwareReleases onAdded={() => void all.refresh()} />
		</AdminFrame>
	);
}
