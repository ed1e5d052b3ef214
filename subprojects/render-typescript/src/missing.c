/* Defines functions that scripts expect and the engine does not have: each fails with an error that
 * names the alternative, and is never left out silently. */
#include "run.h"

#include <string.h>

/* Functions of which the engine ignores languages, options and time zones. first: index of the
 * first argument that it would ignore. */
static const char refusals[] =
    "(() => {"
    "const numbers = 'use toFixed(), padStart() or a function of your own';"
    "const times = 'use input.local, getHours() and the like, which know the zone of the device';"
    "const words = 'compare with < and >, or by toLowerCase()';"
    "const refuse = (type, name, first, instead) => {"
    "  const own = type.prototype[name];"
    "  Object.defineProperty(type.prototype, name, {"
    "    configurable: true, writable: true, enumerable: false,"
    "    value: { [name](...given) {"
    "      if (given.slice(first).some((one) => one !== undefined))"
    "        throw new TypeError(`${type.name}.${name}() knows no languages, options or zones "
    "here: ${instead}`);"
    "      return own.apply(this, given);"
    "    } }[name],"
    "  });"
    "};"
    "for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])"
    "  refuse(Date, name, 0, times);"
    "refuse(Number, 'toLocaleString', 0, numbers);"
    "refuse(BigInt, 'toLocaleString', 0, numbers);"
    "refuse(Array, 'toLocaleString', 0, numbers);"
    "refuse(Object.getPrototypeOf(Int8Array), 'toLocaleString', 0, numbers);"
    "refuse(String, 'localeCompare', 1, words);"
    "refuse(String, 'toLocaleLowerCase', 0, 'use toLowerCase()');"
    "refuse(String, 'toLocaleUpperCase', 0, 'use toUpperCase()');"
    "})()";

extern const char surroundings[]; /* src/surroundings.js */

/* Whether the script uses the surroundings: compiling them takes longer than running most scripts.
 */
static bool uses_surroundings(const struct run *run)
{
	static const char *const names[] = {
	    "URL",     "TextEncoder", "TextDecoder", "structuredClone", "Timeout",  "Abort",
	    "Headers", "crypto",      ".headers",    "headers }",	"headers,",
	};

	for (unsigned i = 0; i < run->files.count; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (memmem(run->files.list[i].data, run->files.list[i].length, names[k],
				   strlen(names[k])))
				return true;
	return false;
}

int missing_define(struct run *run)
{
	JSValue value =
	    JS_Eval(run->context, refusals, strlen(refusals), "<start>", JS_EVAL_TYPE_GLOBAL);

	if (JS_IsException(value))
		return -1;
	JS_FreeValue(run->context, value);
	if (!uses_surroundings(run))
		return 0;
	run->surroundings = JS_Eval(run->context, surroundings, strlen(surroundings), "<start>",
				    JS_EVAL_TYPE_GLOBAL);
	return JS_IsException(run->surroundings) ? -1 : 0;
}

const char *missing_hint(const char *message)
{
	static const char *const hints[][2] = {
	    {"Intl is not defined",
	     "use input.local and getHours() for times in the zone of the device, toFixed() and "
	     "padStart() for numbers"},
	    {"require is not defined", "use import"},
	    {"process is not defined", "apps have no process; their settings are in input.config"},
	    {"Buffer is not defined", "use Uint8Array"},
	    {"XMLHttpRequest is not defined", "use fetch()"},
	    {"WebSocket is not defined", "use fetch()"},
	    {"EventSource is not defined", "use fetch()"},
	    {"Request is not defined", "give fetch() the address and the options"},
	    {"Response is not defined", "fetch() makes answers"},
	    {"FormData is not defined", "use URLSearchParams"},
	    {"Blob is not defined", "use Uint8Array"},
	    {"ReadableStream is not defined", "there are no streams: use bytes() of the answer"},
	    {"EventTarget is not defined", "an AbortSignal has addEventListener()"},
	    {"Event is not defined", "an AbortSignal has addEventListener()"},
	    {"Temporal is not defined", "use Date"},
	    {"localStorage is not defined", "nothing is kept between two pictures"},
	    {"sessionStorage is not defined", "nothing is kept between two pictures"},
	    {"setImmediate is not defined", "use setTimeout()"},
	    {"requestAnimationFrame is not defined", "an app is run once for a picture"},
	    {"Deno is not defined", "apps have no process; their settings are in input.config"},
	    {"setInterval is not defined", "an app is run once for a picture"},
	    {"document is not defined", "apps make widgets, see panel.d.ts"},
	    {"window is not defined", "use globalThis"},
	};

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strcmp(message, hints[i][0]) == 0)
			return hints[i][1];
	return NULL;
}
