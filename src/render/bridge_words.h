/* Messages between a worker and the bridge to MQTT: lines of JSON, see
 * subprojects/mqtt/src/bridge.h. */
#pragma once

#include "base/buffer.h"
#include "base/id.h"
#include "domain/mqtt.h"

enum { BRIDGE_ERROR_BYTES = 300, BRIDGE_COUNTS_MAX = 3 };

enum bridge_kind { BRIDGE_HELLO, BRIDGE_STATE, BRIDGE_NEEDS, BRIDGE_GONE, BRIDGE_COUNTS };

struct bridge_word {
	enum bridge_kind kind;
	struct id account;		    /* for STATE, NEEDS, GONE */
	char error[BRIDGE_ERROR_BYTES];	    /* for STATE; empty: connected */
	char library[64], layers[200];	    /* for HELLO */
	uint64_t counts[BRIDGE_COUNTS_MAX]; /* for COUNTS: in, out, dropped */
};

/* Reads a line. Returns false if it is invalid. */
__attribute__((warn_unused_result)) bool bridge_read(struct str line, struct bridge_word *ret_word);

struct bridge_opening {
	struct id account;
	struct mqtt_broker broker;
	struct str username, password; /* empty: none */
	bool reaches_all;
	unsigned lacks; /* of enum reach_lack (text/reach.h) */
};

/* Append a line. */
void bridge_write_open(struct buffer *to, const struct bridge_opening *opening);
void bridge_write_close(struct buffer *to, struct id account, bool must_forget);
void bridge_write_socket(struct buffer *to, struct id account);
