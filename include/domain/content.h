/* Content of a device, as a worker keeps it in memory: settings, the installations of its rotation,
 * and the newest push that was not in the background. */
#pragma once

#include "domain/display.h"
#include "domain/schedule.h"

#include <stdint.h>
#include <text/str.h>

/* Longest turn of an animation that is shown to its end: because its app says so, or its owner; the
 * SQL function whole_turn_s() has the same numbers. The animation itself may be longer: frames and
 * bytes limit what it costs. Its limit is the longest dwell time in the device's protocol. */
enum { CONTENT_WHOLE_MAX_S = 60, CONTENT_PLAYED_MAX_S = 120, CONTENT_ANIMATION_MAX_S = 3600 };

/* Bytes of a WebP. Owned by the owner of the content. */
struct picture {
	struct str data;  /* NULL while it is not in memory */
	uint32_t loop_ms; /* duration of one loop of an animation; 0: a still image */
};

struct content_installation {
	struct str id;
	int64_t position; /* creation number: unique, removed entries included */
	/* The device's, when this picture was stored; for an app's picture, that of its render. */
	int64_t picture_generation;
	struct picture picture;
	bool is_empty;	    /* an app without a picture, or with nothing to show: it is skipped */
	bool is_whole;	    /* show its animation to the end */
	bool may_be_early;  /* its picture may begin before its turn: that of an app, unless it is
			       made for one turn */
	int64_t expires_us; /* wall clock; 0: it stays */
	/* Settings of the owner: */
	bool is_disabled;	  /* it has no turns */
	int32_t display_s;	  /* length of each turn; 0: the schedule interval */
	struct schedule schedule; /* when it has turns */
	bool plays_whole;	  /* show its animation to the end */
	bool pins_itself;	  /* no others have turns while it has one */
	uint8_t color_filter;	  /* enum color_filter, or COLOR_FILTER_INHERIT */
};

/* Generations of pushes to a leader have its tag from this bit on: a follower has pushes of its
 * own, whose generations have no tag. */
enum { CONTENT_TAG_SHIFT = 46, CONTENT_TAG_MAX = 0xffff };
#define CONTENT_GENERATION_MAX ((INT64_C(1) << CONTENT_TAG_SHIFT) - 1)

struct content_push {
	int64_t generation; /* 0: no push */
	bool is_installation;
	bool is_held;		       /* it stays until it is removed or replaced */
	bool is_waking;		       /* it is shown although the panel sleeps */
	int32_t duration_s;	       /* if held: duration of each of its turns */
	int64_t installation_position; /* creation number of an installation that was pushed */
	struct picture picture;	       /* picture of a temporary image */
	int64_t created_us;	       /* wall clock */
	int64_t displayed_us;	       /* wall clock; 0: not yet */
};

/* Turn of the device that this one follows; all zero: it follows none, or nothing is known. */
struct content_lead {
	int64_t position; /* creation number of the entry that is shown there; 0: none */
	int64_t since_us; /* wall clock: when its turn began; also tells turns apart */
	int64_t until_us; /* wall clock; 0: it stays */
};

struct content {
	struct display_settings settings;
	/* Sorted by the rotation: by position, until it is reordered. */
	struct content_installation *installations;
	unsigned installation_count;
	bool has_ends;		  /* at least one installation expires */
	int64_t known_until_us;	  /* wall clock: recurrences are read again; 0: none */
	int16_t night_brightness; /* percent; 0: dark */
	int64_t pinned_position;  /* creation number; 0: none; -1: an entry without a picture */
	int64_t turn_count;	  /* how often the device was told to turn on */
	int64_t turned_us;	  /* wall clock, of the last one; 0: never */
	int64_t night_position;	  /* entry for the sleep window; values as pinned_position */
	struct content_push push;
	uint16_t tag; /* of the device that is followed, whose installations these are; 0: none */
	struct content_lead lead;
};

/* Whether the installation has expired by that time. An expired one is not shown, and the database
 * removes it later. */
bool content_is_expired(const struct content_installation *installation, int64_t wall_us);

/* Returns the installation after the one with this creation number; after the last one the first.
 * If the installation is gone, the next one that came after it. -1: the first. Returns NULL if
 * there are no installations. */
struct content_installation *content_next(const struct content *content, int64_t after_position);

/* Returns the installation with this creation number, or NULL. */
struct content_installation *content_at(const struct content *content, int64_t position);

/* Returns the time for which the installation is shown in its turn, if its picture's animation has
 * that length. interval_s: of turns without a length of their own. */
int64_t content_stay_s(const struct content_installation *installation, int32_t interval_s,
		       uint32_t loop_ms);

/* Returns the limit of an animation that is rendered for this time: an entry has more than
 * CONTENT_WHOLE_MAX_S only if it is shown to its end. */
int64_t content_animation_max_s(int64_t duration_s);

/* Whether panels shall still show the push. Its duration begins when a panel displays it. A push
 * that no panel displayed lapses after max(60 s, 2 x schedule interval, its duration). A held push
 * stays. */
bool content_push_is_due(const struct content *content, int64_t wall_us);

/* Returns the remaining seconds of a push that is due, at least 1: another connection may have
 * shown it for a part of its time. */
int64_t content_push_rest_s(const struct content *content, int64_t wall_us);

/* Whether the push has a picture at that time: its installation is not gone, expired or empty. */
bool content_push_has_picture(const struct content *content, int64_t wall_us);

/* Whether a push of this generation was stored after the other one, or to another device. */
static inline bool content_push_is_after(int64_t generation, int64_t other)
{
	return generation > other || generation >> CONTENT_TAG_SHIFT != other >> CONTENT_TAG_SHIFT;
}

/* Returns the time at which the push ends if nothing displays it before; INT64_MAX: never. */
int64_t content_push_end_us(const struct content *content);

/* Returns the picture of the push; NULL if its installation is gone or empty. */
struct picture *content_push_picture(const struct content *content);
