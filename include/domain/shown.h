/* Determines the picture that a panel shows, and the next one, as far as playback or the answers to
 * its polls know. Pure. */
#pragma once

#include "domain/playback.h"
#include "domain/poll.h"

/* Connection of a panel. */
enum shown_connection { SHOWN_OFFLINE, SHOWN_WEB_SOCKET, SHOWN_POLLING };

enum shown_kind {
	SHOWN_UNKNOWN,
	SHOWN_ROTATION,
	SHOWN_PUSH,	 /* push to an entry, shown at once */
	SHOWN_TEMPORARY, /* temporary image */
	SHOWN_NOTHING,	 /* the built-in picture */
	SHOWN_ASLEEP,	 /* dark in the sleep window, or because sleep was set */
	SHOWN_DARK,	 /* dark because the brightness is 0 */
	SHOWN_NIGHT,	 /* the night entry */
	SHOWN_PINNED,	 /* the pinned entry */
	SHOWN_KINDS
};

/* Name of the kind in answers: "rotation". Static text. */
struct str shown_kind_name(enum shown_kind kind);

struct shown {
	enum shown_connection connection;
	bool is_acknowledged; /* the panel has confirmed it; else it was only sent */
	enum shown_kind kind;
	enum shown_kind next_kind;  /* SHOWN_UNKNOWN: nothing else comes, or it is not known */
	struct playback_item item;  /* kind PLAYBACK_NOTHING: no picture */
	struct playback_item next;  /* kind PLAYBACK_NOTHING: no picture */
	int brightness;		    /* percent, as the panel was told */
	int64_t since_ms, until_ms; /* monotonic; until_ms 0: not known */
};

/* Picture shown by a panel with a WebSocket. */
struct shown shown_of_playback(const struct playback *playback, const struct content *content,
			       struct playback_clock clock);
/* Picture that a polling panel was served. */
struct shown_poll {
	struct playback_item item;
	int64_t at_ms; /* monotonic */
	int64_t at_us; /* wall clock */
	int64_t dwell_s;
};

/* Picture shown by a panel that polls; cursor: its state after that poll. */
struct shown shown_of_poll(const struct shown_poll *poll, const struct poll_cursor *cursor,
			   const struct content *content, struct playback_clock clock);

/* Whether both look the same on a page. A picture that is repeated turn after turn is the same. */
bool shown_is_same(const struct shown *a, const struct shown *b);
