/* Capabilities of a process beyond its user: capabilities(7). Root has all of them; a process gives
 * up those it does not need, and cannot get them back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bit of a capability of <linux/capability.h>. */
#define RIGHT(capability) (UINT64_C(1) << (capability))

/* Removes every capability that is not in kept from the calling thread, and from all threads and
 * processes that it starts. Does nothing if the process has none. Async-signal-safe. Returns 0 or a
 * negative errno. */
__attribute__((warn_unused_result)) int rights_keep(uint64_t kept);

/* Give up all capabilities in two halves, before and after a change of the user, which needs some.
 * rights_bound(): no program that is executed from now on has any; only root can do this.
 * rights_give_up(): the process has none, and set-user-ID programs run without their rights
 * (no_new_privs). Async-signal-safe. Both return 0 or a negative errno. */
__attribute__((warn_unused_result)) int rights_bound(void);
__attribute__((warn_unused_result)) int rights_give_up(void);
