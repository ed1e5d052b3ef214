// Waiting in journeys: for a condition, and never for a time. Whoever runs them ends one that hangs.

/** Repeats condition() until its value is true. Returns the value. */
export async function waitUntil(condition) {
	for (;;) {
		const value = await condition();
		if (value) return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** Searches the catalogue for the one app with these words. Waits until the others have gone: until then its link can
 * move away from under a click. */
export async function searchFor(page, words) {
	await page.getByRole("searchbox").fill(words);
	await page.waitForFunction(() => document.querySelectorAll(".app-entry").length === 1);
}

/** Opens the menu of the frame. Returns its link with this name. */
export async function inMenu(page, name) {
	await page.getByRole("button", { name: "Menu", exact: true }).click();
	return page.locator(".menu").getByRole("link", { name, exact: typeof name === "string" });
}

/** Presses an item of the menu of a row, or of another part that has actions. */
export async function pressMore(part, row, item, how = "click") {
	const name = row === undefined ? /^More for/ : `More for ${row}`;
	const more = part.getByRole("button", { name, exact: true }).first();
	if (how === "click") await more.click();
	else await more.press(how);
	const found = part.locator('.actions-menu [role^="menuitem"]', { hasText: item });
	if (how === "click") await found.click();
	else await found.press(how);
}
