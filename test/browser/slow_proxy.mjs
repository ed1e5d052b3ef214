// A proxy between a browser and the server that delays answers like a bad network.
import http from "node:http";

/** url: of the server. isHeld: selects the requests whose answers wait for release(). */
export async function slowProxy(url, isHeld) {
	const target = new URL(url);
	const held = [];
	const state = { isHolding: true, isStalled: false, isGone: false, asked: [] };
	const proxy = http.createServer((request, response) => {
		const { method, url: path } = request;
		if (state.isGone) {
			request.destroy();
			return;
		}
		// The server only knows its own host name.
		const { host, origin } = target;
		const headers = { ...request.headers, host, ...(request.headers.origin ? { origin } : {}) };
		const onward = http.request(
			{ host: target.hostname, port: target.port, method, path, headers },
			(answer) => {
				const pass = () => {
					response.writeHead(answer.statusCode, answer.rawHeaders);
					answer.on("data", (part) => {
						// A network that lost the connection without closing it.
						if (!(state.isStalled && path.includes("web/events"))) response.write(part);
					});
					answer.on("end", () => response.end());
				};
				if (state.isHolding && isHeld?.(request)) held.push(pass);
				else pass();
			},
		);
		state.asked.push(path);
		onward.on("error", () => response.destroy());
		response.on("close", () => onward.destroy());
		request.pipe(onward);
	});
	await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
	return {
		state,
		url: `http://127.0.0.1:${proxy.address().port}/`,
		/** Releases all held answers, and holds nothing more. */
		release: () => {
			state.isHolding = false;
			for (const pass of held.splice(0)) pass();
		},
		end: () => {
			proxy.closeAllConnections();
			proxy.close();
		},
	};
}
