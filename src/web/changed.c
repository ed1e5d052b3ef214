#include "changed.h"
#include "api/pages.h"
#include "base/require.h"
#include "events/changed_hint.h"

#include <stdarg.h>

void web_changed(struct task *task, struct id account_id, const char *topic, ...)
{
	struct str text;
	va_list args;

	va_start(args, topic);
	text = arena_vprintf(task_arena(task), topic, args);
	va_end(args);
	require(changed_is_topic(text));
	api_tell_pages(task, account_id, text);
}
