#include "domain/script_install.h"
#include "domain/device.h"

void script_installing_check(void *body, uint64_t seen, struct faults *faults)
{
	const struct script_installing *installing = body;
	bool has_script = installing->script_content.data && installing->script_language.data;

	(void)seen;
	if (faults->count)
		return;
	if (!installing->archive.data && !has_script)
		faults_add(faults, (struct str){0},
			   "must have scriptContent and scriptLanguage, or archive");
	else if (installing->archive.data &&
		 (installing->script_content.data || installing->script_language.data))
		faults_add(faults, STR("archive"), "must not be given beside a script");
}
