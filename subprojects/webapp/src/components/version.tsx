import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import type { Language } from "./code";

type Version = Schemas["AppVersion"];

const STATUS: Record<Version["status"], [words: string, kind: string]> = {
	PENDING: ["Awaiting review", "waits"],
	APPROVED: ["Approved", "good"],
	CHANGES_REQUESTED: ["Changes requested", "waits"],
	REJECTED: ["Rejected", "bad"],
};

/** A version that its author sees, or a reviewer: whether it can run. */
export function CheckBadge({ check }: { check: Schemas["VersionCheck"] }): JSX.Element | null {
	if (check.state === "bad") return <span class="badge bad">Cannot run</span>;
	return check.state === "pending" ? <span class="badge waits">Being checked</span> : null;
}

export function VersionBadge({ status }: { status: Version["status"] }): JSX.Element {
	const [words, kind] = STATUS[status];
	return <span class={`badge ${kind}`}>{words}</span>;
}

const APP_STATUS: Record<Schemas["OwnApp"]["status"], [words: string, kind: string]> = {
	draft: ["Draft", ""],
	pending: ["Not published yet", "waits"],
	active: ["Published", "good"],
	disabled: ["Disabled by an administrator", "bad"],
};

export function AppBadge({ status }: { status: Schemas["OwnApp"]["status"] }): JSX.Element {
	const [words, kind] = APP_STATUS[status];
	return <span class={`badge ${kind}`}>{words}</span>;
}

export function languageName(language: Language): string {
	return language === "STARLARK" ? "Starlark" : "TypeScript";
}

/** The first digits of a checksum; the whole checksum as a tooltip. */
export function Checksum({ checksum }: { checksum: string }): JSX.Element {
	return (
		<code class="checksum" title={checksum}>
			{checksum.slice("sha256:".length).slice(0, 12)}
		</code>
	);
}

/** "+12 -3" on the screen, in words for screen readers. */
export function Changes({ added, removed }: { added: number; removed: number }): JSX.Element {
	if (added === 0 && removed === 0) return <span class="quiet">No changes</span>;
	const lines = (count: number) => (count === 1 ? "1 line" : `${count} lines`);
	return (
		<span class="changes">
			<span class="changes-added">{lines(added)} added</span>{" "}
			<span class="changes-removed">{lines(removed)} removed</span>
		</span>
	);
}
