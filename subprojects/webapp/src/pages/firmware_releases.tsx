import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, patch, post, Problem, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Button } from "../components/button";
import { mebibytes } from "../components/bytes";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { boardWords } from "../devices/boards";

type Releases = Schemas["FirmwareReleases"];
type Fetched = Schemas["FetchedFirmware"];

const STATES: Record<Fetched["state"], string> = {
	added: "Added",
	known: "Already here",
	refused: "Refused",
};

function progress({ state, step, bytes, sizeBytes }: Releases): string {
	if (state === "waiting") return "Waiting for a worker";
	if (step === null) return "Reading the list of releases";
	const size = sizeBytes === null ? "" : ` of ${mebibytes(sizeBytes)}`;
	return `Fetching ${isolated(step)}: ${mebibytes(bytes)}${size}`;
}

function Outcome({ releases }: { releases: Releases }): JSX.Element | null {
	const { state, problem, images, endedAt } = releases;
	if (state === "waiting" || state === "fetching") return <p role="status">{progress(releases)}</p>;
	if (state === "idle") return null;
	return (
		<>
			<p role="status">
				{state === "failed"
					? `The last fetch failed: ${isolated(problem ?? "")}`
					: "The last fetch ended"}
				{endedAt !== null && (
					<>
						{" "}
						(<When at={endedAt} />)
					</>
				)}
			</p>
			{images.length > 0 && (
				<Table
					caption="Images of the last fetch"
					rows={images}
					rowKey={(image) => image.board}
					columns={[
						{ title: "Board", cell: ({ board }) => boardWords(board) },
						{ title: "Version", cell: ({ version }) => isolated(version) },
						{ title: "File", cell: ({ file }) => isolated(file) },
						{ title: "Outcome", cell: (image) => STATES[image.state] },
						{ title: "Reason", cell: ({ reason }) => isolated(reason ?? "") },
					]}
				/>
			)}
		</>
	);
}

function Source({
	releases,
	onChanged,
}: {
	releases: Releases;
	onChanged: () => void;
}): JSX.Element {
	const [url, setUrl] = useState(releases.releasesUrl);
	const submit = async () => {
		await patch("/web/admin/firmware-releases", { releasesUrl: url });
		toast("Address saved");
		onChanged();
	};
	return (
		<div class="form-width">
			<Form action="Save the address" kind="plain" onSubmit={submit} names={["releasesUrl"]}>
				{(faults) => (
					<Field
						label="List of releases"
						name="releasesUrl"
						value={url}
						onInput={setUrl}
						fault={faults.get("releasesUrl")}
						help="Of GitHub: https://api.github.com/repos/OWNER/NAME/releases. Of Gitea and Forgejo: https://HOST/api/v1/repos/OWNER/NAME/releases."
						isVerbatim
					/>
				)}
			</Form>
		</div>
	);
}

/** Images from the releases of a repository, for the page of images. */
export function FirmwareReleases({ onAdded }: { onAdded: () => void }): JSX.Element | null {
	const all: Resource<Releases> = useResource(() => get("/web/admin/firmware-releases"), ["admin"]);
	const releases = all.value.value;
	if (!releases) return null;
	const isBusy = releases.state === "waiting" || releases.state === "fetching";
	const fetchAll = async () => {
		try {
			await post("/web/admin/firmware-releases", undefined);
		} catch (error) {
			if (error instanceof Problem) toast(error.message);
		}
		await all.refresh();
		onAdded();
	};
	return (
		<section class="stack" aria-labelledby="releases">
			<h2 id="releases">Releases</h2>
			<p>
				The server takes the newest image for each board, if it has the checksum that the release
				says. A checksum of the same release shows that a file is whole, not where it comes from:
				choose a repository that you trust.
			</p>
			<Source releases={releases} onChanged={() => void all.refresh()} />
			<p>
				<Button onClick={() => void fetchAll()} isDisabled={isBusy || releases.releasesUrl === ""}>
					Fetch the releases
				</Button>
			</p>
			<Outcome releases={releases} />
		</section>
	);
}
