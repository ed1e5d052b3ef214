#include "state.h"

#include <stdio.h>
#include <text/reach.h>

/* Signs with the secret, and with the one before it while that is valid: Standard Webhooks
 * separates signatures by spaces. Returns false if the secret was encrypted with another key. */
static bool sign(struct hook_post *post, struct hooks *hooks, const struct hook_target *target,
		 int64_t wall_s, struct str body, struct arena *arena)
{
	char *previous = post->signature + WEBHOOK_SIGNATURE_LENGTH;

	if (!webhook_sign(hooks->settings.key, target->webhook_id, target->encrypted_secret,
			  str_from(post->id), wall_s, body, arena, post->signature))
		return false;
	if (target->previous_secret.length &&
	    webhook_sign(hooks->settings.key, target->webhook_id, target->previous_secret,
			 str_from(post->id), wall_s, body, arena, previous + 1))
		*previous = ' ';
	return true;
}

bool hook_post_send(struct hook_post *post, struct hooks *hooks, const struct hook_target *target,
		    struct id message_id, int64_t wall_us, struct str body, struct arena *arena,
		    void (*done)(struct outbound_request *request))
{
	int64_t wall_s = wall_us / (1000 * 1000);

	id_format(message_id, post->id);
	snprintf(post->timestamp, sizeof(post->timestamp), "%lld", (long long)wall_s);
	if (!sign(post, hooks, target, wall_s, body, arena))
		return false;
	post->headers[0] = (struct outbound_header){"content-type", STR("application/json")};
	post->headers[1] = (struct outbound_header){"user-agent", STR("displayd-webhook")};
	post->headers[2] = (struct outbound_header){"webhook-id", str_from(post->id)};
	post->headers[3] = (struct outbound_header){"webhook-timestamp", str_from(post->timestamp)};
	post->headers[4] = (struct outbound_header){"webhook-signature", str_from(post->signature)};
	post->request = (struct outbound_request){
	    .account = target->account_id,
	    .scope = STR("webhooks"),
	    .url = target->url,
	    .headers = post->headers,
	    .header_count = array_length(post->headers),
	    .body = body,
	    .why_public = reach_sentence(target->lacks),
	    .done = done,
	};
	outbound_send(hooks->settings.outbound, &post->request);
	return true;
}

bool hook_post_is_delivered(const struct hook_post *post)
{
	return post->request.status >= 200 && post->request.status < 300;
}
