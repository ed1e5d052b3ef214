// Passkeys, with Chromium's virtual authenticator, and the removal of an account.
import assert from "node:assert/strict";
import { slowProxy } from "./slow_proxy.mjs";
import { inMenu, pressMore, waitUntil } from "./wait.mjs";

const HOOK = "https://burglar.example.org/";
const BROKER = "mqtts://burglar.example.org";
// What somebody who had the password sets up: [method, path, body].
const ACCESS = [
	["POST", "web/keys", { name: "Burglar's key" }],
	["POST", "web/webhooks", { url: HOOK, events: ["pushed"] }],
	["PUT", "web/account/mqtt", { url: BROKER }],
];

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** The URL of the pages by the host name of passkeys. */
function named(stage) {
	return stage.scene.url.replace("127.0.0.1", "localhost");
}

/** A virtual authenticator in this browser, whose user agrees to everything. */
async function authenticator(page, options = {}) {
	const session = await page.context().newCDPSession(page);
	await session.send("WebAuthn.enable");
	const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
		options: {
			protocol: "ctap2",
			transport: "internal",
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
			...options,
		},
	});
	return { session, authenticatorId };
}

/** Signs out, and in again by the button. */
async function signInAgain(page) {
	await page.goto("account");
	await page.getByRole("button", { name: "Sign out" }).click();
	await heading(page, "Sign in").waitFor();
	await page.getByRole("button", { name: "Sign in with a passkey" }).click();
}

async function addPasskey(page, person, name) {
	await page.goto("account/sign-in");
	await page.getByRole("button", { name: "Add a passkey" }).click();
	const dialog = page.getByRole("dialog");
	await dialog.getByLabel("Name", { exact: true }).fill(name);
	await dialog.getByLabel("Your password", { exact: true }).fill(person.password);
	await dialog.getByRole("button", { name: "Add passkey", exact: true }).click();
	await page.getByRole("rowheader", { name, exact: true }).waitFor();
}

