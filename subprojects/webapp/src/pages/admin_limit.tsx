import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patch, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { mebibytes } from "../components/bytes";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";

type Member = Schemas["Member"];

const MIB = 2 ** 20;

interface LimitProps {
	member: Member;
	onClose: () => void;
	onDone: () => Promise<void>;
}

/** Sets the storage limit of an account. */
export function LimitDialog({ member, onClose, onDone }: LimitProps): JSX.Element {
	const [text, setText] = useState(member.byteLimit === 0 ? "" : String(member.byteLimit / MIB));
	const submit = async () => {
		const byteLimit = text.trim() === "" ? 0 : Math.round(Number(text) * MIB);
		await patch("/web/admin/accounts/{accountId}", { byteLimit }, { accountId: member.id });
		toast(`Storage limit of ${isolated(member.name)} changed`);
		onClose();
		await onDone();
	};
	return (
		<Dialog title={`Storage limit of ${member.email}`} onClose={onClose}>
			<p>
				Pushed pictures, drafts and versions take {mebibytes(member.bytes)} of{" "}
				{mebibytes(member.bytesAllowed)}. Existing data stays, even above the limit.
			</p>
			<Form
				action="Save"
				onSubmit={submit}
				names={["byteLimit"]}
				beside={<Button onClick={onClose}>Cancel</Button>}
			>
				{(faults) => (
					<Field
						label="MiB"
						name="byteLimit"
						type="number"
						value={text}
						onInput={setText}
						fault={faults.get("byteLimit")}
						help="Leave empty for the default: 256, or 0.25 per device if that is more."
					/>
				)}
			</Form>
		</Dialog>
	);
}
