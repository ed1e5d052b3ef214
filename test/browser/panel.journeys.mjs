// A panel in the browser.
import assert from "node:assert/strict";

/** Colours of the picture on the panel at a few points. */
async function pixels(page) {
	return page.evaluate(async () => {
		const image = document.querySelector("img.panel-picture");
		await image.decode();
		const context = new OffscreenCanvas(64, 32).getContext("2d");
		context.drawImage(image, 0, 0);
		return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
	});
}

async function showsColour(page, colour) {
	await page.waitForFunction((wanted) => {
		const image = document.querySelector("img.panel-picture");
		if (!image?.complete || !image.naturalWidth) return false;
		const context = new OffscreenCanvas(64, 32).getContext("2d");
		context.drawImage(image, 0, 0);
		return context.getImageData(0, 0, 1, 1).data.slice(0, 3).join() === wanted.join();
	}, colour);
	assert.deepEqual(await pixels(page), colour);
}

async function openPanel(stage, options) {
	const device = await stage.ask("device");
	const page = await stage.visitor(options);
	await page.goto(`panel#${device.id}/${device.key}`);
	await page.getByText("Connected").waitFor();
	return { device, page };
}

export default {
	"a panel in the browser shows what is pushed": async (stage) => {
		const { device, page } = await openPanel(stage);
		await stage.ask("push", { device: device.id, colour: [200, 30, 10] });
		await showsColour(page, [200, 30, 10]);
		await stage.ask("push", { device: device.id, colour: [10, 30, 200] });
		await showsColour(page, [10, 30, 200]);
		const log = await stage.ask("log");
		assert.match(log, /firmware_type=browser/);
	},

	"a panel in the browser follows brightness and sleep": async (stage) => {
		const { device, page } = await openPanel(stage);
		await stage.ask("push", { device: device.id, colour: [0, 255, 0] });
		await showsColour(page, [0, 255, 0]);
		const light = () =>
			page.evaluate(() => document.querySelector(".panel").style.getPropertyValue("--light"));
		const before = Number(await light());
		await stage.ask("update", { device: device.id, fields: { brightness: 5 } });
		await page.waitForFunction(
			(old) => document.querySelector(".panel").style.getPropertyValue("--light") < old / 2,
			before,
		);
		await stage.ask("update", { device: device.id, fields: { brightness: 0 } });
		await page.locator('.panel[data-state="asleep"]').waitFor();
		assert.equal(await page.locator("img.panel-picture").count(), 0);
	},

	"a panel in the browser has the size of its device": async (stage) => {
		const { device, page } = await openPanel(stage);
		const dots = () =>
			page.evaluate(() => {
				const { style, dataset } = document.querySelector(".panel");
				const { clientWidth, clientHeight } = document.querySelector(".panel-face");
				const { naturalWidth } = document.querySelector("img.panel-picture");
				const columns = Number(style.getPropertyValue("--columns"));
				return {
					columns,
					naturalWidth,
					isWide: dataset.wide,
					wide: (clientWidth / columns) % 1,
					high: clientWidth / clientHeight,
				};
			});
		await stage.ask("push", { device: device.id, colour: [200, 30, 10] });
		await showsColour(page, [200, 30, 10]);
		assert.deepEqual(await dots(), {
			columns: 64,
			naturalWidth: 64,
			isWide: "false",
			wide: 0,
			high: 2,
		});
		await stage.ask("resize", { device: device.id, size: "128x64" });
		await page.locator('.panel[data-wide="true"]').waitFor();
		await stage.ask("push", { device: device.id, colour: [10, 30, 200] });
		await showsColour(page, [10, 30, 200]);
		assert.deepEqual(await dots(), {
			columns: 128,
			naturalWidth: 128,
			isWide: "true",
			wide: 0,
			high: 2,
		});
		await stage.ask("resize", { device: device.id, size: "64x32" });
		await page.locator('.panel[data-wide="false"]').waitFor();
	},

	"a panel keeps its key in the browser, and not in the URL": async (stage) => {
		const { device, page } = await openPanel(stage);
		assert.equal(new URL(page.url()).hash, "");
		await page.reload();
		await page.getByText("Connected").waitFor();
		await page.getByRole("button", { name: "Use another panel" }).click();
		await page.getByLabel("Device address").waitFor();
		await page.reload();
		await page.getByLabel("Device address").fill("https://example.org/elsewhere");
		await page.keyboard.press("Enter");
		await page.getByText("This is not a device address").waitFor();
		await page.getByLabel("Device address").fill(device.websocketUrl);
		await page.keyboard.press("Enter");
		await page.getByText("Connected").waitFor();
	},

	"a panel comes back when the server does": async (stage) => {
		const { device, page } = await openPanel(stage);
		await stage.ask("stop");
		await page.getByText("Reconnecting").first().waitFor();
		await stage.ask("start");
		await page.getByText("Connected").waitFor();
		await stage.ask("push", { device: device.id, colour: [1, 2, 3] });
		await showsColour(page, [1, 2, 3]);
	},

	"a panel with a wrong key says so": async (stage) => {
		const device = await stage.ask("device");
		const page = await stage.visitor({ screen: "phone" });
		await page.goto(`panel#${device.id}/AAAAAAAAAAAAAAAAAAAAAAAA`);
		await page.getByText("The server does not know this panel").first().waitFor();
	},

	"a still picture stands for an animation where motion is to be reduced": async (stage) => {
		const { device, page } = await openPanel(stage, { motion: "reduce" });
		await stage.ask("push", { device: device.id, colour: [9, 99, 199] });
		await page.locator("canvas.panel-picture").waitFor();
		await page.locator(".panel-case").hover();
		await showsColour(page, [9, 99, 199]);
	},

	"photographs of a panel in the browser": async (stage) => {
		const device = await stage.ask("device");
		await stage.ask("push", { device: device.id, file: "scene" });
		await stage.photograph("panel-start", async (page) => {
			await page.goto("panel");
			await page.getByLabel("Device address").waitFor();
		});
		await stage.photograph("panel", async (page) => {
			await page.goto(`panel#${device.id}/${device.key}`);
			await page.getByText("Connected").waitFor();
			await page.locator("canvas.panel-picture").waitFor();
		});
	},

	"a page loads in at most 5 requests and 85 KB": async (stage) => {
		const page = await stage.visitor();
		const session = await page.context().newCDPSession(page);
		let requests = 0;
		let bytes = 0;
		await session.send("Network.enable");
		session.on("Network.requestWillBeSent", ({ request }) => {
			if (!request.url.startsWith("data:")) requests += 1;
		});
		session.on("Network.loadingFinished", (event) => {
			bytes += event.encodedDataLength;
		});
		await page.goto("panel", { waitUntil: "networkidle" });
		await page.getByLabel("Device address").waitFor();
		assert.ok(requests <= 5, `${requests} requests`);
		assert.ok(bytes <= 85_000, `${bytes} bytes`);
	},
};
