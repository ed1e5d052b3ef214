import type { JSX } from "preact";

interface CheckProps {
	label: string;
	/** Text for screen readers, if the label alone does not name what the box belongs to. */
	of?: string;
	isOn: boolean;
	onChange: (isOn: boolean) => void;
}

export function Check({ label, of, isOn, onChange }: CheckProps): JSX.Element {
	return (
		<label class="check">
			<input
				type="checkbox"
				checked={isOn}
				onChange={(event) => onChange(event.currentTarget.checked)}
			/>
			<span>
				{label}
				{of !== undefined && <span class="only-read"> {of}</span>}
			</span>
		</label>
	);
}
