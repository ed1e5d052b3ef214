/* New one-time link, which is shown only once: its hash is stored. */
#pragma once

#include "domain/key.h"
#include "domain/person.h"
#include "task/task.h"

struct fresh_link {
	char token[TOKEN_LENGTH + 1];
	uint8_t hash[KEY_HASH_BYTES];
	struct new_link shown; /* id is set by web_new_link() */
};

void web_new_link(struct fresh_link *link);
struct str web_link_hash(const struct fresh_link *link);

/* Sets the shown members. */
void web_link_show(struct task *task, struct fresh_link *link, int64_t expires_at_us);

/* Answers 201 with the link's URL. */
__attribute__((warn_unused_result)) struct step_result
web_reply_link(struct task *task, struct fresh_link *link, int64_t expires_at_us);
