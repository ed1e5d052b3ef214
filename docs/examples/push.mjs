// Shows a picture on the first device of an account: push.mjs PICTURE
import { readFile } from "node:fs/promises";

const { DISPLAYD_URL, DISPLAYD_KEY } = process.env;
const picture = process.argv[2];

async function call(method, path, body) {
  const response = await fetch(DISPLAYD_URL + path, {
    method,
    headers: {
      Authorization: `Bearer ${DISPLAYD_KEY}`,
      "Content-Type": "application/json",
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

try {
  const needed = { DISPLAYD_URL, DISPLAYD_KEY, "a picture": picture };
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  if (missing.length) throw new Error(`push.mjs PICTURE: missing ${missing.join(" and ")}`);
  const image = (await readFile(picture)).toString("base64");
  const [first] = await call("GET", "/v1/devices");
  if (!first) throw new Error("the account has no device");
  const path = `/v1/devices/${first.id}`;
  await call("POST", `${path}/push`, { image, installationId: "example" });
  const device = await call("PATCH", path, { brightness: 40 });
  console.log(`${device.name} shows ${picture} at ${device.brightness} %`);
} catch (error) {
  console.error(error.cause?.message || error.message);
  process.exitCode = 1;
}
