/* Tens of thousands of WebSocket panels in one small process.
 *
 *   panels.c         the commands on standard input
 *   panels_fleet.c   the panels' process: which connect, ping or take a picture, and when
 *   panels_panel.c   one panel: handshake, frames, what the stock firmware answers
 *   panels_urls.c    the file of websocketUrls
 *
 * A panel is 64 bytes here and has no buffer of its own. What its process counts lies in memory
 * that it shares with the one that reads the commands. */
#pragma once

#include <text/str.h>

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdint.h>

enum { TEXT_MAX = 24, PING_MS = 10 * 1000 };

/* ---- panels_urls.c ---- */
struct urls {
	struct str *lines; /* lines of the file, which stays mapped */
	unsigned count;
	struct sockaddr_in server;
};

/* Reads the file. The URLs are of one server, ws://ADDRESS:PORT. Ends the process on any error. */
void urls_read(struct urls *urls, const char *path);

/* Return the host with port, and the path with query. */
struct str url_host(struct str url);
struct str url_target(struct str url);

/* ---- what the processes share ---- */
/* When a panel received and displayed the awaited picture; 0: not yet. */
struct receipt {
	_Atomic uint64_t got_ns;
	_Atomic uint64_t displayed_ns; /* only if the picture is identified by its delay */
};

struct shared {
	_Atomic unsigned connected; /* number of panels connected now */
	_Atomic unsigned refused; /* number without a connection, or with another answer than 101 */
	_Atomic unsigned
	    dropped;		 /* number of connections ended by the server after the handshake */
	_Atomic unsigned faults; /* number of messages that a server must not send */
	_Atomic unsigned length; /* size of the awaited picture; or 0, and then */
	_Atomic unsigned delay_ms; /* its frames' delay, below 256 */
	_Atomic bool ends;
	_Atomic uint64_t since_ns; /* start of the current wait; 0: none */
	struct receipt receipts[]; /* one for each panel */
};

/* ---- panels_panel.c ---- */
enum panel_state {
	PANEL_AWAY,
	PANEL_CONNECTING,
	PANEL_SHAKING, /* waits for the handshake's answer */
	PANEL_OPEN,
};

struct panel {
	int fd;
	uint32_t due_ms;   /* of the fleet's clock: when the queued picture is taken */
	uint32_t ping_ms;  /* of the fleet's clock: its next ping */
	uint32_t left;	   /* bytes of the frame's payload still to receive */
	uint32_t length;   /* length of the frame's payload */
	uint32_t counter;  /* number of pictures, counted as in the firmware */
	uint16_t dwell_s;  /* dwell of the next picture */
	uint16_t queued_s; /* dwell of the queued one; 0: none is queued */
	uint8_t state;	   /* enum panel_state */
	uint8_t opcode;
	uint8_t header_length; /* received bytes of the frame's header */
	uint8_t matched;       /* matched bytes of the blank line after the handshake's answer */
	bool has_picture;
	uint8_t delay_ms; /* delay of the last picture's first frame, modulo 256; 0: a still */
	uint8_t header[4];
	char text[TEXT_MAX]; /* the first bytes of the payload */
};

struct fleet {
	unsigned rate; /* connections to open per second */
	const struct urls *urls;
	struct shared *shared;
	struct panel *panels; /* in the order of the URLs */
	unsigned shaking;     /* number of panels that connect or shake hands */
	int epoll;
	uint32_t now_ms;
	uint64_t start_ns;
	char input[64 * 1024];
};

/* Begins to connect. Returns false if no socket is available now. */
bool panel_connect(struct fleet *fleet, unsigned number);
/* Handles events of the panel's socket. */
void panel_on_event(struct fleet *fleet, struct panel *panel, uint32_t events);
/* Displays the queued picture, as at the end of a dwell. */
void panel_display(struct fleet *fleet, struct panel *panel);
void panel_ping(struct fleet *fleet, struct panel *panel);

/* ---- panels_fleet.c ---- */
/* Runs the panels until shared->ends. */
_Noreturn void fleet_run(unsigned rate, const struct urls *urls, struct shared *shared);
