/* Sends events to webhooks.
 *
 *   change of a device, failed render --trigger--> webhook_event --.
 *   panel online or offline --webhook_online, every 5 s----'       |
 *   webhook_lease: a webhook that is due, and its next message <---'
 *     `--> signed, POST by the egress --> webhook_sent: delivered, or when to try again
 *
 * The database decides which webhook is due, how often, and which worker sends. If a worker dies,
 * another one sends the message with the same ID. So a receiver may get an event twice, but never
 * events of a device out of order.
 *
 * Hints notify workers of waiting events ("webhook:due"). Without hints a worker looks every 2 s,
 * and twice a minute if there is no webhook. */
#pragma once

#include "domain/webhook.h"
#include "render/outbound.h"

struct db;
struct loop;
struct hooks;

struct hooks_settings {
	struct loop *loop;
	struct db *db;
	struct outbound *outbound;
	const struct settings_key *key; /* key of the secrets */
	bool is_first;			/* first worker: sets the metrics of the whole instance */
};

/* Objects in the settings must outlive hooks. Free with hooks_destroy(). */
struct hooks *hooks_create(const struct hooks_settings *settings);
/* Leases no further webhook. Messages under way end with the outbound requests. */
void hooks_drain(struct hooks *hooks);
/* Whether statements or messages are under way. False soon after engines_drain(). */
bool hooks_are_at_work(const struct hooks *hooks);
/* Call it after engines_drain(), when the loop has ended, and before db_destroy(). */
void hooks_destroy(struct hooks *hooks);

/* Call it when the change of a webhook was answered: all workers look for due ones at once. */
void hooks_changed(struct hooks *hooks);

/* Message to one webhook. Embed it, zeroed. */
struct hook_post {
	struct outbound_request request;
	struct outbound_header headers[5];
	char id[ID_TEXT_LENGTH + 1];
	char timestamp[24];
	char signature[WEBHOOK_SIGNATURES_LENGTH + 1];
};

struct hook_target {
	struct id webhook_id, account_id;
	struct str url, encrypted_secret;
	struct str previous_secret; /* encrypted likewise; empty: none is valid */
	unsigned lacks; /* of enum reach_lack (text/reach.h), to reach local addresses */
};

/* Signs and sends a message. The target and the body must live until done(). Returns false, and
 * sends nothing, if the secret was encrypted with another key. */
__attribute__((warn_unused_result)) bool
hook_post_send(struct hook_post *post, struct hooks *hooks, const struct hook_target *target,
	       struct id message_id, int64_t wall_us, struct str body, struct arena *arena,
	       void (*done)(struct outbound_request *request));
/* Whether the answer means success. */
bool hook_post_is_delivered(const struct hook_post *post);
