/** Returns the list with one item moved; a position beyond its ends counts as the end. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
	const rest = list.filter((_, i) => i !== from);
	const place = Math.min(Math.max(to, 0), rest.length);
	return [...rest.slice(0, place), ...list.slice(from, from + 1), ...rest.slice(place)];
}

/**
 * Sorts the items in the order that was chosen before: new items are at the end, removed items are
 * left out.
 */
export function inOrder<T>(
	items: readonly T[],
	order: readonly string[],
	idOf: (item: T) => string,
): T[] {
	const places = new Map(order.map((id, i) => [id, i]));
	const place = (item: T) => places.get(idOf(item)) ?? order.length;
	return [...items].sort((one, other) => place(one) - place(other));
}

/** An item that is dragged: which, how far, and its new position. */
export interface Drag {
	from: number;
	to: number;
	dy: number;
	/** Distance by which the others make room. */
	step: number;
}

export interface Box {
	top: number;
	height: number;
}

/** Finds the position of an item dragged by dy: after the items whose middles it has passed. */
export function dragTo(boxes: readonly Box[], from: number, dy: number): Drag {
	const own = boxes[from] ?? { top: 0, height: 0 };
	const middle = own.top + own.height / 2 + dy;
	let to = 0;
	for (const [i, { top, height }] of boxes.entries())
		if (i !== from && top + height / 2 < middle) to += 1;
	const next = boxes[from + 1] ?? boxes[from];
	const last = boxes[from - 1];
	const step =
		from + 1 < boxes.length && next ? next.top - own.top : last ? own.top - last.top : own.height;
	return { from, to, dy, step };
}

/** Returns the distance of an item from its position while it or another one is dragged. */
export function shiftOf(i: number, { from, to, dy, step }: Drag): number {
	if (i === from) return dy;
	if (from < i && i <= to) return -step;
	if (to <= i && i < from) return step;
	return 0;
}
