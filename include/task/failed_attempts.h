/* Failed attempts: keys and sessions that there are not, counted by the remote address that they
 * come from.
 *
 *   failed_attempts_allow() -> the database is asked for the key -> failed_attempts_count(), where
 * there is none
 *
 * An address that has made too many may have no key looked up for a while. Keys that a worker knows
 * to be right need no look-up, and sessions that one has seen (src/web/people/known_sessions.h) get
 * theirs: they go on working, whoever else shares their address. What cannot be a key by its form
 * is no attempt and costs no look-up.
 *
 * Of an IPv6 address its network of 64 bits counts, since a subscriber has all of it. Requests
 * through a unix socket, and those whose proxy does not know where they come from, have no address
 * and no limit.
 *
 * Their buckets lie in a table of their own, which untrusted callers may fill. */
#pragma once

#include "task/service.h"
#include "task/task.h"

/* ret: whether this address may try; else until when it may not. */
struct rate_result failed_attempts_allow(const struct service *service, struct str remote_address);
void failed_attempts_count(const struct service *service, struct str remote_address);

/* Failed attempts of former addresses of devices (src/api/access_device_key.h), which are secrets
 * of 32 bits. So they have limits of their own, which are lower, also for the network of the
 * address: /24 of IPv4, /48 of IPv6. An attempt counts before the database is asked, so that no
 * more are under way at a time; what turns out to be none is given back.
 *
 * ret: whether the address may try. */
bool alias_attempt_begins(const struct service *service, struct str remote_address);
/* The address was right, or nobody could look. */
void alias_attempt_succeeded(const struct service *service, struct str remote_address);

/* True, with the answer 429, where too many failed attempts came from the request's address.
 * of_what: "keys". */
__attribute__((warn_unused_result)) bool
task_fails_too_often(struct task *task, const char *of_what, struct step_result *ret_answer);
