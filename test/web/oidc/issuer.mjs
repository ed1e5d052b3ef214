// A real issuer: oidc-provider with one client. Prints its URL, and ends with its standard input.
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { CLIENT, SECRET, REDIRECT, ISSUER_MODULES } = process.env;
const require = createRequire(path.join(ISSUER_MODULES, "package.json"));
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")).href);

process.stdin.on("end", () => process.exit()).resume();
const server = http.createServer((request, response) => handle(request, response));
let handle;
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(url, {
	clients: [
		{
			client_id: CLIENT,
			client_secret: SECRET,
			redirect_uris: [REDIRECT],
			response_types: ["code"],
			grant_types: ["authorization_code"],
		},
	],
	claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
	// The claims are in the ID token, too.
	conformIdTokenClaims: false,
	pkce: { required: () => true },
	findAccount: (_, id) => ({
		accountId: id,
		claims: () => ({
			sub: id,
			email: `${id}@example.org`,
			email_verified: true,
			name: `The ${id}`,
		}),
	}),
});
handle = provider.callback();
console.log(url);
