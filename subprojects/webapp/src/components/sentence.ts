/** Begins with a capital, and ends with a full stop. */
export function sentence(text: string): string {
	const start = text.charAt(0).toUpperCase() + text.slice(1);
	return /[.?]$/.test(start) ? start : `${start}.`;
}
