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
