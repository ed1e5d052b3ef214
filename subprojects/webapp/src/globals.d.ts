/** True in builds for those who work on the pages. */
declare const DEVELOPMENT: boolean;

declare module "*.css";
declare module "*.webp" {
	const dataUrl: string;
	export default dataUrl;
}
