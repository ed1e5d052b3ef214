// Shows a picture on the first device of an account: push.mjs PICTURE
import { readFile } from "node:fs/promises";

async function call(method, path, body) {
  const response = await fetch(process.env.DISPLAYD_URL + path, {
    method,
    headers: {
      Authorization: `Bearer ${process.env.DISPLAYD_KEY}`,
      "Content-Type": "application/json",
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

const [first] = await call("GET", "/v1/devices");
const image = (await readFile(process.argv[2])).toString("base64");
await call("POST", `/v1/devices/${first.id}/push`, { image, installationId: "example" });
const device = await call("PATCH", `/v1/devices/${first.id}`, { brightness: 40 });
console.log(`${device.name} shows ${process.argv[2]} at ${device.brightness} %`);
