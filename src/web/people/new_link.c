#include "new_link.h"
#include "web/access.h"

void web_new_link(struct fresh_link *link)
{
	token_new(link->token);
	key_hash(str_from(link->token), link->hash);
	link->shown.id = id_new();
}

struct str web_link_hash(const struct fresh_link *link)
{
	return (struct str){(const char *)link->hash, KEY_HASH_BYTES};
}

void web_link_show(struct task *task, struct fresh_link *link, int64_t expires_at_us)
{
	link->shown.url =
	    ARENA_JOIN(task_arena(task), str_from(web_service_of(task)->site.public_url),
		       STR("/link#"), str_from(link->token));
	link->shown.expires_at_us = expires_at_us;
}

struct step_result web_reply_link(struct task *task, struct fresh_link *link, int64_t expires_at_us)
{
	web_link_show(task, link, expires_at_us);
	return task_reply_record(task, 201, &new_link_record, &link->shown);
}
