/* Own scripts that an account installs on a device, without a review. */
#pragma once

#include "domain/app.h"
#include "domain/script_install_records.h"

/* Body of a script to install: a script and its language, or an archive. */
struct script_installing {
	struct str name;
	struct str script_content; /* data NULL: an archive is given */
	struct str script_language;
	struct str archive; /* base64; data NULL: a script is given */
};
