/* At build time: write_manuals NAME writes a page of the manual. */
#include "ctl/shell/manual.h"

#include <string.h>

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(FILE *out);
	} kinds[] = {
	    {"displayctl.1", manual_displayctl},
	    {"displayd.8", manual_displayd},
	    {"displayd.conf.5", manual_settings},
	};

	for (unsigned i = 0; argc == 2 && i < array_length(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		kinds[i].write(stdout);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	fputs("usage: write_manuals NAME\n", stderr);
	return 2;
}
