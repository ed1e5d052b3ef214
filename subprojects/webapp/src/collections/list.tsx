import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post } from "../api/client";
import { useResource } from "../api/resource";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { toast } from "../components/toast";
import { Collection } from "./collection";

interface Wish {
	url: string;
	folder: string;
	isForAll: boolean;
}

function Addition({ isForAll, onAdded }: { isForAll: boolean; onAdded: () => Promise<void> }) {
	const [url, setUrl] = useState("");
	const [folder, setFolder] = useState("");
	const submit = async () => {
		const wish: Wish = { url: url.trim(), folder: folder.trim(), isForAll };
		const added = await post("/web/collections", wish);
		toast(`Fetching ${added.name}`);
		setUrl("");
		setFolder("");
		await onAdded();
	};
	return (
		<div class="form-width">
			<Form action="Add a collection" kind="plain" onSubmit={submit} names={["url", "folder"]}>
				{(faults) => (
					<>
						<Field
							label="Address of the archive"
							name="url"
							value={url}
							onInput={setUrl}
							fault={faults.get("url")}
							help="A .tar.gz or .zip, as GitHub, GitLab, Codeberg and Gitea give of a branch. GitHub’s end with /archive/refs/heads/main.tar.gz"
							maxLength={500}
							isRequired
							isVerbatim
						/>
						<Field
							label="Folder in it"
							name="folder"
							value={folder}
							onInput={setFolder}
							fault={faults.get("folder")}
							help="Where the folders of the apps are, such as apps. Leave empty for all of it."
							maxLength={200}
							isVerbatim
						/>
					</>
				)}
			</Form>
		</div>
	);
}

/** The collections for all, or those of the account, and a form to add one. */
export function Collections({ isForAll }: { isForAll: boolean }): JSX.Element {
	const topic = isForAll ? "admin" : "collections";
	const all = useResource(() => get("/web/collections"), [topic]);
	const list = all.value.value?.filter((one) => one.isForAll === isForAll);
	return (
		<>
			{all.problem.value && !list && <p class="notice bad">{all.problem.value.message}</p>}
			{list?.length === 0 && <Empty title="No collections yet" />}
			{list !== undefined && list.length > 0 && (
				<ul class="collection-list">
					{list.map((one) => (
						<Collection key={one.id} of={one} topic={topic} onChanged={() => all.refresh()} />
					))}
				</ul>
			)}
			<Addition isForAll={isForAll} onAdded={() => all.refresh()} />
		</>
	);
}
