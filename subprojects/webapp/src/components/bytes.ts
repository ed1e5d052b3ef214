/** "1.3 MiB". */
export function mebibytes(bytes: number): string {
	return `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MiB`;
}
