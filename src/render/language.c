#include "render/engine.h"

static const char *const names[ENGINE_LANGUAGE_COUNT] = {
    [ENGINE_STARLARK] = "STARLARK",
    [ENGINE_TYPESCRIPT] = "TYPESCRIPT",
};

bool engine_language_read(struct str name, enum engine_language *ret_language)
{
	for (unsigned i = 0; i < array_length(names); i++) {
		if (!str_equal(name, str_from(names[i])))
			continue;
		*ret_language = (enum engine_language)i;
		return true;
	}
	return false;
}

unsigned engines_languages(const struct engines *engines,
			   struct str ret_names[static ENGINE_LANGUAGE_COUNT])
{
	const char *why_not;
	unsigned count = 0;

	for (unsigned i = 0; i < ENGINE_LANGUAGE_COUNT; i++) {
		if (engines_has(engines, i, &why_not))
			ret_names[count++] = str_from(names[i]);
	}
	return count;
}

/* Raise the version if the same script, settings and time give another picture than before. */
const char *engines_version(void)
{
	return "1 pixlet-v0.53.1 quickjs-ng-" QUICKJS_VERSION;
}
