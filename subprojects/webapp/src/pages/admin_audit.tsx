import type { JSX } from "preact";
import { get, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Table } from "../components/table";
import { When } from "../components/when";
import { AdminFrame } from "./admin";

type Entry = Schemas["AuditEntry"];

const WORDS: Record<Entry["action"], string> = {
	"account.create": "made the account",
	"account.heir": "chose who gets the apps of those who go:",
	"account.remove": "removed the account",
	"account.roles": "changed the roles of",
	"app.create": "made the app",
	"app.deploy": "deployed",
	"device.create": "added the device",
	"device.disable": "disabled the device",
	"device.enable": "enabled the device",
	"device.key": "made a new key for the device",
	"device.remove": "removed the device",
	"invitation.create": "invited",
	"invitation.revoke": "withdrew the invitation of",
	"key.create": "created the API key",
	"key.revoke": "revoked the API key",
	"link.create": "made a link for",
	"passkey.add": "added the passkey",
	"passkey.remove": "removed the passkey",
	"password.change": "changed the password of",
	"session.end": "ended a session of",
	"session.start": "signed in",
	"version.approve": "approved",
	"version.reject": "rejected",
	"version.return": "requested changes to",
};

/** The page shows the newest; the list is longer. */
const SHOWN = 200;

function deed({ action, target, actor }: Entry): string {
	if (action === "account.heir" && target === null)
		return "chose nobody for the apps of those who go";
	const words = WORDS[action];
	return target === null || (action === "session.start" && target === actor)
		? words
		: `${words} ${target}`;
}

/** /admin/audit: who did what, when, from where. */
export function AuditPage(): JSX.Element {
	const entries = useResource(() => get("/web/admin/audit", { limit: SHOWN }));
	return (
		<AdminFrame title="Audit log">
			<p class="words">What people did with accounts, keys and links, the newest {SHOWN} first.</p>
			<Table
				caption="The audit log"
				rows={entries.value.value ?? []}
				rowKey={(entry) => entry.at + entry.actor + entry.action + (entry.target ?? "")}
				columns={[
					{ title: "Who", cell: (entry) => entry.actor },
					{ title: "What", cell: deed },
					{ title: "When", cell: (entry) => <When at={entry.at} /> },
					{ title: "From", cell: (entry) => entry.address ?? "the server itself" },
				]}
			/>
		</AdminFrame>
	);
}
