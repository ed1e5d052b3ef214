/* Capabilities of a process beyond its user: capabilities(7). Root has all of them; a process gives
 * up those it does not need, and cannot get them back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The bit of a capability of <linux/capability.h>. */
#define RIGHT(capability) (UINT64_C(1) << (capability))

/* Takes from the calling thread, and from all that it starts, every capability that is not in kept.
 * Where the process has none already, nothing happens. Async-signal-safe. 0 or a negative errno. */
__attribute__((warn_unused_result)) int rights_keep(uint64_t kept);

/* The two halves of giving up all capabilities, before and after a change of the user, which needs
 * some. rights_bound(): no program that is executed from now on has any, and only root can say so.
 * rights_give_up(): the process has none, and set-user-ID programs run without their rights
 * (no_new_privs). Async-signal-safe. 0 or a negative errno. */
__attribute__((warn_unused_result)) int rights_bound(void);
__attribute__((warn_unused_result)) int rights_give_up(void);
