// Asks for one thing of each kind with the generated client, and prints what came.
import {
	AccountApi, AppsApi, Configuration, DevicesApi, InstallationsApi, PushApi, ResponseError, ScriptLanguage, V0Api,
} from "./client/index.js";

declare const process: {env: Record<string, string>};

const {DISPLAYD_URL, DISPLAYD_KEY, DEVICE, APP, IMAGE} = process.env;
const configuration = new Configuration({basePath: DISPLAYD_URL!, accessToken: DISPLAYD_KEY!});
const devices = new DevicesApi(configuration), pushes = new PushApi(configuration);
const installations = new InstallationsApi(configuration), apps = new AppsApi(configuration);
const v0 = new V0Api(configuration);
const deviceId = DEVICE!, appId = APP!, image = IMAGE!;
const found: Record<string, unknown> = {};

found.email = (await new AccountApi(configuration).getAccount()).email;
found.devices = (await devices.listDevices()).map(device => device.name);
const deviceUpdate = {brightness: 40, sleepStart: "22:30"};
found.brightness = (await devices.updateDevice({deviceId, deviceUpdate})).brightness;
found.sleep_start = (await devices.getDevice({deviceId})).sleep.start;
found.year = (await devices.getDevice({deviceId})).lastOnline.getUTCFullYear();
await pushes.pushImage({deviceId, push: {image, duration: 10}});
await pushes.pushImage({deviceId, push: {image, installationId: "weather", background: true}});
found.entries = (await installations.listInstallations({deviceId})).map(entry => [entry.id, entry.app]);
await installations.deleteInstallation({deviceId, installationId: "weather"});
const appUpload = {version: "1.0.0", scriptContent: "x", scriptLanguage: ScriptLanguage.Starlark};
found.uploaded = (await apps.uploadAppVersion({appId, appUpload})).status;
found.versions = (await apps.listAppVersions({appId})).map(version => [version.version, version.reviewedAt]);
found.apps = (await apps.listApps()).map(app => app.name);

await v0.v0UpdateDevice({deviceId, v0DeviceUpdate: {brightness: 50}});
found.v0_devices = (await v0.v0ListDevices()).devices.map(device => [device.displayName, device.brightness]);
await v0.v0PushImage({deviceId, v0Push: {image, installationID: "news", background: true}});
found.v0_entries = (await v0.v0ListInstallations({deviceId})).installations.map(entry => [entry.id, entry.appID]);
await v0.v0DeleteInstallation({deviceId, installationId: "news"});

try {
	await devices.getDevice({deviceId: "no-such-device"});
} catch (error) {
	found.missing = (error as ResponseError).response.status;
}
console.log(JSON.stringify(found));
