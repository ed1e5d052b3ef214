/* Failed attempts: wrong keys and sessions, counted by the remote address that they come from.
 *
 *   failed_attempts_allow() -> query for the key -> failed_attempts_count(), if there is none
 *
 * For an address that has made too many, no key is looked up for a while. Keys that a worker knows
 * to be valid need no look-up, and sessions that a worker has seen
 * (src/web/people/known_sessions.h) are still looked up: both keep working, whoever else uses the
 * address. A text that does not have the form of a key is no attempt and costs no look-up.
 *
 * An IPv6 address counts by its network of 64 bits, since a subscriber has all of it. Requests
 * through a unix socket, and those whose proxy does not name their origin, have no address and no
 * limit.
 *
 * The buckets lie in a table of their own, which untrusted callers may fill. */
#pragma once

#include "task/service.h"
#include "task/task.h"

/* Returns whether this address may try, else until when not. */
struct rate_result failed_attempts_allow(const struct service *service, struct str remote_address);
void failed_attempts_count(const struct service *service, struct str remote_address);

/* Failed attempts of former addresses of devices (src/api/access_device_key.h), which are secrets
 * of 32 bits. So they have limits of their own, which are lower, also for the network of the
 * address: /24 of IPv4, /48 of IPv6. An attempt counts before the database is asked, so that no
 * more are under way at a time; what turns out to be none is given back.
 *
 * ret: whether the address may try. */
bool alias_attempt_begins(const struct service *service, struct str remote_address);
/* Gives back an attempt: the address was right, or could not be looked up. */
void alias_attempt_succeeded(const struct service *service, struct str remote_address);

/* Returns true, with the answer 429, if too many failed attempts came from the request's address.
 * of_what: "keys". */
__attribute__((warn_unused_result)) bool
task_fails_too_often(struct task *task, const char *of_what, struct step_result *ret_answer);
