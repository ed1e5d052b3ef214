// The pages behind nginx, which has the server below a path: they request nothing outside of it.
import assert from "node:assert/strict";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Signs in on the page that was opened. A request outside of the path fails the journey. */
async function signedInBelow(stage, place, more = {}) {
	const { url } = await stage.ask("below_a_path");
	const person = await stage.ask("person", { device: false, ...more });
	const page = await stage.visitor({ baseURL: url });
	page.on("request", (request) => {
		if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url))
			stage.fail(`${request.url()} is not below ${url}`);
	});
	await page.goto(place);
	await heading(page, "Sign in").waitFor();
	await page.getByLabel("E-mail address").fill(person.email);
	await page.getByLabel("Password", { exact: true }).fill(person.password);
	await page.keyboard.press("Enter");
	return { url, person, page };
}

/** Waits until the panel has a picture of this colour, as a page draws it. */
async function showsColour(page, colour) {
	await page.waitForFunction((wanted) => {
		const image = document.querySelector("img.panel-picture");
		if (!image?.complete || !image.naturalWidth) return false;
		const context = new OffscreenCanvas(64, 32).getContext("2d");
		context.drawImage(image, 0, 0);
		return context.getImageData(0, 0, 1, 1).data.slice(0, 3).join() === wanted.join();
	}, colour);
}

export default {
	"below a path of a proxy a device is added, and its panel is live": async (stage) => {
		const { url, person, page } = await signedInBelow(stage, "devices/");
		await page.getByText("No devices yet").waitFor();
		assert.equal(page.url(), `${url}devices`);
		await page.getByRole("link", { name: "Add a device" }).click();
		await page.getByLabel("Name").fill("Balcony");
		await page.keyboard.press("Enter");
		await page.getByLabel("Another board").check();
		const address = await page.locator(".steps .secret code").innerText();
		// The panel uses the same route as the pages.
		const behind = url.replace("http", "ws") + address.slice(address.indexOf("/d/") + 1);
		await stage.ask("panel", { url: behind });
		await page.getByText("Balcony is here.").waitFor();
		await page.getByRole("button", { name: "Done" }).click();
		await heading(page, "Balcony").waitFor();
		const device = new URL(page.url()).pathname.split("/").at(-1);
		const account = person.email;
		const push = (colour) =>
			stage.ask("push_to", { account, device, colour, installationId: "lamp" });
		await push([20, 90, 160]);
		await showsColour(page, [20, 90, 160]);
		await page.getByRole("link", { name: "Settings" }).click();
		await page.getByLabel("Volume").fill("33");
		await page.getByText("Saved").waitFor();
		await page.reload();
		assert.equal(page.url(), `${url}devices/${device}/settings`);
		await push([160, 90, 20]);
		await showsColour(page, [160, 90, 20]);
		await page.getByRole("link", { name: "Push" }).click();
		const path = await stage.ask("file", { name: "clock" });
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText(/^A temporary picture for \d+ s/).waitFor();
	},

	"below a path of a proxy an app is written": async (stage) => {
		const { url, page } = await signedInBelow(stage, "studio");
		await page.getByLabel("Name", { exact: true }).fill("Below a path");
		await page.getByLabel("Summary").fill("Anything");
		await page.getByRole("button", { name: "Create app" }).click();
		await heading(page, "Below a path").waitFor();
		await page.locator(".code-view .cm-content").getByText("render.Root").waitFor();
		assert.match(page.url().slice(url.length), /^studio\/below-a-path/);
		await page.reload();
		await page.locator(".code-view .cm-content").getByText("render.Root").waitFor();
	},
};
