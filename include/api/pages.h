/* Open pages hear what has changed, whoever has changed it: the hint "changed:ACCOUNT:TOPIC", which
 * the streams of the pages subscribe to (GET /web/events). */
#pragma once

#include "task/task.h"

/* Once the change is committed. account_id: whose pages; zero: those of all accounts. topic: what
 * has changed, in the words in which a page asks for it ("keys", "device:ID"), at most 80 bytes of
 * letters, digits and "-_.:". */
void api_tell_pages(struct task *task, struct id account_id, struct str topic);

/* Something of an app that its author sees has changed: the topic "app:SLUG". */
void api_tell_author(struct task *task, const struct app *app);
