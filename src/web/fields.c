#include "fields.h"
#include "base/memory.h"
#include "web/web.h"

static struct web_service *service_of(struct task *task)
{
	return container_of(task_service(task), struct web_service, api.service);
}

static void fields_add(struct task *task, struct str policy)
{
	task_add_field(task, STR("Content-Security-Policy"), policy);
	task_add_field(task, STR("X-Content-Type-Options"), STR("nosniff"));
	task_add_field(task, STR("Referrer-Policy"), STR("no-referrer"));
	task_add_field(task, STR("Cross-Origin-Opener-Policy"), STR("same-origin"));
	task_add_field(task, STR("Cross-Origin-Resource-Policy"), STR("same-origin"));
	/* Browsers ignore it if they came over plain http. Other host names are not ours. */
	if (service_of(task)->site.is_https)
		task_add_field(task, STR("Strict-Transport-Security"), STR("max-age=31536000"));
}

void web_add_fields(struct task *task)
{
	fields_add(task, STR("default-src 'none'; base-uri 'none'; frame-ancestors 'none'"));
}

#define PAGE_POLICY                                                                                \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "    \
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "           \
	"frame-ancestors"

void web_add_page_fields(struct task *task)
{
	fields_add(task, STR(PAGE_POLICY " 'none'"));
}

void web_add_framed_page_fields(struct task *task)
{
	const struct web_service *web = service_of(task);
	struct str policy = STR(PAGE_POLICY);

	for (unsigned i = 0; i < web->frame_origin_count; i++)
		policy =
		    ARENA_JOIN(task_arena(task), policy, STR(" "), str_from(web->frame_origins[i]));
	if (web->frame_origin_count)
		fields_add(task, policy);
	else
		web_add_page_fields(task);
}
