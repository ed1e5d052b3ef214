/* The key for secret settings, compared with the database that displayctl is connected to. */
#pragma once

#include "ctl/ctl.h"
#include "domain/secret_settings.h"

/* Whether a server may use this key on the database, see main/secret_key_check.h. Before anything
 * is encrypted with it. CTL_DONE, or the reason was said. */
enum ctl_exit settings_key_check(const struct ctl *ctl, const struct settings_key *key);
