/* Calls of those that subscribe to hints. */
#pragma once

#include "hint_state.h"

/* is_first: the worker is the one of its instance that takes hints for all (is_once). */
void hint_deliver(const struct list *subscriptions, struct str word, bool is_first);
/* Tells subscribers, if it has changed, whether hints arrive. */
void hint_set_up(struct hints *hints, bool up);
void hint_tell_heard(const struct list *subscriptions, uint64_t before_ms);
