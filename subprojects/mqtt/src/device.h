/* A device as the API shows it, and its names on the broker. */
#pragma once

#include "topic.h"

#include <sandboxed/bytes.h>
#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

enum {
	LABEL_BYTES = 400,
	ROTATION_ENTRIES_MAX = 100,
	DEVICE_TEXT_MAX = 255, /* characters: Home Assistant's limit of a state */
};

/* A published topic below that of the device. */
struct published {
	struct published *next;
	uint64_t hash; /* hash of the published value */
	bool is_wanted;
	char topic[]; /* the full topic */
};

struct device {
	struct device *next;
	char id[TOPIC_ID_BYTES];
	yyjson_doc *about;    /* GET /web/devices/{id}; NULL: not known yet */
	yyjson_doc *rotation; /* GET .../rotation; NULL: not known yet */
	yyjson_doc *firmware; /* GET .../firmware; NULL: not known yet */
	yyjson_doc *shown;    /* data of the newest event "shown" */
	/* The device whose rotation its panel shows, while it is published; NULL: its own, or that
	 * of a device that is not known. */
	const struct device *leader;
	struct bytes text; /* text of the last message; empty after its end */
	bool is_online;
	char last_seen[40];
	bool is_listed;	  /* the list that is being read has it */
	bool awaits_list; /* an event named it after the last list was requested */
	bool is_leftover; /* the broker has topics of it, and it was in no list yet */
	bool needs_about, needs_rotation, needs_firmware, needs_publishing, needs_picture;
	int64_t firmware_until_ms; /* then the firmware is read again: administrators add images */
	int64_t picture_from_ms;   /* the picture is not fetched before this time */
	struct published *published;
};

/* Returns NULL if there is no memory. */
struct device *device_create(const char *id) __attribute__((malloc, warn_unused_result));
void device_destroy(struct device *device);

/* Notes whether all of it is to be read from the API. */
void device_need_all(struct device *device, bool needs_all);
/* Whether its firmware is being updated, as far as known. */
bool device_is_updating(const struct device *device);

/* Returns the member of a document's root; NULL: there is none. */
yyjson_val *device_member(const yyjson_doc *doc, const char *name);
/* Returns a text member of it, or otherwise. */
const char *device_text(const yyjson_doc *doc, const char *name, const char *otherwise);

unsigned device_entry_count(const struct device *device);
yyjson_val *device_entry(const struct device *device, unsigned index);
/* Returns why the app of the entry fails; NULL: it does not. */
const char *device_entry_problem(const struct device *device, unsigned index);
/* Writes a name for the entry that is unique on the device; index must be in range. */
void device_label(const struct device *device, unsigned index, char ret_label[static LABEL_BYTES]);
/* The option of the list of pinned entries that means none. */
extern const char device_no_pin[];
/* Index of the entry with this label, or -1. */
int device_find_label(const struct device *device, const char *label);
/* Writes the name of the entry with this ID to ret_label and returns it; NULL: there is none. */
const char *device_label_of(const struct device *device, const char *entry_id,
			    char ret_label[static LABEL_BYTES]);

/* Copies the text of a message, at most DEVICE_TEXT_MAX characters. */
void device_set_text(struct device *device, const struct bytes *text);

/* Returns the ID of the device that it follows; NULL: none. */
const char *device_leader_id(const struct device *device);
/* Writes what is pinned on its panel, one of the options of its list, to ret_label. Returns false
 * if that is an entry of its leader, or not known. */
bool device_pinned(const struct device *device, char ret_label[static LABEL_BYTES]);

/* Whether the panel is on, as far as known. */
bool device_is_awake(const struct device *device);
/* Brightness that is set, percent. */
int device_brightness(const struct device *device);
/* Brightness of the panel, percent; the one that is set while the panel is dark or offline. */
int device_shown_brightness(const struct device *device);
