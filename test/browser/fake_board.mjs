// A board at a serial port, as the boot loader in a chip's ROM answers: no board is at hand. For addInitScript().

/** magic: what the chip tells of itself; 9 is an ESP32-S3. isSilent: it is not in download mode. */
export function fakeBoard({ magic = 9, isSilent = false } = {}) {
	const END = 0xc0;
	const escape = (byte) => (byte === END ? [0xdb, 0xdc] : byte === 0xdb ? [0xdb, 0xdd] : [byte]);
	let reading;
	let begun;
	let packed = [];
	const send = (bytes) => reading.enqueue(new Uint8Array([END, ...bytes.flatMap(escape), END]));
	const word = (value) => [0, 8, 16, 24].map((bits) => (value >>> bits) & 0xff);
	const answer = (op, value = 0) => send([1, op, 2, 0, ...word(value), 0, 0]);

	async function unpack() {
		const stream = new Blob(packed).stream().pipeThrough(new DecompressionStream("deflate"));
		const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
		globalThis.flashed = { address: begun, bytes: Array.from(bytes) };
	}

	async function take(packet) {
		const [, op] = packet;
		const body = new DataView(Uint8Array.from(packet.slice(8)).buffer);
		if (op === 0x08) for (let i = 0; i < 8; i++) answer(op, 0x20120707);
		else if (op === 0x0a) answer(op, body.getUint32(0, true) === 0x40001000 ? magic : 0);
		else {
			if (op === 0x10) [begun, packed] = [body.getUint32(12, true), []];
			if (op === 0x11) packed.push(Uint8Array.from(packet.slice(24)));
			if (op === 0x12) await unpack();
			answer(op);
			if (op === 0x06) send([..."OHAI"].map((letter) => letter.charCodeAt(0)));
		}
	}

	let packet;
	let isEscaped = false;
	async function takeByte(byte) {
		if (byte === END) {
			if (packet?.length && !isSilent) await take(packet);
			packet = packet?.length ? undefined : [];
		} else if (byte === 0xdb) isEscaped = true;
		else {
			packet.push(isEscaped ? (byte === 0xdc ? END : 0xdb) : byte);
			isEscaped = false;
		}
	}

	const port = {
		getInfo: () => ({ usbVendorId: 0x303a, usbProductId: 0x1001 }),
		setSignals: () => Promise.resolve(),
		open: () => {
			port.readable = new ReadableStream({ start: (controller) => (reading = controller) });
			port.writable = new WritableStream({
				write: async (bytes) => {
					for (const byte of bytes) await takeByte(byte);
				},
			});
			return Promise.resolve();
		},
		close: () => {
			port.readable = port.writable = undefined;
			return Promise.resolve();
		},
	};
	const serial = { requestPort: () => Promise.resolve(port) };
	Object.defineProperty(navigator, "serial", { value: serial, configurable: true });
}
