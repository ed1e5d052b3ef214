import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "./button";

interface FileButtonProps {
	kind?: "primary";
	/** For the input's attribute of this name. */
	accept: string;
	label: string;
	isBusy?: boolean;
	onFiles: (files: readonly File[]) => void;
	children: ComponentChildren;
}

/** A button that lets users choose files. */
export function FileButton(props: FileButtonProps): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<Button
				{...(props.kind && { kind: props.kind })}
				isBusy={props.isBusy ?? false}
				onClick={() => input.current?.click()}
			>
				{props.children}
			</Button>
			<input
				ref={input}
				class="only-read"
				type="file"
				accept={props.accept}
				multiple
				tabIndex={-1}
				aria-label={props.label}
				onChange={(event) => {
					const files = [...(event.currentTarget.files ?? [])];
					event.currentTarget.value = "";
					props.onFiles(files);
				}}
			/>
		</>
	);
}
