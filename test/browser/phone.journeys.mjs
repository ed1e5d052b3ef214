// What a person does on their own phone: staying signed in, sharing pictures, being offline.
import assert from "node:assert/strict";
import { slowProxy } from "./slow_proxy.mjs";
import { waitUntil } from "./wait.mjs";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Waits until the service worker answers for the page. */
async function withWorker(page) {
	await page.evaluate(async () => {
		const base = new URL(document.documentElement.dataset.base, location.href);
		await navigator.serviceWorker.register(new URL("worker.js", base));
		await navigator.serviceWorker.ready;
		if (!navigator.serviceWorker.controller)
			await new Promise((done) =>
				navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }),
			);
	});
}

/** Does what the phone's share sheet does: it posts the picture to the target of the manifest. */
async function share(page) {
	await page.evaluate(async () => {
		const link = document.querySelector('link[rel="manifest"]').href;
		const { share_target: target } = await (await fetch(link)).json();
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [640, 480];
		const context = canvas.getContext("2d");
		context.fillStyle = "#00f";
		context.fillRect(0, 0, 640, 480);
		const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 1));
		const files = new DataTransfer();
		files.items.add(new File([blob], "beach.jpg", { type: "image/jpeg" }));
		const form = document.createElement("form");
		Object.assign(form, {
			action: new URL(target.action, link),
			method: target.method,
			enctype: target.enctype,
		});
		const input = document.createElement("input");
		Object.assign(input, { type: "file", name: target.params.files[0].name, files: files.files });
		form.append(input);
		document.body.append(form);
		form.submit();
	});
}

async function owner(stage, name = "Kitchen") {
	const person = await stage.ask("person", { device: false });
	const device = await stage.ask("add_device", { account: person.email, name });
	return { person, device };
}

