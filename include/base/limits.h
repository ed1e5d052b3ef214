/* Limits of the server, with the status of the answer when one is reached. */
#pragma once

enum {
	/* HTTP. Head too large: 431 and the connection ends; target too long: 414 and it ends. */
	LIMIT_REQUEST_HEAD_BYTES = 16 * 1024,
	LIMIT_REQUEST_FIELDS = 100,
	LIMIT_REQUEST_TARGET_BYTES = 8 * 1024,
	/* Body too large: 413. Of a chunked body, extensions, trailers and zeros before sizes
	 * count, too. */
	LIMIT_REQUEST_BODY_BYTES = 1024 * 1024,
	LIMIT_UPLOAD_BODY_BYTES = 4 * 1024 * 1024,
	/* A line of an export: up to 8 MiB, with each byte escaped, and some more. */
	LIMIT_LINES_BODY_BYTES = 16 * 1024 * 1024 + 4096,
	/* An app of 8 MiB, from the operator only, or an image of firmware, from administrators. */
	LIMIT_APP_BODY_BYTES = 12 * 1024 * 1024,
	/* All bodies that a worker holds at a time: 503. A caller may hold as much as is free. */
	LIMIT_BODIES_BYTES = 128 * 1024 * 1024,
	/* A body that is unread after the answer is read and dropped up to this size, so that the
	 * connection can be kept. A longer body ends the connection. */
	LIMIT_DISCARDED_BODY_BYTES = 256 * 1024,
	/* Request head that is too slow: 408 if a request has begun, and the connection ends. */
	LIMIT_HEAD_MS = 10 * 1000,
	/* Time by which a body may fall behind the pace: 408, and the connection ends. */
	LIMIT_BODY_MS = 10 * 1000,
	LIMIT_BODY_BYTES_PER_S = 16 * 1024,
	/* Time after which a request has arrived completely, or was refused. */
	LIMIT_REQUEST_MS =
	    LIMIT_HEAD_MS + LIMIT_BODY_MS + LIMIT_UPLOAD_BODY_BYTES / LIMIT_BODY_BYTES_PER_S * 1000,
	LIMIT_IDLE_MS = 75 * 1000,
	/* Time and loop turns that a client may take for its part of a TLS handshake. Beyond
	 * either, the connection is closed. */
	LIMIT_HANDSHAKE_MS = 10 * 1000,
	LIMIT_HANDSHAKE_TURNS = 64,
	/* A client that takes no bytes of its answer for so long is cut off. The kernel shows
	 * progress only in steps of half of LIMIT_AHEAD_BYTES. */
	LIMIT_WRITE_STALL_MS = 20 * 1000,
	/* Bytes that the kernel accepts ahead of what it can send to a client now; and unsent
	 * output of all clients of a worker, answers and messages. Beyond the latter, the client
	 * with most unsent output is cut off. */
	LIMIT_AHEAD_BYTES = 64 * 1024,
	LIMIT_PENDING_BYTES = 64 * 1024 * 1024,
	/* Unsent output of a streamed answer: at the first its source pauses, beyond the second the
	 * client is cut off. */
	LIMIT_STREAM_FULL_BYTES = 64 * 1024,
	LIMIT_STREAM_PENDING_BYTES = 2 * 1024 * 1024,
	/* After an answer that ends a connection, bytes that the client still sends are read and
	 * dropped, for so long and so many. So it sees the answer instead of a reset, even if it
	 * reads only after it has sent an upload that is somewhat too large. */
	LIMIT_LINGER_MS = 2 * 1000,
	/* Time to linger if the server drains and the client has sent its whole request: a request
	 * that the client sent without waiting is already on its way. */
	LIMIT_DRAIN_LINGER_MS = 200,
	LIMIT_LINGER_BYTES = 2 * LIMIT_UPLOAD_BODY_BYTES,
	/* Empty lines before a request line. More: 400. */
	LIMIT_BLANK_LINES = 4,
	/* Connections of a worker, if descriptors and memory allow them (main/connection_limit.h):
	 * further ones wait in the listening socket's queue. An address may hold three times as
	 * many as are free: further ones from it are closed at once. */
	LIMIT_CONNECTIONS = 48 * 1024,
	/* Connections through the listeners of metrics, and as many through the private socket of
	 * displayctl, in addition to all others. */
	LIMIT_ADMIN_CONNECTIONS = 64,
	LIMIT_OPERATOR_CONNECTIONS = 64,

