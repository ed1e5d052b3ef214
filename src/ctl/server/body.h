/* Bodies of requests, from the options of the command. */
#pragma once

#include "ctl/server/text.h"

/* Returns a body: an object of the members that the command's options set, and of more (NULL:
 * none). */
struct str ctl_body_of_options(struct ctl *ctl, const struct ctl_member *more);

/* Returns the name of the option that sets a member of the body, or the member's if none does. */
struct str ctl_option_of(const struct ctl *ctl, struct str member);
