/* Every limit of the server, with the answer that is given at it. */
#pragma once

enum {
	/* HTTP. Head too large: 431 and the connection ends; target too long: 414 and it ends. */
	LIMIT_REQUEST_HEAD_BYTES = 16 * 1024,
	LIMIT_REQUEST_FIELDS = 100,
	LIMIT_REQUEST_TARGET_BYTES = 8 * 1024,
	/* Body too large: 413. */
	LIMIT_REQUEST_BODY_BYTES = 1024 * 1024,
	LIMIT_UPLOAD_BODY_BYTES = 4 * 1024 * 1024,
	/* A body that is left unread after an answer is read and dropped up to this size, so that
	 * the connection can be kept; beyond it the connection ends. */
	LIMIT_DISCARDED_BODY_BYTES = 256 * 1024,
	/* Too slow: 408 where a request has begun, and the connection ends. */
	LIMIT_HEAD_MS = 10 * 1000,
	LIMIT_BODY_MS = 30 * 1000,
	LIMIT_IDLE_MS = 75 * 1000,
	/* A reader that takes no byte of its answer for so long is cut off. */
	LIMIT_WRITE_STALL_MS = 20 * 1000,
	/* Connections a worker: further ones wait in the listening socket's queue. */
	LIMIT_CONNECTIONS = 16 * 1024,

	/* JSON bodies: 400. */
	LIMIT_JSON_DEPTH = 32,
	LIMIT_SCRIPT_BYTES = 1000 * 1000,
	/* A body's faults that one answer lists. */
	LIMIT_FAULTS = 64,

	/* Statements that wait for the database in a worker: 503. */
	LIMIT_DB_QUEUE = 4096,
	/* Jobs that wait for a worker thread: 503. */
	LIMIT_SHORT_JOBS = 512,
	LIMIT_LONG_JOBS = 64,

	/* Panels: the device holds one WebSocket connection; a new one replaces it. */
	LIMIT_PANEL_TEXT_BYTES = 4 * 1024, /* a longer message ends the connection */
	LIMIT_PICTURE_BYTES = 460 * 1000,  /* 400 */
	LIMIT_DEVICE_ENTRIES = 100,	   /* 400 */
	LIMIT_INSTALLATION_ID = 64,	   /* code points; 400 */

	/* Rate limits of one key and of pushes to one device: 429. Defaults, see --rate-limit. */
	LIMIT_RATE_PER_S = 500,
	LIMIT_RATE_BURST = 1000,
	LIMIT_PUSH_RATE_PER_S = 10,
	LIMIT_PUSH_RATE_BURST = 40,
};