	/* Largest text that the loop reads or writes itself. Larger bodies and answers go to worker
	 * threads, since each byte may take ten nanoseconds. */
	LIMIT_LOOP_TEXT_BYTES = 64 * 1024,
	/* Largest text that the short lane reads or writes, in a millisecond at most. Larger ones
	 * take turns with animations, by account. */
	LIMIT_SHORT_TEXT_BYTES = 256 * 1024,

	/* JSON bodies: 400. */
	LIMIT_JSON_DEPTH = 32,
	LIMIT_JSON_NUMBER = 128,       /* characters: rounding hundreds of digits is slow */
	LIMIT_JSON_VALUES = 10 * 1000, /* and names: looking for repeated ones is slow */
	/* Values in the output of an app's renderer, which has at most 1 MiB. */
	LIMIT_JSON_LONG_VALUES = 200 * 1000,
	LIMIT_SCRIPT_BYTES = 1000 * 1000,
	/* Faults of a body that one answer lists. */
	LIMIT_FAULTS = 64,

	/* Statements that wait for the database in a worker: 503. */
	LIMIT_DB_QUEUE = 4096,
	/* Writes that wait in a worker for locked rows, of one account and of all, and their
	 * longest wait: 503. */
	LIMIT_BLOCKED_OF_ACCOUNT = 128,
	LIMIT_BLOCKED = 1024,
	LIMIT_BLOCKED_MS = 5 * 1000,
	/* Elements of a list that are read with other callers' reads; a longer list is read over a
	 * connection of its own. */
	LIMIT_LIST_SHORT = 100,
	/* Elements of one part of a list (?limit=): 400. */
	LIMIT_LIST_PART = 1000,
	/* Bytes of one part of a list, which is written in one piece: the part ends with the
	 * element that reaches them. */
	LIMIT_LIST_PART_BYTES = 512 * 1024,
	/* Long lists that wait in a worker for a connection, of one account and of all: 503. The
	 * same numbers hold for searches, and for other reads whose work grows with rows of others.
	 */
	LIMIT_LISTS_OF_ACCOUNT = 16,
	LIMIT_LISTS = 256,
	/* Longest wait of a long list: 503. Longest time of a list before a slow reader is cut off:
	 * LIMIT_LIST_TURN_MS if another list waits for the connection, else LIMIT_LIST_MS. */
	LIMIT_LIST_WAIT_MS = 20 * 1000,
	LIMIT_LIST_TURN_MS = 10 * 1000,
	LIMIT_LIST_MS = 60 * 1000,
	/* Longest time of a statement of the operator that has a connection of its own: 503. */
	LIMIT_APART_MS = 600 * 1000,
	/* Hints that wait to be sent: further ones are dropped, since the generation in the
	 * database decides. */
	LIMIT_HINT_BYTES = 64 * 1024,
	LIMIT_HINT_WORD_BYTES = 2000,
	/* Jobs that wait for a worker thread: 503. Also 503 for an account or a network that has as
	 * many as it leaves to others (a single one: half), and for a job that would wait longer
	 * than LIMIT_LANE_WAIT_MS. */
	LIMIT_SHORT_JOBS = 512,
	LIMIT_LONG_JOBS = 64,
	LIMIT_PASSWORD_JOBS = 64, /* in each of two lanes; a job holds 19 MiB while it runs */
	/* TLS handshakes: if the queue is full, or the network of a new handshake has used its
	 * share, the oldest handshake of the network with the most is closed. */
	LIMIT_HANDSHAKE_JOBS = 4096,
	LIMIT_LANE_WAIT_MS = 5 * 1000,
	/* Memory of a worker's images from their base64 to the answer, those that wait included:
	 * 503. An account may hold as much as is free. */
	LIMIT_IMAGES_BYTES = 128 * 1024 * 1024,
	/* Memory of a worker's cache of stills, in all and of one account: the oldest are dropped
	 * (api/still_cache.h). */
	LIMIT_STILLS_BYTES = 4 * 1024 * 1024,
	LIMIT_ACCOUNT_STILLS_BYTES = 1024 * 1024,

	/* Memory of a worker's cached answers to reads: the oldest are dropped, those of an account
	 * that has its share first. */
	LIMIT_READS_BYTES = 64 * 1024 * 1024,

