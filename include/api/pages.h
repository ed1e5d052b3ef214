/* Reports changes to open pages by the hint "changed:ACCOUNT:TOPIC", to which the streams of the
 * pages subscribe (GET /web/events). */
#pragma once

#include "task/task.h"

/* Call it once the change is committed. account_id: the account whose pages get it; zero: all
 * accounts. topic: what has changed, in the words by which a page subscribes ("keys", "device:ID"),
 * at most 80 bytes of letters, digits and "-_.:". */
void api_tell_pages(struct task *task, struct id account_id, struct str topic);

/* Reports a change of an app to the pages of its author, as the topic "app:SLUG". */
void api_tell_author(struct task *task, const struct app *app);
