import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, getPart, post, Problem } from "../api/client";
import type { Proof } from "../api/passkey";
import { useResource } from "../api/resource";
import { Field } from "../components/field";
import { ProofForm } from "../components/proof";
import { Table } from "../components/table";
import { When } from "../components/when";
import { base } from "../frame/place";
import { AdminFrame } from "./admin";

/** Number of downloads shown. */
const SHOWN = 20;

/** Lets the browser save an address: the file never lies in the page's memory. */
function save(url: string): void {
	const link = document.createElement("a");
	link.href = new URL(url, base).href;
	link.download = "";
	link.click();
}

const DIFFERENT = new Problem(400, "", new Map([["again", "Does not match the pass phrase."]]));

/** Orders a backup, and has the browser download it. */
function Make(): JSX.Element {
	const passkeys = useResource(() => get("/web/passkeys"), ["account"]);
	const [phrase, setPhrase] = useState("");
	const [again, setAgain] = useState("");
	const [isBegun, setBegun] = useState(false);
	const make = async (proof: Proof) => {
		if (again !== phrase) throw DIFFERENT;
		setBegun(false);
		const { url } = await post("/web/admin/backups", { ...proof, passPhrase: phrase });
		save(url);
		setBegun(true);
	};
	return (
		<div class="form-width stack">
			<ProofForm
				action="Make and download a backup"
				passkeys={passkeys.value.value ?? []}
				names={["passPhrase", "again"]}
				onProof={make}
			>
				{(faults) => (
					<>
						<Field
							label="Pass phrase"
							name="passPhrase"
							type="password"
							value={phrase}
							onInput={setPhrase}
							fault={faults.get("passPhrase")}
							help="At least 8 characters; better, five words. Without it nobody can read the backup."
							autoComplete="new-password"
							isRequired
							isVerbatim
						/>
						<Field
							label="Pass phrase again"
							name="again"
							type="password"
							value={again}
							onInput={setAgain}
							fault={faults.get("again")}
							autoComplete="new-password"
							isRequired
							isVerbatim
						/>
					</>
				)}
			</ProofForm>
			<p role="status">
				{isBegun &&
					"The download has begun. Keep this page or the browser open until the browser has saved the file."}
			</p>
		</div>
	);
}

/** When the last backup was made, and who has downloaded some. */
function Made(): JSX.Element | null {
	const instance = useResource(() => get("/web/admin/instance"), ["admin"]);
	const log = useResource(
		() => getPart("/web/admin/audit", { limit: SHOWN, q: "backup.download" }),
		["admin"],
	);
	const known = instance.value.value;
	const rows = (log.value.value?.rows ?? []).filter(({ action }) => action === "backup.download");
	if (!known) return null;
	return (
		<>
			<p>
				Last backup: {known.lastBackupAt === null ? "none yet" : <When at={known.lastBackupAt} />},
				by these pages or by displayctl.
			</p>
			{rows.length > 0 && (
				<Table
					caption="Downloads"
					rows={rows}
					rowKey={({ at, actor }) => at + actor}
					columns={[
						{ title: "Who", cell: ({ actor }) => actor },
						{
							title: "When",
							cell: ({ at, count, lastAt }) =>
								count === 1 ? (
									<When at={at} />
								) : (
									<>
										<When at={lastAt} /> ({count} times)
									</>
								),
						},
						{ title: "From", cell: ({ address }) => address ?? "the server itself" },
					]}
				/>
			)}
		</>
	);
}

/** /admin/backups: make a backup and download it. */
export function BackupsPage(): JSX.Element {
	return (
		<AdminFrame title="Backups">
			<p class="words">
				A backup has all accounts, devices, pictures, apps, keys and secrets of one moment. It is
				encrypted with your pass phrase while you download it; nothing stays on the server. To
				restore it, install displayd and run <code>displayctl restore FILE</code>, which asks for
				the pass phrase. The program age decrypts it, too.
			</p>
			<Made />
			<Make />
		</AdminFrame>
	);
}
