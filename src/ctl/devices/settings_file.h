/* --settings FILE: settings of an app, which others do not read as they read arguments. */
#pragma once

#include "ctl/ctl.h"
#include "domain/settings.h"

/* The settings of the file that --settings names, "-" for standard input; none without it. In the
 * arena. CTL_DONE, or the reason was said. */
enum ctl_exit settings_file_read(struct ctl *ctl, struct settings *ret_settings);

/* Says what is wrong with settings; CTL_USAGE. */
enum ctl_exit settings_file_fail(const struct faults *faults);
