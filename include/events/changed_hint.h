/* Hints "changed:ACCOUNT:TOPIC": data of an account has changed, see src/web/changed.h. */
#pragma once

#include "base/id.h"

enum { TOPIC_BYTES_MAX = 80 };

/* Whether text is a topic: at most TOPIC_BYTES_MAX letters, digits and "-_.:". */
bool changed_is_topic(struct str text);
/* Parses the text after "changed:". Returns false if it has another form. */
bool changed_parse(struct str text, struct id *ret_account_id, struct str *ret_topic);
