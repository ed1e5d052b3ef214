import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { getPart, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { isolated } from "../components/isolated";
import { Search } from "../components/search";
import { Table } from "../components/table";
import { When } from "../components/when";
import { useKept } from "../frame/place";
import { AdminFrame } from "./admin";

type Entry = Schemas["AuditEntry"];

const WORDS: Record<Entry["action"], string> = {
	"account.create": "created the account",
	"account.heir": "set the account that inherits apps:",
	"account.import": "imported the account",
	"account.limit": "changed the storage limit of",
	"account.previews": "changed the addresses that previews can reach:",
	"account.remove": "removed the account",
	"account.rename": "changed the name of",
	"account.roles": "changed the roles of",
	"app.create": "created the app",
	"app.deploy": "deployed",
	"app.disable": "disabled the app",
	"app.enable": "enabled the app",
	"app.import": "imported",
	"app.install": "installed the own app",
	"app.remove": "removed the app",
	"backup.download": "downloaded a backup",
	"collection.add": "added the collection",
	"collection.confirm": "accepted the updates of",
	"collection.remove": "removed the collection",
	"collection.update": "fetched the collection",
	"device.create": "added the device",
	"device.disable": "disabled the device",
	"device.enable": "enabled the device",
	"device.firmware": "changed the firmware of",
	"device.key": "created a new key for the device",
	"device.remove": "removed the device",
	"device.update": "changed the device",
	"entry.copy": "copied an entry to",
	"entry.create": "installed an app on",
	"entry.remove": "removed the entry",
	"entry.update": "changed the entry",
	"firmware.add": "added the firmware",
	"firmware.fetch": "fetched the firmware of",
	"firmware.remove": "removed the firmware",
	"firmware.series": "started to update the firmware of",
	"firmware.source": "set the source of firmware to",
	"instance.network": "changed the addresses that apps can reach:",
	"invitation.create": "invited",
	"invitation.revoke": "withdrew the invitation of",
	"key.create": "created the API key",
	"key.revoke": "revoked the API key",
	"key.update": "changed the API key",
	"link.create": "created a link for",
	"mqtt.remove": "removed the connection to the MQTT broker",
	"mqtt.update": "set the connection to the MQTT broker",
	"identity.connect": "connected the identity",
	"identity.remove": "disconnected the identity",
	"passkey.add": "added the passkey",
	"passkey.remove": "removed the passkey",
	"password.change": "changed the password of",
	"rotation.order": "reordered the entries on",
	"session.end": "ended a session of",
	"session.start": "signed in",
	"version.approve": "approved",
	"version.reject": "rejected",
	"version.remove": "removed the version",
	"version.return": "requested changes to",
	"webhook.create": "created a webhook for",
	"webhook.disable": "ended, with its API key, the webhook for",
	"webhook.remove": "removed the webhook for",
	"webhook.secret": "created a new secret for the webhook for",
	"webhook.update": "changed the webhook for",
};

/** Entries of a part. */
const PART = 100;

function deed({ action, target, actor, count }: Entry): string {
	if (action === "account.heir" && target === null) return "cleared the account that inherits apps";
	const words = WORDS[action];
	const whole =
		target === null || (action === "session.start" && target === actor)
			? words
			: `${words} ${isolated(target)}`;
	return count === 1 ? whole : `${whole} (${count} times)`;
}

function Log({ rows }: { rows: Entry[] }): JSX.Element {
	return (
		<Table
			caption="Audit log"
			rows={rows}
			rowKey={(entry) => entry.at + entry.actor + entry.action + (entry.target ?? "")}
			columns={[
				{ title: "Who", cell: (entry) => entry.actor },
				{ title: "What", cell: deed },
				{ title: "When", cell: (entry) => <When at={entry.at} /> },
				{ title: "From", cell: (entry) => entry.address ?? "the server itself" },
			]}
		/>
	);
}

interface Part {
	rows: Entry[];
	cursor: string | undefined;
}

/** The entries with the text: the newest ones live, older ones on request. */
function Found({ wanted }: { wanted: string }): JSX.Element | null {
	const newest = useResource(
		() => getPart("/web/admin/audit", { limit: PART, q: wanted }),
		["admin"],
	);
	const [older, setOlder] = useState<Part>();
	const first = newest.value.value;
	if (!first) return null;
	const cursor = older ? older.cursor : first.cursor;
	const more = async () => {
		if (cursor === undefined) return;
		const part = await getPart("/web/admin/audit", { limit: PART, q: wanted, cursor });
		setOlder({ rows: [...(older?.rows ?? []), ...part.rows], cursor: part.cursor });
	};
	if (first.rows.length === 0) return <Empty title="No matching entries" />;
	return (
		<>
			<Log rows={[...first.rows, ...(older?.rows ?? [])]} />
			{cursor !== undefined && (
				<div class="row">
					<Button onClick={() => void more()}>Show older</Button>
				</div>
			)}
		</>
	);
}

/** /admin/audit: who did what, when, from where. */
export function AuditPage(): JSX.Element {
	const [wanted, setWanted] = useKept("search", "");
	return (
		<AdminFrame title="Audit log">
			<p class="words">Actions of users, newest first.</p>
			<Search
				label="Search the log"
				help="Name, address, or action such as key.revoke."
				wanted={wanted}
				onWanted={setWanted}
			/>
			<Found key={wanted} wanted={wanted} />
		</AdminFrame>
	);
}
