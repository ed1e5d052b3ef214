/** "1 device", "2 devices". many: if it is not the word with an "s". */
export function counted(number: number, one: string, many = `${one}s`): string {
	return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
