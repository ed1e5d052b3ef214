#include "render/engine.h"

bool engine_language_read(struct str name, enum engine_language *ret_language)
{
	static const char *const names[] = {
	    [ENGINE_STARLARK] = "STARLARK",
	    [ENGINE_TYPESCRIPT] = "TYPESCRIPT",
	};

	for (unsigned i = 0; i < array_length(names); i++) {
		if (!str_equal(name, str_from(names[i])))
			continue;
		*ret_language = (enum engine_language)i;
		return true;
	}
	return false;
}

/* To be raised where the same script, settings and time give another picture than before. */
const char *engines_version(void)
{
	return "1 pixlet-v0.53.1 quickjs-ng-0.16.2";
}
