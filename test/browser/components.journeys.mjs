// The page of all components, which only development builds have.
import assert from "node:assert/strict";

const heading = (page, name) => page.getByRole("heading", { name, level: 1, exact: true });

/** Types a second text after the page has handled the first one, but before it is painted. */
function typeOn(field, first, second) {
	return field.evaluate(
		async (input, texts) => {
			const type = (text) => {
				input.focus();
				input.value = text;
				input.dispatchEvent(new InputEvent("input", { bubbles: true }));
			};
			const turns = async () => {
				for (let i = 0; i < 100; i++) await undefined; // turns of the page's own, without a frame
			};
			type(texts.first);
			await turns();
			input.blur();
			await turns();
			type(texts.second);
		},
		{ first, second },
	);
}

export default {
	"each kind of field takes what people give it": async (stage) => {
		const page = await stage.visitor();
		await page.goto("web/components");
		await heading(page, "Components").waitFor();
		const form = page.locator(".form-fields").first();
		// A rule disables one field while another is off.
		const blink = form.getByLabel("Blink at midnight");
		assert.equal(await blink.isDisabled(), false);
		await form.getByLabel("With seconds").uncheck();
		assert.equal(await blink.isDisabled(), true);

		const digits = form.getByLabel("Colour as hex code");
		await form.getByLabel("light blue, #40a0ff").check({ force: true });
		assert.equal(await digits.inputValue(), "#40a0ff");
		await digits.fill("#0F8");
		await digits.blur();
		assert.equal(await digits.inputValue(), "#00ff88");
		await typeOn(digits, "#8f0", "red");
		await form.getByText("Enter a hex code such as #ffb03c.").waitFor();
		assert.equal(await digits.inputValue(), "red");
		await digits.blur();
		assert.equal(await digits.inputValue(), "#88ff00");

		const until = form.getByLabel("Until", { exact: true });
		assert.equal(await until.inputValue(), "2026-12-24T18:00");
		await form.getByText("The day to count down to. Time in Europe/Zagreb.").waitFor();

		await form.getByLabel("Place", { exact: true }).fill("za");
		await page.getByRole("option", { name: "Zagreb, Croatia" }).waitFor();
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await form.getByText("44.12° N, 15.23° E, time of Europe/Zagreb").waitFor();
		await form.getByText("Enter coordinates").first().click();
		const latitude = form.getByRole("textbox", { name: "Latitude" }).first();
		assert.equal(await latitude.inputValue(), "44.12");
		await latitude.fill("north");
		await form.getByText("Enter a number from −90 to 90.").waitFor();
		await latitude.fill("-33,87");
		await latitude.blur();
		await form.getByText("33.87° S, 15.23° E, time of Europe/Zagreb").waitFor();

		const pet = form.getByRole("combobox", { name: "Pet" });
		await pet.fill("d");
		await page.getByRole("option", { name: "Dog" }).click();
		await form.getByLabel("Leash").waitFor();
		await form.getByRole("button", { name: "Clear Pet" }).click();
		assert.ok(await pet.evaluate((field) => field === document.activeElement));
		await pet.fill("nobody");
		await pet.blur();
		await form.getByText("Choose an item from the list.").waitFor();
		await form.getByLabel("Leash").waitFor({ state: "detached" });

		await form.getByRole("button", { name: "Replace API key" }).click();
		await form.getByLabel("API key", { exact: true }).fill("sesame");
		await form.getByRole("button", { name: "Keep the present value" }).click();
		const replace = form.getByRole("button", { name: "Replace API key" });
		assert.ok(await replace.evaluate((button) => button === document.activeElement));
		await form.getByRole("button", { name: "Remove API key" }).click();
		await form.getByText("Removed when you save.").waitFor();

		const photo = await stage.ask("file", { name: "photo" });
		await form.locator('input[type="file"]').setInputFiles(photo);
		await form.getByRole("img", { name: "The cropped photo" }).waitFor();
		await form.getByLabel("Top to bottom").waitFor();
		await form.getByRole("button", { name: "Remove the photo" }).click();
		await form.getByText("Choose a photo").waitFor();

		await form.getByRole("combobox", { name: "Stop" }).fill("zü");
		await page.getByRole("option", { name: "Zürich, Switzerland" }).click();
		await form.getByLabel("Choices near this place").selectOption("Line 11");
	},

	"photographs of the components": async (stage) => {
		await stage.photograph("components", async (page) => {
			await page.goto("web/components");
			await heading(page, "Components").waitFor();
			await page.locator("canvas.panel-picture").first().waitFor();
		});
	},
};
