#include "fields.h"
#include "base/memory.h"
#include "web/web.h"

static void add(struct task *task, struct str policy)
{
	task_add_field(task, STR("Content-Security-Policy"), policy);
	task_add_field(task, STR("X-Content-Type-Options"), STR("nosniff"));
	task_add_field(task, STR("Referrer-Policy"), STR("no-referrer"));
	task_add_field(task, STR("Cross-Origin-Opener-Policy"), STR("same-origin"));
	task_add_field(task, STR("Cross-Origin-Resource-Policy"), STR("same-origin"));
	/* Browsers ignore it where they came over plain http. Other names are not ours to decide
	 * on. */
	if (container_of(task_service(task), struct web_service, api.service)->site.is_https)
		task_add_field(task, STR("Strict-Transport-Security"), STR("max-age=31536000"));
}

void web_add_fields(struct task *task)
{
	add(task, STR("default-src 'none'; base-uri 'none'; frame-ancestors 'none'"));
}

void web_add_page_fields(struct task *task)
{
	add(task, STR("default-src 'none'; script-src 'self'; style-src 'self'; "
		      "img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; "
		      "form-action 'self'; frame-ancestors 'none'"));
}
