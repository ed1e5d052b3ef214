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
	/* A line of an export, which may have 8 MiB, of which each byte is escaped, and more. */
	LIMIT_LINES_BODY_BYTES = 16 * 1024 * 1024 + 4096,
	LIMIT_APP_BODY_BYTES = 12 * 1024 * 1024, /* an app of 8 MiB, of the operator alone */
	/* All bodies that a worker holds at a time: 503. A caller may hold as much as is free. */
	LIMIT_BODIES_BYTES = 128 * 1024 * 1024,
	/* A body that is left unread after an answer is read and dropped up to this size, so that
	 * the connection can be kept; beyond it the connection ends. */
	LIMIT_DISCARDED_BODY_BYTES = 256 * 1024,
	/* Too slow: 408 where a request has begun, and the connection ends. */
	LIMIT_HEAD_MS = 10 * 1000,
	/* A body that falls behind the pace by so much: likewise. */
	LIMIT_BODY_MS = 10 * 1000,
	LIMIT_BODY_BYTES_PER_S = 16 * 1024,
	/* After that a request has come as a whole, or was refused. */
	LIMIT_REQUEST_MS =
	    LIMIT_HEAD_MS + LIMIT_BODY_MS + LIMIT_UPLOAD_BODY_BYTES / LIMIT_BODY_BYTES_PER_S * 1000,
	LIMIT_IDLE_MS = 75 * 1000,
	/* A client that takes longer for its part of a handshake of TLS, and one that needs more
	 * turns than that to bring it: the connection is closed. */
	LIMIT_HANDSHAKE_MS = 10 * 1000,
	LIMIT_HANDSHAKE_TURNS = 64,
	/* A reader that takes nothing of its answer for so long is cut off. The kernel lets us see
	 * that it has taken something in steps of half of LIMIT_AHEAD_BYTES. */
	LIMIT_WRITE_STALL_MS = 20 * 1000,
	/* The kernel takes at most so much ahead of what it can send to a client now. Where more
	 * than so much in all waits for the clients of a worker, answers and messages, the one for
	 * which most waits is cut off. */
	LIMIT_AHEAD_BYTES = 64 * 1024,
	LIMIT_PENDING_BYTES = 64 * 1024 * 1024,
	/* A streamed answer: where so much waits, its source pauses; where more than so much would
	 * wait, its reader is cut off. */
	LIMIT_STREAM_FULL_BYTES = 64 * 1024,
	LIMIT_STREAM_PENDING_BYTES = 2 * 1024 * 1024,
	/* After an answer that ends a connection, what the client still sends is read and dropped
	 * for so long and so much, so that it sees the answer instead of a reset, even where it
	 * reads only after it has sent an upload that is somewhat too large. */
	LIMIT_LINGER_MS = 2 * 1000,
	/* Time to linger if the server drains and the client has sent its whole request: a request
	 * that the client sent without waiting is already on its way. */
	LIMIT_DRAIN_LINGER_MS = 200,
	LIMIT_LINGER_BYTES = 2 * LIMIT_UPLOAD_BODY_BYTES,
	/* Empty lines before a request line. More: 400. */
	LIMIT_BLANK_LINES = 4,
	/* Connections a worker: further ones wait in the listening socket's queue. An address may
	 * hold three times as many as are free: others of it are closed at once. */
	LIMIT_CONNECTIONS = 16 * 1024,
	/* The same through the listeners of metrics, and through the private socket of displayctl,
	 * whoever fills the others. */
	LIMIT_ADMIN_CONNECTIONS = 64,
	LIMIT_OPERATOR_CONNECTIONS = 64,

	/* Texts that the loop reads and writes itself: larger ones, bodies and answers, are worked
	 * on by worker threads, since each byte may take ten nanoseconds. */
	LIMIT_LOOP_TEXT_BYTES = 64 * 1024,

	/* JSON bodies: 400. */
	LIMIT_JSON_DEPTH = 32,
	LIMIT_JSON_NUMBER = 128, /* characters: to round by hundreds of digits takes its time */
	LIMIT_JSON_VALUES = 10 * 1000, /* and names: looking for repeated ones takes its time */
	/* Values in the output of an app's renderer, which has at most 1 MiB. */
	LIMIT_JSON_LONG_VALUES = 200 * 1000,
	LIMIT_SCRIPT_BYTES = 1000 * 1000,
	/* A body's faults that one answer lists. */
	LIMIT_FAULTS = 64,

	/* Statements that wait for the database in a worker: 503. */
	LIMIT_DB_QUEUE = 4096,
	/* Writes that wait in a worker for locked rows, of one account and of all, and how long:
	 * 503. */
	LIMIT_BLOCKED_OF_ACCOUNT = 128,
	LIMIT_BLOCKED = 1024,
	LIMIT_BLOCKED_MS = 5 * 1000,
	/* Elements of a list that are read with other callers' reads; a longer list is read over a
	 * connection of its own. */
	LIMIT_LIST_SHORT = 100,
	/* Elements of a part of a list, ?limit=: 400. */
	LIMIT_LIST_PART = 1000,
	/* Bytes of such a part, which is written in one piece: it ends with the element that
	 * reaches them. */
	LIMIT_LIST_PART_BYTES = 512 * 1024,
	/* Long lists that wait in a worker for a connection, of one account and of all: 503. As
	 * many searches, and other reads whose work grows with what others have made. */
	LIMIT_LISTS_OF_ACCOUNT = 16,
	LIMIT_LISTS = 256,
	/* Longest wait of a long list: 503. Longest time of a slow reader before it is cut off:
	 * LIMIT_LIST_TURN_MS if another list waits for its place, else LIMIT_LIST_MS. */
	LIMIT_LIST_WAIT_MS = 20 * 1000,
	LIMIT_LIST_TURN_MS = 10 * 1000,
	LIMIT_LIST_MS = 60 * 1000,
	/* Statement of the operator that has a connection of its own: 503. */
	LIMIT_APART_MS = 600 * 1000,
	/* Hints that wait to be sent: further ones are dropped, the generation decides. */
	LIMIT_HINT_BYTES = 64 * 1024,
	LIMIT_HINT_WORD_BYTES = 2000,
	/* Jobs that wait for a worker thread: 503, as for those of an account or a network that has
	 * as many as it leaves to others (one alone: half), and where a job would wait for longer
	 * than that. */
	LIMIT_SHORT_JOBS = 512,
	LIMIT_LONG_JOBS = 64,
	LIMIT_PASSWORD_JOBS = 64, /* of each of two lanes; one holds 19 MiB while it runs */
	/* TLS handshakes: if there is no place, or the network of a new handshake has its share,
	 * the oldest handshake of the network with the most is closed. */
	LIMIT_HANDSHAKE_JOBS = 4096,
	LIMIT_LANE_WAIT_MS = 5 * 1000,
	/* Memory of a worker's images from their base64 to the answer, those that wait included:
	 * 503. An account may hold as much as is free. */
	LIMIT_IMAGES_BYTES = 128 * 1024 * 1024,
	/* Memory of a worker's stills that were just pushed: the oldest go. */
	LIMIT_STILLS_BYTES = 4 * 1024 * 1024,
	LIMIT_ACCOUNT_STILLS_BYTES = 1024 * 1024,

	/* Memory of a worker's answers to reads that are kept: the oldest go, of an account that
	 * has its share. */
	LIMIT_READS_BYTES = 64 * 1024 * 1024,

	/* Apps that wait in a worker to be rendered, as previews and for panels: 503, as for those
	 * of an account that has as many as it leaves to others. */
	LIMIT_PREVIEWS = 32,
	LIMIT_RENDERS = 256,
	/* Memory of a worker for large forms, answers and code of apps that people look at: 503
	 * once it is used up, and for an account that holds as much as is free. */
	LIMIT_APP_TEXTS_BYTES = 128 * 1024 * 1024,
	/* Imports of other servers' exports that a worker has under way: 503. An account has one.
	 */
	LIMIT_IMPORTS = 2,
	/* Accounts that the operator imports: how many are under way, 503; how long one stays that
	 * nobody goes on with, 404; and what one may have, 413. */
	LIMIT_ACCOUNT_IMPORTS = 4,
	LIMIT_ACCOUNT_IMPORT_S = 600,
	LIMIT_ACCOUNT_IMPORT_LINES = 200 * 1000,
	LIMIT_ACCOUNT_IMPORT_MIB = 4096,
	/* Processes that a worker has for it, those that are ending included. One that had nothing
	 * to do for so long ends. */
	LIMIT_RENDERERS_OF_WORKER = 128,
	/* Renderers of a worker whose scripts wait for the network, beside those that compute; an
	 * account has as many as it leaves to others. Further ones keep their turns. */
	LIMIT_PARKED_RENDERS = 16,
	LIMIT_RENDERER_IDLE_MS = 60 * 1000,
	/* The egress, which keeps answers for apps, lives longer. */
	LIMIT_EGRESS_IDLE_MS = 3600 * 1000,

	/* Lines of a process that the reader of its log has not taken: further ones are counted. At
	 * its end a process waits so long for that reader. */
	LIMIT_LOG_BYTES = 64 * 1024,
	LIMIT_LOG_END_MS = 500,

	/* WebSockets: the server pings; it drops a peer that is silent for so long, that sends more
	 * frames, or for which more than so much waits. */
	LIMIT_PING_MS = 30 * 1000,
	LIMIT_SILENCE_MS = 60 * 1000,
	LIMIT_WEBSOCKET_FRAMES_PER_MINUTE = 6000, /* of any kind */
	LIMIT_WEBSOCKET_PENDING_BYTES = 1024 * 1024,
	/* Panels. */
	LIMIT_PANEL_TEXT_BYTES = 4 * 1024, /* a longer message ends the connection */
	/* Devices that a worker keeps in memory: one of the account that has most makes room. The
	 * memory of their pictures, of temporary images too: where an account has as much of it as
	 * it leaves free, its pictures are fetched each time they are sent. */
	LIMIT_PANELS = 50 * 1000,
	/* Places that wait for a worker to render them. Further ones are demanded again. */
	LIMIT_RENDER_WANTS = 20000,
	LIMIT_PICTURE_MEMORY = 256 * 1024 * 1024,
	/* Devices that the open pages of a worker watch, of which an account may have as many as it
	 * leaves free: 503. Watched devices of all pages of which a worker is to tell what they
	 * show: further ones are told of later. */
	LIMIT_VIEWS = 16 * 1024,
	LIMIT_LEASES = 32 * 1024,
	/* Frames of a device's links in all workers: links that send more are dropped. A panel
	 * whose link was dropped for its frames has some left to go on with the next one. */
	LIMIT_PANEL_FRAMES_PER_S = LIMIT_WEBSOCKET_FRAMES_PER_MINUTE / 60,
	LIMIT_PANEL_FRAMES_BURST = LIMIT_WEBSOCKET_FRAMES_PER_MINUTE + 256,
	/* Links of one device in a worker: the oldest one is dropped. */
	LIMIT_PANEL_LINKS = 4,
	LIMIT_DEVICES_OF_ACCOUNT = 1000,  /* that its pages add; 409 */
	LIMIT_KEY_DEVICES = 100,	  /* that an API key may be for, if not for all; 400 */
	LIMIT_PUSH_DEVICES = 100,	  /* that one push names; 400 */
	LIMIT_PUSH_ALL_DEVICES = 1000,	  /* of an account that pushes to all of them; 409 */
	LIMIT_DEVICE_INSTALLATIONS = 100, /* 400 */
	LIMIT_INSTALLATION_ID = 64,	  /* code points; 400 */

	/* Sessions of the pages: 401 after so long without a request, and after so long in all. Of
	 * an account's, the one that was not used for longest ends where there would be more. */
	LIMIT_SESSION_IDLE_S = 12 * 3600,
	LIMIT_SESSION_S = 30 * 24 * 3600,
	LIMIT_SESSIONS = 50,
	/* A browser counts as known for so long after the last sign-in. New ones of an account: a
	 * bucket of so many, and the seconds in which one more grows. Beyond it browsers sign in,
	 * and are not known. */
	LIMIT_KNOWN_BROWSER_S = 180 * 24 * 3600,
	LIMIT_NEW_BROWSERS = 20,
	LIMIT_NEW_BROWSERS_S = 6 * 3600,
	/* Challenges of passkeys: 400 or 401 after so long. */
	LIMIT_CHALLENGE_S = 5 * 60,
	/* Lifetime of one-time links: 404 after so long. */
	LIMIT_LINK_S = 7 * 24 * 3600,
	/* Streams of events in a worker, of one account and of all: 503. */
	LIMIT_PAGE_STREAMS_OF_ACCOUNT = 64,
	LIMIT_PAGE_STREAMS = 4096,
	/* Connections to MQTT brokers of an instance, a thread each in the bridge
	 * (subprojects/mqtt/src/bridge.h); further ones wait for another instance. */
	LIMIT_MQTT_CONNECTIONS = 40,
	/* Streams of events by API key (GET /v1/events): of a key in all workers of an instance,
	 * 429; in a worker, of one account and of all, 503. */
	LIMIT_EVENT_STREAMS_OF_KEY = 8,
	LIMIT_EVENT_STREAMS_OF_ACCOUNT = 64,
	LIMIT_EVENT_STREAMS = 1024,
	LIMIT_EVENT_DEVICES = 100,	/* that a stream names; 400 */
	LIMIT_EVENT_ALL_DEVICES = 1000, /* of an account whose stream names none; 409 */
	/* Events that a worker keeps for Last-Event-ID, in time and bytes: clients that ask for
	 * what is no longer there get the event "reset". Of all accounts the one with most gives
	 * way. */
	LIMIT_EVENTS_MS = 10 * 60 * 1000,
	LIMIT_EVENTS_OF_ACCOUNT_BYTES = 2 * 1024 * 1024,
	LIMIT_EVENTS_BYTES = 32 * 1024 * 1024,
	/* Accounts for which it does: 503, or "reset" for streams of other workers. */
	LIMIT_EVENT_ACCOUNTS = 1024,
	/* Bodies of the pages: 413. */
	LIMIT_PAGE_BODY_BYTES = 16 * 1024,
	/* Apps that an account makes, as the trigger app_counted() has it: 409. */
	LIMIT_ACCOUNT_APPS = 5000,
	/* Bytes of a text that the catalogue is searched for: 400. */
	LIMIT_SEARCH_BYTES = 200,
	LIMIT_ROTATION_BODY_BYTES = 100 * 1024, /* an order of 100 long IDs, all escaped */
	/* A body with settings of an app, all escaped; they have 64 KiB. */
	LIMIT_SETTINGS_BODY_BYTES = 512 * 1024,
	/* Previews and questions to handlers of an account: 429. */
	LIMIT_PREVIEW_RATE_PER_S = 5,
	LIMIT_PREVIEW_RATE_BURST = 40,
	/* Rate limits of a session and of an address that asks without one: 429. */
	LIMIT_SESSION_RATE_PER_S = 50,
	LIMIT_SESSION_RATE_BURST = 200,
	LIMIT_VISITOR_RATE_PER_S = 20,
	LIMIT_VISITOR_RATE_BURST = 200,
	/* Failed attempts to prove who one is: a bucket of so many for each address, for each
	 * IPv6 network of 64 bits, for each one of 48 bits or IPv4 network of 24, and for each
	 * account at an address, and the seconds in which one more grows: 429. A browser with which
	 * somebody has signed in before has a bucket of its own instead, as long as that has any,
	 * and as long as all such browsers together have not failed too often at this account.
	 * Beyond so many in an account from anywhere, each stranger waits for his turn, but no
	 * longer than that. */
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

	/* Rate limits of one key and of pushes to one device: 429. Defaults, see --rate-limit. */
	LIMIT_RATE_PER_S = 500,
	LIMIT_RATE_BURST = 1000,
	LIMIT_PUSH_RATE_PER_S = 10,
	LIMIT_PUSH_RATE_BURST = 40,
	/* Keys of an address that open nothing. Beyond it no key from there is looked up:
	 * 429, and 404 for a panel's. Off with the others. */
	LIMIT_GUESSES_PER_S = 10,
	LIMIT_GUESSES_BURST = 100,
	/* Wrong former addresses of devices: a panel whose own one has ended asks every 6 s. */
	LIMIT_ALIAS_GUESSES_PER_S = 2,
	LIMIT_ALIAS_GUESSES_BURST = 60,
	LIMIT_ALIAS_NETWORK_GUESSES_PER_S = 10,
	LIMIT_ALIAS_NETWORK_GUESSES_BURST = 300,
};
