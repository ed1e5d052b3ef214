/* Sends events to webhooks.
 *
 *   change of a device, failed render --trigger--> webhook_event --.
 *   panel comes or goes --webhook_online, every 5 s--------'       |
 *   webhook_lease: a webhook that is due, and its next message <---'
 *     `--> signed, POST by the egress --> webhook_sent: delivered, or when to try again
 *
 * The database decides what is due, how often, and who sends: any worker of any instance may end at
 * any time, and the message comes again with the same ID. So a receiver may get an event twice, and
 * never one of a device after a later one.
 *
 * Hints tell the workers of events that wait ("webhook:due"). Without them a worker looks every 2
 * s, and twice a minute where nobody has a webhook. */
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
	const struct settings_key *key; /* of the secrets */
	bool is_first; /* of the workers: tells of the whole instance in the metrics */
};

/* All in the settings must outlive it. */
struct hooks *hooks_create(const struct hooks_settings *settings);
/* Takes no further webhook. Messages under way end with the outbound requests. */
void hooks_drain(struct hooks *hooks);
/* Whether statements or messages are under way. After engines_drain() that ends soon. */
bool hooks_are_at_work(const struct hooks *hooks);
/* After engines_drain(), when the loop has run out, and before db_destroy(). */
void hooks_destroy(struct hooks *hooks);

/* A webhook was made or changed, and this was answered: all workers look at once. */
void hooks_changed(struct hooks *hooks);

/* Message to one webhook. Embed it, zeroed. */
struct hook_post {
	struct outbound_request request;
	struct outbound_header headers[5];
	char id[ID_TEXT_LENGTH + 1];
	char timestamp[24];
	char signature[WEBHOOK_SIGNATURE_LENGTH + 1];
};

struct hook_target {
	struct id webhook_id, account_id;
	struct str url, encrypted_secret;
	bool reaches_local;
};

/* Signs and sends a message. All of the target and the body stay until done(). False: the secret
 * was encrypted with another key, and nothing is sent. */
__attribute__((warn_unused_result)) bool
hook_post_send(struct hook_post *post, struct hooks *hooks, const struct hook_target *target,
	       struct id message_id, int64_t wall_us, struct str body, struct arena *arena,
	       void (*done)(struct outbound_request *request));
/* Whether the answer was one of success. */
bool hook_post_is_delivered(const struct hook_post *post);
