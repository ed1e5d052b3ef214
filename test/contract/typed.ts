// Compiled against the types generated from the API document, never run: each line must be valid, and each
// after @ts-expect-error invalid.
import type { components, operations, paths } from "./api";

type Device = components["schemas"]["Device"];
type Push = components["schemas"]["Push"];
type Answer<Name extends keyof operations> = operations[Name]["responses"] extends {
  200: { content: { "application/json": infer Body } };
}
  ? Body
  : never;

async function call<Body>(method: string, path: keyof paths, body?: unknown): Promise<Body> {
  const response = await fetch(path, { method, body: JSON.stringify(body) });
  return (await response.json()) as Body;
}

export async function show(image: string): Promise<string> {
  const devices = await call<Answer<"listDevices">>("GET", "/v1/devices");
  const first: Device | undefined = devices[0];
  if (!first) return "no device";
  const temporary: Push = { image, duration: 10 };
  const entry: Push = { image, installationId: "weather", background: true };
  const shortest: Push[] = [{ image }, { image, installationId: "weather" }];
  await call("POST", "/v1/devices/{deviceId}/push", [temporary, entry, ...shortest]);
  const change: components["schemas"]["DeviceUpdate"] = { brightness: 40, sleepStart: "22:30" };
  await call("PATCH", "/v1/devices/{deviceId}", change);
  const [version] = await call<Answer<"listAppVersions">>("GET", "/v1/apps/{appId}/versions");
  const reviewed: string | null | undefined = version?.reviewedAt;
  return `${first.name} ${first.sleep.start} ${reviewed}`;
}

// @ts-expect-error: a path that does not exist
void call("GET", "/v1/nothing");
// @ts-expect-error: not one of the durations
export const wrongDuration: Push = { image: "", duration: 7 };
// @ts-expect-error: the image is required
export const noImage: Push = { installationId: "weather" };
// @ts-expect-error: not a field of a device
export const unknownField: keyof Device = "colour";
// @ts-expect-error: not one of the languages
export const wrongLanguage: components["schemas"]["ScriptLanguage"] = "COBOL";