	/* Engine runs that wait in a worker, as previews and for panels: 503. Also 503 for an
	 * account that has as many as it leaves to others. */
	LIMIT_PREVIEWS = 32,
	LIMIT_RENDERS = 256,
	/* Memory of a worker for large forms, results and code of apps that people wait for: 503 if
	 * it is used up, or if the account holds as much as is free. */
	LIMIT_APP_TEXTS_BYTES = 128 * 1024 * 1024,
	/* Imports of other servers' exports that a worker has under way: 503. An account has one.
	 */
	LIMIT_IMPORTS = 2,
	/* Former addresses that an account claims in a day, with or without success; also in SQL.
	 */
	LIMIT_ADDRESS_CLAIMS_PER_DAY = 1000,
	/* Accounts that the operator imports: imports under way, 503; seconds after which an import
	 * that is not continued ends, 404; lines and MiB of one account, 413. */
	LIMIT_ACCOUNT_IMPORTS = 4,
	LIMIT_ACCOUNT_IMPORT_S = 600,
	LIMIT_ACCOUNT_IMPORT_LINES = 200 * 1000,
	LIMIT_ACCOUNT_IMPORT_MIB = 4096,
	/* Renderers of a worker, ending ones included. A renderer that was idle for
	 * LIMIT_RENDERER_IDLE_MS ends. */
	LIMIT_RENDERERS_OF_WORKER = 128,
	/* Renderers of a worker whose scripts wait for the network, in addition to those that
	 * compute. An account may have as many as it leaves to others: alone, all that it may have
	 * under way for panels (RENDER_JOBS_OF_ACCOUNT_MAX). Its further ones keep their turns. */
	LIMIT_PARKED_RENDERS = 40,
	/* Memory of a worker for answers of the network to scripts that wait for their turns. An
	 * account may hold as much as is free: its script gets an error instead of a further
	 * answer, and if it ends by that, its app is not blamed. */
	LIMIT_HELD_ANSWERS_BYTES = 128 * 1024 * 1024,
	LIMIT_RENDERER_IDLE_MS = 60 * 1000,
	/* Idle time of the egress, which lives longer because it keeps answers for apps. */
	LIMIT_EGRESS_IDLE_MS = 3600 * 1000,

	/* Log lines of a process that their reader has not taken: further ones are only counted. At
	 * its end a process waits so long for the reader. */
	LIMIT_LOG_BYTES = 64 * 1024,
	LIMIT_LOG_END_MS = 500,

	/* WebSockets: interval of the server's pings. Drops a peer that is silent for longer, that
	 * sends more frames, or that has more unsent output. */
	LIMIT_PING_MS = 30 * 1000,
	LIMIT_SILENCE_MS = 60 * 1000,
	LIMIT_WEBSOCKET_FRAMES_PER_MINUTE = 6000, /* of any kind */
	LIMIT_WEBSOCKET_PENDING_BYTES = 1024 * 1024,
	/* Panel connections. */
	LIMIT_PANEL_TEXT_BYTES = 4 * 1024, /* a longer message ends the connection */
	/* Devices that a worker keeps in memory: beyond it, one of the account with most devices is
	 * dropped. LIMIT_PICTURE_MEMORY: bytes of their pictures, temporary images included. If an
	 * account uses as much of it as it leaves free, its pictures are fetched each time they are
	 * sent. */
	LIMIT_PANELS = 50 * 1000,
	/* Render jobs of a worker. Further ones are demanded again later. */
	LIMIT_RENDER_WANTS = 20000,
	LIMIT_PICTURE_MEMORY = 256 * 1024 * 1024,
	/* View subscriptions of a worker's open pages, of which an account may have as many as it
	 * leaves free: 503. Watches of other workers for panels of a worker, and workers that
	 * watch: pages of further ones show the panel as offline. */
	LIMIT_VIEWS = 16 * 1024,
	LIMIT_WATCHES = 128 * 1024,
	LIMIT_VIEW_PEERS = 1024,
	/* Frames of a device's panel connections in all workers: connections that send more are
	 * dropped. A panel whose connection was dropped for that has some frames left for its next
	 * one. */
	LIMIT_PANEL_FRAMES_PER_S = LIMIT_WEBSOCKET_FRAMES_PER_MINUTE / 60,
	LIMIT_PANEL_FRAMES_BURST = LIMIT_WEBSOCKET_FRAMES_PER_MINUTE + 256,
	/* Panel connections of one device in a worker: the oldest one is dropped. */
	LIMIT_PANEL_LINKS = 4,
	/* Reports of a panel about itself. Firmware reports after each connect, and after each
	 * change of its settings. */
	LIMIT_PANEL_REPORTS_PER_S = 1,
	LIMIT_PANEL_REPORTS_BURST = 20,
	/* Requests for an image of firmware with the URL of a device, of which firmware needs about
	 * one for 64 KiB: 429. Images that a worker sends in more than one part, of all accounts;
	 * one may have as many as are free: 503. */
	LIMIT_FIRMWARE_PARTS_PER_S = 20,
	LIMIT_FIRMWARE_PARTS_BURST = 200,
	LIMIT_FIRMWARE_STREAMS = 64,
	/* A backup is downloaded at least so fast on average, after so long: its connection to the
	 * database keeps replaced rows. */
	LIMIT_BACKUP_BYTES_PER_S = 16 * 1024,
	LIMIT_BACKUP_START_S = 60,
	LIMIT_DEVICES_OF_ACCOUNT = 1000,  /* that can be added on its pages; 409 */
	LIMIT_KEY_DEVICES = 100,	  /* of an API key that is not for all; 400 */
	LIMIT_PUSH_DEVICES = 100,	  /* that one push names; 400 */
	LIMIT_PUSH_ALL_DEVICES = 1000,	  /* of an account that pushes to all of them; 409 */
	LIMIT_DEVICE_INSTALLATIONS = 100, /* 400 */
	LIMIT_INSTALLATION_ID = 64,	  /* code points; 400 */