export default {
	"a person stays signed in, and names the device": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.visitor({ screen: "phone" });
		await page.goto("");
		await page.getByLabel("E-mail address").fill(person.email);
		await page.getByLabel("Password", { exact: true }).fill(person.password);
		await page.getByLabel("stay signed in for 90 days").check();
		await page.keyboard.press("Enter");
		await heading(page, "Devices").waitFor();
		const [cookie] = (await page.context().cookies()).filter(({ name }) => /session$/.test(name));
		assert.ok(cookie.expires * 1000 > Date.now() + 89 * 86_400_000);
		await page.goto("account/sessions");
		await page.getByText("stays signed in", { exact: true }).waitFor();
		await page.getByRole("button", { name: /^Name the session of Chrome/ }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Name", { exact: true }).fill("My phone");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByRole("rowheader", { name: "My phone" }).waitFor();
		await stage.checkAccessibility(page);
	},

	"a person connects an identity once, and signs in with it": async (stage) => {
		const person = await stage.ask("with_issuer");
		const page = await stage.visitor({ screen: "phone", baseURL: person.url });
		const atIssuer = async (name) => {
			await page.locator('input[name="login"]').fill(name);
			await page.locator('input[name="password"]').fill("any");
			await page.getByRole("button", { name: "Sign-in" }).click();
			await page.getByRole("button", { name: "Continue" }).click();
		};
		// An identity alone takes no account, though the address is the same.
		await page.goto("");
		await page.getByRole("button", { name: "Sign in with Home" }).click();
		await atIssuer("ada");
		await page.getByText("No account is connected with this identity").waitFor();
		await stage.checkAccessibility(page);
		await page.getByRole("link", { name: "Back to the start" }).click();
		await page.getByLabel("E-mail address").fill(person.email);
		await page.getByLabel("Password", { exact: true }).fill(person.password);
		await page.keyboard.press("Enter");
		await heading(page, "First steps").waitFor();
		await page.goto("account/sign-in");
		await page.getByRole("button", { name: "Connect with Home" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Your password", { exact: true }).fill(person.password);
		await dialog.getByRole("button", { name: "Go on" }).click();
		// The issuer still knows this browser.
		await page.getByRole("rowheader", { name: "ada@example.org" }).waitFor();
		assert.equal(new URL(page.url()).search, "");
		await stage.checkAccessibility(page);
		await page.goto("account");
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("button", { name: "Sign in with Home" }).click();
		await heading(page, "First steps").waitFor();
		await page.goto("account/access");
		await page.getByRole("rowheader", { name: "ada@example.org" }).waitFor();
	},

	"the pages can be installed": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { screen: "phone" });
		await page.goto("account");
		await page.getByText("As an app on your phone").waitFor();
		await withWorker(page);
		const session = await page.context().newCDPSession(page);
		const { errors, url } = await session.send("Page.getAppManifest");
		assert.deepEqual(errors, []);
		assert.match(url, /\/manifest\.webmanifest$/);
		const icons = await page.evaluate(async (link) => {
			const sizes = [];
			for (const { src, sizes: said } of (await (await fetch(link)).json()).icons) {
				const bitmap = await createImageBitmap(await (await fetch(new URL(src, link))).blob());
				sizes.push(`${bitmap.width}x${bitmap.height}` === said);
			}
			return sizes;
		}, url);
		assert.deepEqual(icons, [true, true, true, true]);
	},

	"a shared picture is on a panel in two taps": async (stage) => {
		const { person, device } = await owner(stage);
		const page = await stage.signedIn(person, { screen: "phone" });
		await page.goto("devices");
		await heading(page, "Devices").waitFor();
		await withWorker(page);
		await share(page);
		await heading(page, "Show a picture").waitFor();
		await page.getByRole("img", { name: "Preview of beach.jpg" }).first().waitFor();
		// Sharing alone shows nothing, on the panel or after a reload.
		await page.reload();
		const show = page.getByRole("button", { name: "Show on Kitchen" });
		await show.waitFor();
		await stage.checkAccessibility(page);
		const requests = [];
		page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
		await show.click();
		await heading(page, "Kitchen").waitFor();
		await page.getByText("The picture will wait until a panel has connected").waitFor();
		assert.equal(requests.filter((one) => /^POST .*\/push$/.test(one)).length, 1);
		// What was shown is kept no longer.
		await page.goto("share");
		await page.getByText("No picture").waitFor();
		assert.ok(device.id);
	},

	"a picture that is shared before the sign-in waits for it": async (stage) => {
		const { person } = await owner(stage);
		const page = await stage.visitor({ screen: "phone" });
		await page.goto("");
		await heading(page, "Sign in").waitFor();
		await withWorker(page);
		await share(page);
		await heading(page, "Sign in").waitFor();
		await page.getByLabel("E-mail address").fill(person.email);
		await page.getByLabel("Password", { exact: true }).fill(person.password);
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Show on Kitchen" }).waitFor();
	},

	"the server takes no shared picture itself": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		for (const headers of [{}, { "Sec-Fetch-Site": "cross-site" }]) {
			const answer = await page.request.post("share", {
				headers,
				multipart: { picture: { name: "a.png", mimeType: "image/png", buffer: Buffer.from("x") } },
			});
			assert.ok([404, 405].includes(answer.status()), `${answer.status()}`);
		}
	},

	"without a network there is a page that says so": async (stage) => {
		const person = await stage.ask("person");
		const proxy = await slowProxy(stage.scene.url);
		const page = await stage.signedIn(person, { screen: "phone", baseURL: proxy.url });
		await page.goto("account");
		await heading(page, "Account").waitFor();
		await withWorker(page);
		proxy.state.isGone = true;
		await page.goto("devices");
		await heading(page, "Cannot reach the server").waitFor();
		proxy.state.isGone = false;
		await page.getByRole("link", { name: "Try again" }).click();
		await heading(page, "Devices").waitFor();
		await waitUntil(async () => (await page.title()).startsWith("Devices"));
		proxy.end();
	},
};
