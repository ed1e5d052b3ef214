// Signing in, links, the account, API keys.
import assert from "node:assert/strict";
import { inMenu, pressMore, waitUntil } from "./wait.mjs";

const PASSWORD = "nine green lanterns";

async function fillSignIn(page, email, password) {
	await page.getByLabel("E-mail address").fill(email);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.keyboard.press("Enter");
}

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Creates a key on the page. Returns its value. */
async function createKey(page, name) {
	await page.getByLabel("Name of a new key").fill(name);
	await page.getByRole("button", { name: "Create key" }).click();
	return page.locator(".secret code").first().innerText();
}

export default {
	"somebody signs in and out": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.visitor();
		await page.goto("");
		await heading(page, "Sign in").waitFor();
		assert.equal(await page.title(), "Sign in · displayd");
		await fillSignIn(page, person.email, person.password);
		await heading(page, "Devices").waitFor();
		assert.match(page.url(), /\/devices$/);
		const [cookie] = await page.context().cookies();
		assert.equal(cookie.httpOnly, true);
		assert.equal(cookie.sameSite, "Lax");
		await (await inMenu(page, `Account ${person.name}`)).click();
		await page.getByRole("button", { name: "Sign out" }).click();
		await heading(page, "Sign in").waitFor();
		await page.goBack();
		await heading(page, "Sign in").waitFor();
	},

	"a wrong password and an unknown address are told alike": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.visitor();
		await page.goto("account");
		const said = [];
		for (const email of [person.email, "nobody@example.org"]) {
			await fillSignIn(page, email, "this is not it");
			await page.locator('button[aria-busy="false"]').waitFor();
			said.push(await page.getByRole("alert").innerText());
		}
		assert.equal(said[0], said[1]);
		await fillSignIn(page, person.email, person.password);
		await heading(page, "Account").waitFor();
		assert.match(page.url(), /\/account$/);
	},

	"the first account is made by the link that the server printed": async (stage) => {
		const fresh = await stage.ask("fresh");
		const page = await stage.visitor({ baseURL: fresh.url });
		await page.goto("");
		await page.getByText("There are no accounts yet").waitFor();
		await page.getByText("sudo displayctl account link").waitFor();
		assert.equal(await page.getByLabel("Password").count(), 0);
		await stage.checkAccessibility(page);
		await page.goto(fresh.link);
		await heading(page, "Create the first account").waitFor();
		assert.equal(new URL(page.url()).hash, "");
		await page.getByLabel("E-mail address").fill("first@example.org");
		await page.getByLabel("Name", { exact: true }).fill("Grace");
		await page.getByLabel("Password", { exact: true }).fill("short");
		await page.keyboard.press("Enter");
		await page.locator(".fault").waitFor();
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		await heading(page, "First steps").waitFor();
		const other = await stage.visitor();
		await other.goto(fresh.link);
		await heading(other, "This link no longer works").waitFor();
	},

	"a forgotten password is set by a link": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.visitor({ screen: "phone" });
		await page.goto(await stage.ask("link", { email: person.email }));
		await heading(page, "Choose a password").waitFor();
		await page.reload();
		await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		await heading(page, "Are these yours?").waitFor();
		await page.getByText("Nothing acts for your account").waitFor();
		await page.getByRole("link", { name: "Go to your devices" }).click();
		await heading(page, "Devices").waitFor();
		const other = await stage.visitor();
		await other.goto("");
		await fillSignIn(other, person.email, PASSWORD);
		await heading(other, "Devices").waitFor();
	},

	"anybody registers where registration is open": async (stage) => {
		const fresh = await stage.ask("fresh", {
			arguments: ["--registration", "open"],
			account: true,
		});
		const page = await stage.visitor({ baseURL: fresh.url });
		await page.goto("");
		await page.getByRole("link", { name: "Create one" }).click();
		await page.getByLabel("E-mail address").fill("anybody@example.org");
		await page.getByLabel("Name", { exact: true }).fill("<b>Anybody</b>");
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		await heading(page, "First steps").waitFor();
		await (await inMenu(page, "Account <b>Anybody</b>")).waitFor();
	},

	"a key is created, works, and is revoked": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		const key = await createKey(page, "Backup script");
		assert.match(key, /^ddk_/);
		assert.equal(await stage.ask("use_key", { key }), 200);
		assert.match(
			await page.locator(".secret code").nth(1).innerText(),
			/^curl 'http.*\/v1\/devices'/,
		);
		await page.getByRole("button", { name: "I have copied it" }).click();
		await page.getByRole("rowheader", { name: "Backup script" }).waitFor();
		assert.ok(!(await page.content()).includes(key));
		await stage.ask("listen", { key });
		await page.getByRole("row", { name: /Backup script.*1 event stream open/ }).waitFor();
		await pressMore(page, "Backup script", "Revoke");
		await page.getByRole("button", { name: "Cancel" }).click();
		assert.equal(await stage.ask("use_key", { key }), 200);
		await pressMore(page, "Backup script", "Revoke");
		await page.getByRole("button", { name: "Revoke", exact: true }).click();
		await page.getByText("No API keys yet").waitFor();
		await stage.ask("wait_for_refusal", { key });
	},

	"a key ends with what it has set up, unless that is kept": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("development/keys");
		for (const name of ["Ended", "Kept", "Limited"]) {
			const key = await createKey(page, name);
			await page.getByRole("button", { name: "I have copied it" }).click();
			await page.getByRole("rowheader", { name }).waitFor();
			await stage.ask("set_up", {
				key,
				host: `https://${name.toLowerCase()}.example.invalid`,
			});
		}
		await page.reload();
		await page.getByRole("row", { name: /Ended.*has set up: 1 webhook/ }).waitFor();
		const dialog = page.getByRole("dialog");
		await stage.photograph(
			"key-revocation",
			async (page) => {
				await page.goto("development/keys");
				await pressMore(page, "Ended", "Revoke");
				await page.getByText("They end, too").waitFor();
			},
			person,
		);
		await pressMore(page, "Kept", "Revoke");
		await dialog.getByText("Webhook for https://kept.example.invalid").waitFor();
		await dialog.getByLabel("Keep them").check();
		await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
		await page.getByText("Kept revoked").waitFor();
		await pressMore(page, "Ended", "Revoke");
		await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
		await page.getByText("Ended revoked").waitFor();
		await page.getByRole("button", { name: "Change Limited" }).click();
		await dialog.getByLabel("Pushes and ends pictures").check();
		await dialog.getByText("Webhook for https://limited.example.invalid").waitFor();
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByText("Limited saved").waitFor();
		await page.goto("development/webhooks");
		await page.getByRole("row", { name: /kept.*Nothing sent yet/ }).waitFor();
		for (const name of ["ended", "limited"])
			await page
				.getByRole("row", {
					name: new RegExp(`${name}.*with the API key that set it up`),
				})
				.waitFor();
	},

	"a key is copied where the browser gives no clipboard": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.addInitScript(() =>
			Object.defineProperty(navigator, "clipboard", { value: undefined }),
		);
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		const key = await createKey(page, "Lamp");
		const button = page.getByRole("button", { name: "Copy the key" });
		await button.click();
		await page.getByText("Copied", { exact: true }).waitFor();
		assert.ok(await button.evaluate((element) => element === document.activeElement));
		await page.getByRole("button", { name: "I have copied it" }).click();
		await page.getByLabel("Name of a new key").focus();
		await page.keyboard.press("Control+V");
		assert.equal(await page.getByLabel("Name of a new key").inputValue(), key);
	},

	"a key for pictures on one device, and then for more": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		await page.getByLabel("Show pictures", { exact: false }).first().check();
		await page.getByLabel("Selected devices").check();
		await page.getByLabel("Expires after").fill("2020-01-31");
		await page.getByLabel("Name of a new key").fill("Lamp");
		await page.getByRole("button", { name: "Create key" }).click();
		await page.getByText("Choose at least one.").waitFor();
		await page.getByText("must be in the future").waitFor();
		await page
			.getByRole("group", { name: "Devices the key can use" })
			.getByRole("checkbox")
			.first()
			.check();
		await page.getByLabel("Expires after").fill("2099-01-31");
		const key = await createKey(page, "Lamp");
		const line = await page.locator(".secret code").nth(1).innerText();
		assert.match(line, /v1\/devices\/[0-9a-f-]{36}\/push' .*base64 -w0 picture\.png/);
		assert.equal(await stage.ask("use_key", { key }), 403);
		await page.getByRole("button", { name: "I have copied it" }).click();
		const row = page.getByRole("row", { name: /Lamp/ });
		assert.match(await row.innerText(), /Show pictures\s+on one device\s+expires /);
		await row.getByRole("button", { name: "Change Lamp" }).click();
		const dialog = page.getByRole("dialog", { name: "Change Lamp" });
		assert.equal(await dialog.getByLabel("Expires after").inputValue(), "2099-01-31");
		await dialog.getByLabel("Everything").check();
		await dialog.getByLabel("All, including new devices").check();
		await dialog.getByLabel("Expires after").fill("");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByRole("row", { name: /Lamp.*Everything/ }).waitFor();
		await waitUntil(async () => (await stage.ask("use_key", { key })) === 200);
	},

	"a key that was not copied is not left without a word": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		await createKey(page, "Lamp");
		await (await inMenu(page, /^Account /)).click();
		await page.getByText("Leave without the key?").waitFor();
		await page.keyboard.press("Escape");
		assert.match(page.url(), /keys$/);
		const asked = page.waitForEvent("dialog");
		void page.close({ runBeforeUnload: true });
		const dialog = await asked;
		assert.equal(dialog.type(), "beforeunload");
		await dialog.dismiss();
		await (await inMenu(page, /^Account /)).click();
		await page.getByRole("button", { name: "Leave" }).click();
		await heading(page, "Account").waitFor();
	},

	"an account without a device is told so": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person", { device: false }));
		await page.goto("development/keys");
		await page.getByText("No devices yet. Add one to create an API key.").waitFor();
		assert.equal(await page.getByLabel("Name of a new key").count(), 0);
		await page.getByRole("link", { name: "Add a device" }).click();
		await heading(page, "Add a device").waitFor();
	},

	"keys by keyboard alone": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.visitor();
		await page.goto("");
		await heading(page, "Sign in").waitFor();
		await page.keyboard.press("Tab");
		await page.keyboard.type(person.email);
		await page.keyboard.press("Tab");
		await page.keyboard.type(person.password);
		await page.keyboard.press("Enter");
		await heading(page, "Devices").waitFor();
		await page.keyboard.press("g");
		await page.keyboard.press("u");
		await heading(page, "Account").waitFor();
		await page.keyboard.press("?");
		await page.getByRole("dialog").getByText("shows this list").waitFor();
		await page.keyboard.press("Escape");
		await page.keyboard.press("g");
		await page.keyboard.press("k");
		await heading(page, "API keys").waitFor();
		await page.getByText("No API keys yet").waitFor();
		for (let i = 0; i < 20; i++) {
			await page.keyboard.press("Tab");
			const name = await page.evaluate(() => document.activeElement.getAttribute("name"));
			if (name === "name") break;
		}
		await page.keyboard.type("By hand");
		await page.keyboard.press("Enter");
		await page.locator(".secret code").first().waitFor();
	},

	"what one browser changes the other sees": async (stage) => {
		const person = await stage.ask("person");
		const one = await stage.signedIn(person);
		const other = await stage.signedIn(person, { screen: "phone" });
		await one.goto("development/keys");
		await other.goto("development/keys");
		await other.getByText("No API keys yet").waitFor();
		await createKey(one, "Seen elsewhere");
		await other.getByRole("rowheader", { name: "Seen elsewhere" }).waitFor();
		await other.goto("account/sessions");
		await other.getByRole("button", { name: /^End the session of Chrome/ }).click();
		await other.getByRole("button", { name: "End session", exact: true }).click();
		await heading(one, "Sign in").waitFor();
		await one.getByText("Your session has ended").waitFor();
	},

	"the account is changed": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("account");
		await page.getByLabel("Name", { exact: true }).fill("<i>Ada</i> & 'co'");
		await page.keyboard.press("Tab");
		await page.getByText("Saved").waitFor();
		await (await inMenu(page, "Account <i>Ada</i> & 'co'")).waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("link", { name: "Password and passkeys" }).click();
		await page.getByLabel("Current password", { exact: true }).fill("not this one");
		await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		await page.locator(".fault").waitFor();
		await page.getByLabel("Current password", { exact: true }).fill(person.password);
		await page.keyboard.press("Enter");
		await page.getByText("Password changed").waitFor();
		const other = await stage.visitor();
		await other.goto("");
		await fillSignIn(other, person.email, PASSWORD);
		await heading(other, "Devices").waitFor();
	},

	"an administrator invites somebody, and makes them a reviewer": async (stage) => {
		const person = await stage.ask("person", { roles: ["administrator"] });
		const page = await stage.signedIn(person);
		await page.goto("");
		await (await inMenu(page, "Administration")).click();
		await heading(page, "Accounts").waitFor();
		await page.getByRole("link", { name: "Invitations" }).click();
		await page.getByLabel("E-mail address").fill(`guest-of-${person.email}`);
		await page.getByLabel("Reviewer").check();
		await page.getByRole("button", { name: "Create an invitation" }).click();
		const url = await page.locator(".secret code").innerText();
		await page.getByRole("rowheader", { name: `guest-of-${person.email}` }).waitFor();
		const guest = await stage.visitor({ screen: "phone" });
		await guest.goto(url);
		await heading(guest, "Accept the invitation").waitFor();
		assert.equal(await guest.getByLabel("E-mail address").inputValue(), `guest-of-${person.email}`);
		await guest.getByLabel("Name", { exact: true }).fill("Charles");
		await guest.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await guest.keyboard.press("Enter");
		await heading(guest, "First steps").waitFor();
		await (await inMenu(guest, /^Account /)).waitFor();
		assert.equal(await guest.getByRole("link", { name: "Administration" }).count(), 0);
		await page.getByRole("link", { name: "Accounts" }).click();
		const box = page.getByLabel(`Reviewer : guest-of-${person.email}`);
		await box.waitFor();
		assert.equal(await box.isChecked(), true);
		await box.uncheck();
		await page.getByRole("link", { name: "Audit log" }).click();
		await page.getByText(`changed the roles of guest-of-${person.email}`).waitFor();
		await guest.goto("admin");
		await heading(guest, "Page not found").waitFor();
	},

	"names with markup are shown as text": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.goto("development/keys");
		const name = `<img src=x onerror="document.title='owned'"><script>1</script>{{7*7}}`;
		await page.getByText("No API keys yet").waitFor();
		await createKey(page, name);
		await page.getByRole("button", { name: "I have copied it" }).click();
		await page.getByRole("rowheader", { name }).waitFor();
		await pressMore(page, name, "Revoke");
		await page.getByRole("heading", { name: `Revoke ${name}?` }).waitFor();
		assert.equal(await page.title(), "API keys · displayd");
		assert.equal(await page.locator("main img").count(), 0);
	},

	"the server goes and comes back": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		await stage.ask("stop");
		await page.getByText("Reconnecting").waitFor();
		await stage.ask("start");
		await page.getByText("Reconnecting").waitFor({ state: "hidden" });
		await createKey(page, "After the storm");
	},

	"the database goes and comes back": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		await stage.ask("lose_database");
		await page.getByText("Reconnecting").waitFor();
		const late = await stage.visitor();
		await late.goto("");
		await heading(late, "Loading").waitFor();
		await stage.ask("have_database");
		await heading(late, "Sign in").waitFor();
		await page.getByText("Reconnecting").waitFor({ state: "hidden" });
		await createKey(page, "After the loss");
	},

	"the pages work below a path of a proxy": async (stage) => {
		const { url } = await stage.ask("below_a_path");
		const person = await stage.ask("person");
		const page = await stage.visitor({ baseURL: url });
		await page.goto("development/keys/");
		await heading(page, "Sign in").waitFor();
		assert.equal(page.url(), `${url}development/keys`);
		await fillSignIn(page, person.email, person.password);
		await heading(page, "API keys").waitFor();
		await (await inMenu(page, /^Account /)).click();
		await heading(page, "Account").waitFor();
		assert.equal(page.url(), `${url}account`);
		await page.goBack();
		await heading(page, "API keys").waitFor();
		await createKey(page, "Below");
		assert.ok(
			(await page.locator(".secret code").nth(1).innerText()).includes(`'${url}v1/devices'`),
		);
	},

	"the sign-in page loads in at most 5 requests and 85 KB": async (stage) => {
		const page = await stage.visitor();
		const session = await page.context().newCDPSession(page);
		const requests = [];
		let bytes = 0;
		await session.send("Network.enable");
		session.on("Network.requestWillBeSent", ({ request }) => {
			if (!request.url.startsWith("data:")) requests.push(request.url);
		});
		session.on("Network.loadingFinished", (event) => {
			bytes += event.encodedDataLength;
		});
		await page.goto("", { waitUntil: "networkidle" });
		await heading(page, "Sign in").waitFor();
		assert.ok(requests.length <= 5, requests.join(" "));
		assert.ok(bytes <= 85_000, `${bytes} bytes`);
	},

	"photographs of signing in": async (stage) => {
		await stage.photograph("sign-in", async (page) => {
			await page.goto("");
			await heading(page, "Sign in").waitFor();
			await page.locator("canvas.panel-picture").waitFor();
		});
		const fresh = await stage.ask("fresh");
		await stage.photograph("link-first", async (page) => {
			await page.goto(fresh.link);
			await heading(page, "Create the first account").waitFor();
		});
	},

	"photographs of keys and account": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person, { motion: "reduce" });
		await page.goto("development/keys");
		await page.getByText("No API keys yet").waitFor();
		for (const name of ["Weather on the kitchen panel", "Build lamp", "Home automation"]) {
			const key = await createKey(page, name);
			if (name !== "Home automation") await stage.ask("use_key", { key });
			if (name === "Build lamp") {
				await page.screenshot({
					path: `${stage.scene.pictures}/key-created-light.png`,
				});
				await stage.checkAccessibility(page);
			}
			await page.getByRole("button", { name: "I have copied it" }).click();
			await page.getByRole("rowheader", { name }).waitFor();
		}
		await stage.photograph(
			"keys",
			async (page) => {
				await page.goto("development/keys");
				await page.getByRole("rowheader", { name: "Build lamp" }).waitFor();
			},
			person,
		);
		await stage.photograph(
			"account",
			async (page) => {
				await page.goto("account");
				await page.getByText(/^Pushed pictures, drafts and versions take/).waitFor();
			},
			person,
		);
		for (const [name, path, words] of [
			["account-sign-in", "account/sign-in", "Current password"],
			["account-sessions", "account/sessions", "this browser"],
			["account-mqtt", "account/mqtt", "Broker"],
		])
			await stage.photograph(
				name,
				async (page) => {
					await page.goto(path);
					await page.getByText(words).first().waitFor();
				},
				person,
			);
		const administrator = await stage.ask("person", {
			roles: ["administrator"],
			name: "Grace Hopper",
		});
		for (const [name, place] of [
			["admin-accounts", "admin"],
			["admin-invitations", "admin/invitations"],
			["admin-audit", "admin/audit"],
		]) {
			await stage.photograph(
				name,
				async (page) => {
					await page.goto(place);
					await page.locator(".table, .empty").first().waitFor();
				},
				administrator,
			);
		}
	},

	"a broker is set, says why it is not connected, and is removed": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.goto("account/mqtt");
		const section = page.locator("section", {
			has: page.getByRole("heading", { name: "MQTT" }),
		});
		await section.getByLabel("Broker", { exact: true }).fill("http://broker.invalid");
		await section.getByRole("button", { name: "Connect" }).click();
		await section.getByText("must be mqtt://HOST").waitFor();
		// What a local address lacks is said while it is typed, and again by the server.
		const lacks = section.getByText(
			"Broker names an address that is not public: whoever runs the server",
		);
		await section.getByLabel("Broker", { exact: true }).fill("mqtt://192.168.1.7");
		await lacks.waitFor();
		await section.getByRole("button", { name: "Connect" }).click();
		await lacks.waitFor();
		await section.getByLabel("Broker", { exact: true }).fill("mqtts://broker.invalid");
		await section.getByLabel("User name", { exact: true }).fill("panels");
		await section.getByRole("textbox", { name: "Broker password" }).fill("correct horse");
		await section.getByRole("button", { name: "Connect" }).click();
		await section
			.getByText(/^Not connected to mqtts:\/\/broker\.invalid|is not connected yet/)
			.waitFor();
		await section.getByText("cannot be resolved").waitFor();
		assert.equal(await section.getByLabel("User name", { exact: true }).inputValue(), "panels");
		assert.equal(await section.getByRole("textbox", { name: "Broker password" }).inputValue(), "");
		await section.getByRole("button", { name: "Remove the connection" }).click();
		await page.getByRole("button", { name: "Remove", exact: true }).click();
		await section
			.getByRole("button", { name: "Remove the connection" })
			.waitFor({ state: "detached" });
	},

	"a webhook is made, its secret is shown once, and it goes again": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person"));
		await page.goto("development/webhooks");
		await page.getByText("No webhooks yet").waitFor();
		await page.getByLabel("URL of a new webhook").fill("ftp://example.org");
		await page.getByRole("button", { name: "Create webhook" }).click();
		await page.getByText("must begin with https:// or http://").waitFor();
		const lacks = page.getByText("names an address that is not public: whoever runs the server");
		await page.getByLabel("URL of a new webhook").fill("http://192.168.1.5:8123/hook");
		await lacks.waitFor();
		await page
			.getByLabel("URL of a new webhook")
			.fill(`https://webhook.invalid/${"u".repeat(300)}`);
		await lacks.waitFor({ state: "detached" });
		await page.getByLabel("Device changed").uncheck();
		await page.getByRole("button", { name: "Create webhook" }).click();
		const secret = await page.locator(".secret code").first().innerText();
		assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
		await page.getByRole("button", { name: "I have copied it" }).click();
		const row = page.getByRole("row", { name: /webhook\.invalid/ });
		await row.getByText("online, pushed, failed").waitFor();
		await row.getByText("Nothing sent yet").waitFor();
		assert.ok(!(await page.content()).includes(secret));
		await stage.checkTables(page, "webhooks");
		await row.getByRole("button", { name: /^Test/ }).click();
		await page.getByText(/was not found|cannot be reached|did not answer/).waitFor();
		await pressMore(row, undefined, "Switch off");
		await row.getByText("Switched off", { exact: true }).waitFor();
		await pressMore(row, undefined, "Remove");
		await page.getByRole("button", { name: "Remove", exact: true }).click();
		await page.getByText("No webhooks yet").waitFor();
	},
};
