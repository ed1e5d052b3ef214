/* A device as the API shows it, and what it is called on the broker. */
#pragma once

#include "topic.h"

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

enum { LABEL_BYTES = 400, ROTATION_ENTRIES_MAX = 100 };

/* A topic below the device's that was published. */
struct published {
	struct published *next;
	uint64_t hash; /* of what it has */
	bool is_wanted;
	char topic[]; /* whole */
};

struct device {
	struct device *next;
	char id[TOPIC_ID_BYTES];
	yyjson_doc *about;		  /* GET /web/devices/{id}; NULL: not known yet */
	yyjson_doc *rotation;		  /* GET .../rotation; likewise */
	yyjson_doc *shown;		  /* the newest event of this name */
	size_t about_cost, rotation_cost; /* memory of these, about */
	bool is_online;
	char last_seen[40];
	bool is_listed;	  /* by the list that is being read */
	bool is_leftover; /* the broker knows it, and no list has had it yet */
	bool needs_about, needs_rotation, needs_publishing, needs_picture;
	int64_t picture_from_ms; /* its picture is not asked for before */
	struct published *published;
};

struct device *device_create(const char *id) __attribute__((malloc, returns_nonnull));
void device_destroy(struct device *device);

/* The members of a document's root; NULL: it has none. */
yyjson_val *device_member(const yyjson_doc *doc, const char *name);
/* A text of it, or what stands for none. */
const char *device_text(const yyjson_doc *doc, const char *name, const char *otherwise);

unsigned device_entry_count(const struct device *device);
yyjson_val *device_entry(const struct device *device, unsigned index);
/* Name of an entry, which no other entry of the device has; index in range. */
void device_label(const struct device *device, unsigned index, char ret_label[static LABEL_BYTES]);
/* The option of the list of pinned entries that means none. */
extern const char device_no_pin[];
/* Index of the entry with this label, or -1. */
int device_find_label(const struct device *device, const char *label);
/* Name of an entry by its ID, or NULL: ret_label has it. */
const char *device_label_of(const struct device *device, const char *entry_id,
			    char ret_label[static LABEL_BYTES]);

/* Whether the panel is lit, as far as is known. */
bool device_is_awake(const struct device *device);
int device_brightness(const struct device *device);