	/* Sessions of the pages: 401 after so long without a request, and after so long in all; of
	 * a person who stays signed in, only after LIMIT_SESSION_LASTING_S. If an account would
	 * have more than LIMIT_SESSIONS, the session that was not used for longest ends. */
	LIMIT_SESSION_IDLE_S = 12 * 3600,
	LIMIT_SESSION_S = 30 * 24 * 3600,
	LIMIT_SESSION_LASTING_S = 90 * 24 * 3600,
	LIMIT_SESSIONS = 50,
	/* Time after the last sign-in in which a browser counts as known. New known browsers of an
	 * account: a bucket of so many, and the seconds in which one more grows. Beyond it browsers
	 * sign in, but do not become known. */
	LIMIT_KNOWN_BROWSER_S = 180 * 24 * 3600,
	LIMIT_NEW_BROWSERS = 20,
	LIMIT_NEW_BROWSERS_S = 6 * 3600,
	/* Lifetime of a passkey's challenge: 400 or 401 afterwards. */
	LIMIT_CHALLENGE_S = 5 * 60,
	/* Lifetime of one-time links: 404 afterwards. */
	LIMIT_LINK_S = 7 * 24 * 3600,
	/* Streams of events in a worker, of one account and of all: 503. */
	LIMIT_PAGE_STREAMS_OF_ACCOUNT = 64,
	LIMIT_PAGE_STREAMS = 4096,
	/* Connections to MQTT brokers of an instance (subprojects/mqtt/src/bridge.h); further ones
	 * wait for another instance. */
	LIMIT_MQTT_CONNECTIONS = 1000,
	/* Streams of events by API key (GET /v1/events): of a key in all workers of an instance,
	 * 429; in a worker, of one account and of all, 503. */
	LIMIT_EVENT_STREAMS_OF_KEY = 8,
	LIMIT_EVENT_STREAMS_OF_ACCOUNT = 64,
	LIMIT_EVENT_STREAMS = 1024,
	LIMIT_EVENT_DEVICES = 100,	/* that a stream names; 400 */
	LIMIT_EVENT_ALL_DEVICES = 1000, /* of an account whose stream names none; 409 */
	/* Events that a worker keeps for Last-Event-ID, in time and bytes: clients that ask for
	 * dropped events get the event "reset". If LIMIT_EVENTS_BYTES is reached, the account with
	 * most bytes loses its oldest events. */
	LIMIT_EVENTS_MS = 10 * 60 * 1000,
	LIMIT_EVENTS_OF_ACCOUNT_BYTES = 2 * 1024 * 1024,
	LIMIT_EVENTS_BYTES = 32 * 1024 * 1024,
	/* Accounts for which a worker keeps events: 503, or "reset" for streams of other workers.
	 */
	LIMIT_EVENT_ACCOUNTS = 1024,
	/* Bodies of the pages: 413. */
	LIMIT_PAGE_BODY_BYTES = 16 * 1024,
	/* Apps of an account: 409. The trigger app_counted() has the same number. */
	LIMIT_ACCOUNT_APPS = 5000,
	/* Bytes of a text to search for: 400. */
	LIMIT_SEARCH_BYTES = 200,
	LIMIT_ROTATION_BODY_BYTES = 100 * 1024, /* an order of 100 long IDs, all escaped */
	/* A body with settings of an app: 64 KiB, with each byte escaped. */
	LIMIT_SETTINGS_BODY_BYTES = 512 * 1024,
	/* Previews and calls of handlers of an account: 429. */
	LIMIT_PREVIEW_RATE_PER_S = 5,
	LIMIT_PREVIEW_RATE_BURST = 40,
	/* Time for which an approval waits for the verdict about its version, and tasks of a worker
	 * that wait for one: 409 beyond either. An account may have half of what is free. */
	LIMIT_VERSION_WAIT_MS = 10 * 1000,
	LIMIT_VERSION_WAITS = 256,
	/* Archives of scripts that a worker unpacks at once: 503. */
	LIMIT_SCRIPT_ARCHIVES = 4,
	/* Rate limits of a session and of an address without one: 429. */
	LIMIT_SESSION_RATE_PER_S = 50,
	LIMIT_SESSION_RATE_BURST = 200,
	LIMIT_VISITOR_RATE_PER_S = 20,
	LIMIT_VISITOR_RATE_BURST = 200,
	/* Failed attempts to sign in or to reauthenticate: buckets of so many for each address, for
	 * each IPv6 network of 64 bits, for each IPv6 network of 48 or IPv4 network of 24 bits, and
	 * for each account at an address; with the seconds in which one more grows, or how many
	 * grow in a second: 429. A known browser has a bucket of its own instead, until that is
	 * empty, or until all known browsers together have failed too often at this account. Beyond
	 * LIMIT_ATTEMPTS_OF_ACCOUNT at one account from anywhere, attempts of unknown browsers wait
	 * for their turn, at most LIMIT_ATTEMPT_WAIT_MS. */
	LIMIT_ATTEMPTS_OF_ADDRESS = 30,
	LIMIT_ATTEMPTS_OF_ADDRESS_S = 2,
	LIMIT_ATTEMPTS_OF_SUBSCRIBER = 60,
	LIMIT_ATTEMPTS_OF_SUBSCRIBER_S = 1,
	LIMIT_ATTEMPTS_OF_NETWORK = 120,
	LIMIT_ATTEMPTS_OF_NETWORK_PER_S = 2,
	LIMIT_ATTEMPTS_AT_ADDRESS = 10,
	LIMIT_ATTEMPTS_AT_ADDRESS_S = 10,
	LIMIT_ATTEMPTS_OF_BROWSER = 10,
	LIMIT_ATTEMPTS_OF_BROWSER_S = 10,
	LIMIT_ATTEMPTS_OF_KNOWN = 20,
	LIMIT_ATTEMPTS_OF_KNOWN_S = 10,
	LIMIT_ATTEMPTS_OF_ACCOUNT = 20,
	LIMIT_ATTEMPTS_OF_ACCOUNT_S = 2,
	LIMIT_ATTEMPT_WAIT_MS = 3000,
	/* Accounts that an address, or an IPv6 network of 64 bits, may make if registration is
	 * open, and all of an IPv6 network of 48 or IPv4 network of 24 bits; with the seconds in
	 * which one more is allowed: 429. */
	LIMIT_REGISTRATIONS_OF_ADDRESS = 20,
	LIMIT_REGISTRATIONS_OF_ADDRESS_S = 600,
	LIMIT_REGISTRATIONS_OF_NETWORK = 100,
	LIMIT_REGISTRATIONS_OF_NETWORK_S = 120,

	/* Rate limits of one key and of pushes to one device: 429. Defaults, see --rate-limit. */
	LIMIT_RATE_PER_S = 500,
	LIMIT_RATE_BURST = 1000,
	LIMIT_PUSH_RATE_PER_S = 10,
	LIMIT_PUSH_RATE_BURST = 40,
	/* Invalid keys from an address. Beyond it no key from there is looked up: 429, and 404 for
	 * a panel's key. Off if rate limits are off. */
	LIMIT_FAILED_ATTEMPTS_PER_S = 10,
	LIMIT_FAILED_ATTEMPTS_BURST = 100,
	/* Unknown former addresses of devices, from an address and from a network: a panel whose
	 * former address has ended asks every 6 s. */
	LIMIT_ALIAS_ATTEMPTS_PER_S = 2,
	LIMIT_ALIAS_ATTEMPTS_BURST = 60,
	LIMIT_ALIAS_NETWORK_ATTEMPTS_PER_S = 10,
	LIMIT_ALIAS_NETWORK_ATTEMPTS_BURST = 300,
};