export default {
	"a fault names its field": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("account/sign-in");
		await page.getByLabel("Current password", { exact: true }).fill(person.password);
		await page.getByLabel("New password", { exact: true }).fill("password123");
		await page.keyboard.press("Enter");
		await page.getByText(/^New password is one of the most common passwords/).waitFor();
	},

	"a new password signs nobody out here, however slow its answer is": async (stage) => {
		const proxy = await slowProxy(stage.scene.url, ({ url }) => url.endsWith("account/password"));
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { baseURL: proxy.url });
		const tab = await page.context().newPage();
		await tab.goto("devices");
		await heading(tab, "Devices").waitFor();
		await page.goto("account/sign-in");
		await page.getByLabel("Current password", { exact: true }).fill(person.password);
		await page.getByLabel("New password", { exact: true }).fill("eight small lamps");
		const refused = page.waitForResponse((answer) => answer.status() === 401);
		await page.getByRole("button", { name: "Change password" }).click();
		// The event arrives before the server's answer, so the page asks with the old cookie.
		await refused;
		proxy.release();
		await page.getByText("Password changed.").waitFor();
		await tab.reload();
		await heading(tab, "Devices").waitFor();
		assert.equal(await heading(page, "Sign in").count(), 0);
		// A page that was signed out elsewhere notices.
		await page.goto("account");
		await page.getByLabel("Name", { exact: true }).waitFor();
		await page.context().clearCookies();
		await page.getByLabel("Name", { exact: true }).fill("Nobody");
		await page.keyboard.press("Tab");
		await heading(page, "Sign in").waitFor();
		proxy.end();
	},

	"what acts for an account is ended by one button": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("development/webhooks");
		await page.evaluate(async () => {
			for (const host of ["one", "two"])
				await fetch("../web/webhooks", {
					method: "POST",
					headers: { "Content-Type": "application/json" },
					body: JSON.stringify({ url: `https://${host}.example.org/`, events: ["pushed"] }),
				});
		});
		await page.goto("account/sessions");
		await page.getByRole("link", { name: "See what else can act for your account" }).click();
		await heading(page, "Are these yours?").waitFor();
		await page.getByRole("rowheader", { name: "https://one.example.org/" }).waitFor();
		await page.getByRole("button", { name: "End all" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Your password", { exact: true }).fill("not this one");
		await dialog.getByRole("button", { name: "End all" }).click();
		await dialog.getByText("is not the password").waitFor();
		await dialog.getByLabel("Your password", { exact: true }).fill(person.password);
		await dialog.getByRole("button", { name: "End all" }).click();
		await page.getByText("Nothing acts for your account").waitFor();
		assert.equal(await page.getByRole("button", { name: "End all" }).count(), 0);
	},

	"a password that the operator's link has set is followed by all that still works": async (
		stage,
	) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { baseURL: named(stage) });
		await authenticator(page);
		await addPasskey(page, person, "Burglar's phone");
		const key = await page.evaluate(async (calls) => {
			for (const [method, path, body] of calls) {
				const answer = await fetch(`/${path}`, {
					method,
					headers: { "Content-Type": "application/json" },
					body: JSON.stringify(body),
				});
				if (!answer.ok) throw new Error(await answer.text());
				if (path === "web/keys") globalThis.made = (await answer.json()).key;
			}
			return globalThis.made;
		}, ACCESS);
		assert.equal(await stage.ask("use_key", { key }), 200);
		const link = await stage.ask("link", { email: person.email });
		const owner = await stage.visitor({ baseURL: named(stage) });
		await owner.goto(link.replace("127.0.0.1", "localhost"));
		await owner.getByLabel("New password", { exact: true }).fill("nine green lanterns");
		await owner.keyboard.press("Enter");
		await heading(owner, "Are these yours?").waitFor();
		const kinds = { Passkeys: "Burglar's phone", "API keys": "Burglar's key", Webhooks: HOOK };
		for (const [kind, name] of Object.entries(kinds)) {
			const section = owner
				.locator("section")
				.filter({ has: owner.getByRole("heading", { name: kind }) });
			await section.getByRole("table").getByRole("rowheader", { name, exact: true }).waitFor();
		}
		await owner.getByText(`The broker ${BROKER} controls your panels`).waitFor();
		await owner.getByRole("button", { name: "End all" }).click();
		const dialog = owner.getByRole("dialog");
		await dialog.getByLabel("Your password", { exact: true }).fill("nine green lanterns");
		await dialog.getByRole("button", { name: "End all" }).click();
		await owner.getByText("Nothing acts for your account").waitFor();
		assert.equal(await owner.locator("section").getByRole("heading", { level: 2 }).count(), 0);
		await stage.ask("wait_for_refusal", { key });
		const left = await owner.evaluate(async () => {
			const read = async (path) => (await fetch(`../web/${path}`)).json();
			return [
				await read("passkeys"),
				await read("keys"),
				await read("webhooks"),
				(await read("account/mqtt")).url,
			];
		});
		assert.deepEqual(left, [[], [], [], null]);
	},

	"a passkey is added, signs in, and is removed": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { baseURL: named(stage) });
		// Chromium's authenticator accepts each offer; here the button asks it.
		await page.addInitScript(() => {
			globalThis.PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
		});
		await authenticator(page);
		await page.goto("account/sign-in");
		await page.getByText("No passkeys yet").waitFor();
		await page.getByRole("button", { name: "Add a passkey" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Add passkey", exact: true }).click();
		await dialog.getByText("Enter your password").waitFor();
		await dialog.getByLabel("Your password", { exact: true }).fill("not this one");
		await page.keyboard.press("Enter");
		await dialog.locator(".fault", { hasText: "not the password" }).waitFor();
		await page.keyboard.press("Escape");
		const name = `<b>Phone</b> & "ring"`;
		await addPasskey(page, person, name);
		await signInAgain(page);
		await page.locator(".bar-menu").waitFor();
		await page.goto("account/sign-in");
		await page.getByRole("button", { name: `Rename ${name}` }).click();
		await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Key ring");
		await page.keyboard.press("Enter");
		await page.getByRole("rowheader", { name: "Key ring" }).waitFor();
		await pressMore(page, "Key ring", "Remove");
		await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
		await page.getByText("No passkeys yet").waitFor();
		await signInAgain(page);
		await page.getByRole("alert").filter({ hasText: "cannot sign in here" }).waitFor();
	},

	"a browser offers the passkey where the address is typed": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { baseURL: named(stage) });
		await authenticator(page);
		await addPasskey(page, person, "Offered");
		const asked = await page.evaluate(() => PublicKeyCredential.isConditionalMediationAvailable());
		assert.equal(asked, true);
		// Chromium's authenticator accepts the offer like a person who selects it.
		const taken = page.waitForResponse((answer) => answer.url().endsWith("/web/session/passkey"));
		await page.getByRole("button", { name: "Sign out" }).click();
		assert.equal((await taken).status(), 200);
		await page.locator(".bar-menu").waitFor();
	},

	"whoever does not agree is told how to go on": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { baseURL: named(stage) });
		const { session, authenticatorId } = await authenticator(page);
		await addPasskey(page, person, "Unsure");
		await session.send("WebAuthn.setUserVerified", {
			authenticatorId,
			isUserVerified: false,
		});
		await page.getByLabel("New password", { exact: true }).fill("nine green lanterns");
		await page.getByRole("button", { name: "Use a passkey" }).click();
		await page.getByRole("alert").filter({ hasText: "No passkey was used" }).waitFor();
		await session.send("WebAuthn.setUserVerified", {
			authenticatorId,
			isUserVerified: true,
		});
		await page.getByRole("button", { name: "Use a passkey" }).click();
		await page.getByText("Password changed").waitFor();
	},

	"a page that was opened by its address offers no passkeys": async (stage) => {
		const person = await stage.ask("person");
		const visitor = await stage.visitor();
		await visitor.goto("");
		await heading(visitor, "Sign in").waitFor();
		assert.equal(await visitor.getByRole("button", { name: /passkey/ }).count(), 0);
		const page = await stage.signedIn(person);
		await page.goto("account/sign-in");
		await page.getByText("open this page at localhost").waitFor();
		assert.equal(await page.getByRole("button", { name: "Add a passkey" }).count(), 0);
	},

	"an account is deleted with its password": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { screen: "phone" });
		await page.goto("account");
		await page.getByRole("link", { name: "See what will be deleted" }).click();
		await heading(page, "Delete your account").waitFor();
		await page.getByText("1 device, with all pictures").waitFor();
		await page.getByLabel("Your password", { exact: true }).fill("not this one");
		await page.keyboard.press("Enter");
		await page.locator(".fault").waitFor();
		await page.getByLabel("Your password", { exact: true }).fill(person.password);
		await page.keyboard.press("Enter");
		await heading(page, "Sign in").waitFor();
		await page.getByText(`The account ${person.email} was deleted`).waitFor();
		await page.getByLabel("E-mail address").fill(person.email);
		await page.getByLabel("Password", { exact: true }).fill(person.password);
		await page.keyboard.press("Enter");
		await page.getByRole("alert").waitFor();
	},

	"an account is deleted with a passkey": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { baseURL: named(stage) });
		await authenticator(page);
		await addPasskey(page, person, "Last");
		await page.goto("account/removal");
		await page.getByRole("button", { name: "Use a passkey" }).click();
		await page.getByText(`The account ${person.email} was deleted`).waitFor();
	},

	"the last administrator stays": async (stage) => {
		const fresh = await stage.ask("fresh");
		const page = await stage.visitor({ baseURL: fresh.url });
		await page.goto(fresh.link);
		await page.getByLabel("E-mail address").fill("first@example.org");
		await page.getByLabel("Name", { exact: true }).fill("Grace");
		await page.getByLabel("Password", { exact: true }).fill("nine green lanterns");
		await page.keyboard.press("Enter");
		await (await inMenu(page, "Administration")).waitFor();
		await page.goto("account/removal");
		await page.getByText("You are the only administrator").waitFor();
		assert.equal(await page.getByRole("button", { name: /Delete/ }).count(), 0);
	},

	"photographs of passkeys and the end": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, {
			baseURL: named(stage),
			motion: "reduce",
		});
		await authenticator(page);
		await addPasskey(page, person, "Chrome on Linux");
		await addPasskeyOnAnother(stage, person);
		await page.reload();
		await page.getByRole("rowheader", { name: "Telephone" }).waitFor();
		await pressMore(page, "Telephone", "Remove");
		await page.screenshot({
			path: `${stage.scene.pictures}/passkey-removal-light.png`,
		});
		await stage.checkAccessibility(page);
		await stage.photograph(
			"passkeys",
			async (page) => {
				await page.goto(`${named(stage)}account/sign-in`);
				await page.getByRole("rowheader", { name: "Telephone" }).waitFor();
			},
			person,
			{ baseURL: named(stage) },
		);
		await stage.photograph(
			"sign-in-passkey",
			async (page) => {
				await page.goto("");
				await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
				await page.locator("canvas.panel-picture").waitFor();
			},
			undefined,
			{ baseURL: named(stage) },
		);
		await stage.photograph(
			"account-removal",
			async (page) => {
				await page.goto("account/removal");
				await page.getByText("1 device, with all pictures").waitFor();
			},
			person,
		);
	},
};

async function addPasskeyOnAnother(stage, person) {
	const page = await stage.signedIn(person, { baseURL: named(stage) });
	await authenticator(page);
	await addPasskey(page, person, "Telephone");
	await page.context().close();
}
