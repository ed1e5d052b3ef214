/* displayctl app types: what an editor wants to know of apps in TypeScript. */
#include "ctl/ctl.h"

#include "panel_types.h"

enum ctl_exit ctl_app_types(struct ctl *ctl)
{
	(void)ctl;
	fwrite(panel_types.data, 1, panel_types.length, stdout);
	return CTL_DONE;
}
