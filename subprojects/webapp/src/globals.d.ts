/** True in development builds. */
declare const DEVELOPMENT: boolean;

declare module "*.css";
declare module "*.webp" {
	const dataUrl: string;
	export default dataUrl;
}

/** The apps of share/apps (build.mjs). */
declare module "own-apps" {
	const apps: {
		slug: string;
		name: string;
		description: string;
		scriptLanguage: "STARLARK" | "TYPESCRIPT";
		scriptContent: string;
	}[];
	export default apps;
}

/** Settings without a designed place, by the schema of their body (tools/plain_settings.py). */
declare module "plain-settings" {
	export interface PlainSetting {
		/** Member of the body, and of what the pages read. */
		name: string;
		label: string;
		/** The description's text. */
		about: string;
		kind: "check" | "choice" | "number" | "slider" | "text" | "time";
		isNullable: boolean;
		/** Lower bound of a number. */
		minimum?: number;
		/** Upper bound of a number, or of the characters of a text. */
		maximum?: number;
		choices?: (string | number)[];
	}
	const forms: Record<"DeviceUpdate" | "EntryChange", PlainSetting[]>;
	export default forms;
}
