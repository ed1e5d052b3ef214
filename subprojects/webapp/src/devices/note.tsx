import type { JSX } from "preact";
import { TextArea } from "../components/text_area";
import { useUnsaved, type Saver } from "./saver";

interface NoteProps {
	stored: string;
	saver: Pick<Saver<never>, "said" | "fault" | "keep"> & { save: (note: string) => void };
}

/** A note of the owner about a device or an entry, saved on leaving the field. */
export function Note({ stored, saver }: NoteProps): JSX.Element {
	const [text, setText, sent] = useUnsaved(saver.said, stored);
	const leave = () => {
		if (text === undefined) return;
		sent.current = text;
		if (text !== stored) saver.save(text);
		else {
			setText(undefined);
			saver.keep();
		}
	};
	return (
		<TextArea
			label="Note"
			name="note"
			value={text ?? stored}
			onInput={setText}
			onLeave={leave}
			help="For yourself."
			fault={saver.fault}
			said={saver.said}
			maxLength={1000}
			rows={2}
		/>
	);
}
