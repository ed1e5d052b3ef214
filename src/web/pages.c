#include "base/limits.h"
#include "base/memory.h"
#include "fields.h"
#include "http/static.h"
#include "task/task.h"
#include "web/web.h"

/* GET of a page - the shell, which is the same for all pages: the browser draws them.
 * GET /web/assets/{file} - a file that the shell loads, with a hash in its name.
 * GET of the web manifest and the service worker, whose URLs stay.
 *
 * No path in them is absolute, so that they work below a proxy's path prefix. The shell contains
 * the relative path from the page to "/", so there is one shell for each depth. */

extern const struct http_static_file pages[];
extern const size_t pages_count;

static bool is_panel(struct task *task)
{
	return str_equal(task_request(task)->path, STR("/panel"));
}

static struct step_result reply_file(struct task *task, struct str name)
{
	const struct http_static_file *file = http_static_find(pages, pages_count, name);

	if (!file)
		return task_fail(task, PROBLEM_PATH_NOT_FOUND, "there is no such resource");
	if (is_panel(task))
		web_add_framed_page_fields(task);
	else
		web_add_page_fields(task);
	return task_reply_static(task, file);
}

static struct step_result asset(struct task *task)
{
	return reply_file(task, arena_printf(task_arena(task), "/web/assets/%.*s",
					     STR_ARG(task_path_parameter(task, 0))));
}

static struct step_result page_file(struct task *task)
{
	return reply_file(task, task_request(task)->path);
}

/* Redirects to the only path of a page: a relative one, since a proxy may add a prefix. */
static struct step_result redirect(struct task *task, struct str segment)
{
	struct str query = task_request(task)->query;

	task_add_field(task, STR("Location"),
		       arena_printf(task_arena(task), "../%.*s%s%.*s", STR_ARG(segment),
				    query.length ? "?" : "", STR_ARG(query)));
	return task_reply(task, 308, (struct str){0}, (struct str){0});
}

/* ret_start: start of the last segment that is not empty. Returns the number of slashes before it.
 */
static unsigned depth_of(struct str path, size_t *ret_start)
{
	unsigned depth = 0;

	*ret_start = 1;
	for (size_t i = 1; i + 1 < path.length; i++) {
		if (path.data[i] == '/') {
			depth++;
			*ret_start = i + 1;
		}
	}
	return depth;
}

static struct str shell_name(struct task *task, unsigned depth)
{
	return arena_printf(task_arena(task), "shell-%u.html", depth);
}

static struct step_result page(struct task *task)
{
	struct str path = task_request(task)->path;
	size_t start;
	unsigned depth = depth_of(path, &start);

	if (path.length > 1 && path.data[path.length - 1] == '/')
		return redirect(task, (struct str){path.data + start, path.length - start - 1});
	return reply_file(task, shell_name(task, depth));
}

/* Answers an unknown path with a page that has links. A slash at the end counts for the depth,
 * since relative paths begin after it. */
static struct step_result missing(struct task *task)
{
	struct str path = task_request(task)->path;
	size_t start;
	unsigned depth = depth_of(path, &start);
	const struct http_static_file *file;

	if (path.length > 1 && path.data[path.length - 1] == '/')
		depth++;
	file = http_static_find(pages, pages_count, shell_name(task, depth));
	if (!file)
		return task_fail(task, PROBLEM_PATH_NOT_FOUND, "there is no such resource");
	web_add_page_fields(task);
	task_add_field(task, STR("Cache-Control"), STR("no-cache"));
	return task_reply(task, 404, file->content_type, file->bodies[HTTP_CODING_IDENTITY].bytes);
}

static const struct endpoint endpoint_asset = {.name = "asset", .handler = asset};
static const struct endpoint endpoint_page_file = {.name = "page_file", .handler = page_file};
static const struct endpoint endpoint_page = {.name = "page", .handler = page};
static const struct endpoint endpoint_missing = {.name = "missing_page", .handler = missing};
const struct route web_missing_page = {HTTP_GET, "(no page)", &endpoint_missing};

static const struct route routes[] = {
    {HTTP_GET, "/", &endpoint_page},
    {HTTP_GET, "/account", &endpoint_page},
    {HTTP_GET, "/account/access", &endpoint_page},
    {HTTP_GET, "/account/mqtt", &endpoint_page},
    {HTTP_GET, "/account/removal", &endpoint_page},
    {HTTP_GET, "/account/sessions", &endpoint_page},
    {HTTP_GET, "/account/sign-in", &endpoint_page},
    {HTTP_GET, "/admin", &endpoint_page},
    {HTTP_GET, "/admin/apps", &endpoint_page},
    {HTTP_GET, "/admin/audit", &endpoint_page},
    {HTTP_GET, "/admin/collections", &endpoint_page},
    {HTTP_GET, "/admin/backups", &endpoint_page},
    {HTTP_GET, "/admin/firmware", &endpoint_page},
    {HTTP_GET, "/admin/instance", &endpoint_page},
    {HTTP_GET, "/admin/invitations", &endpoint_page},
    {HTTP_GET, "/apps", &endpoint_page},
    {HTTP_GET, "/apps/{appId}", &endpoint_page},
    {HTTP_GET, "/apps/{appId}/install/{deviceId}", &endpoint_page},
    {HTTP_GET, "/collections", &endpoint_page},
    {HTTP_GET, "/connect", &endpoint_page},
    {HTTP_GET, "/development/keys", &endpoint_page},
    {HTTP_GET, "/development/webhooks", &endpoint_page},
    {HTTP_GET, "/devices", &endpoint_page},
    {HTTP_GET, "/devices/import", &endpoint_page},
    {HTTP_GET, "/devices/new", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}/add", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}/apps/{installationId}", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}/connect", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}/flash", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}/push", &endpoint_page},
    {HTTP_GET, "/devices/{deviceId}/settings", &endpoint_page},
    {HTTP_GET, "/link", &endpoint_page},
    {HTTP_GET, "/manifest.webmanifest", &endpoint_page_file},
    {HTTP_GET, "/panel", &endpoint_page},
    {HTTP_GET, "/register", &endpoint_page},
    {HTTP_GET, "/review", &endpoint_page},
    {HTTP_GET, "/review/{versionId}", &endpoint_page},
    {HTTP_GET, "/share", &endpoint_page},
    {HTTP_GET, "/sign-in", &endpoint_page},
    {HTTP_GET, "/studio", &endpoint_page},
    {HTTP_GET, "/studio/{appId}", &endpoint_page},
    {HTTP_GET, "/studio/{appId}/details", &endpoint_page},
    {HTTP_GET, "/studio/{appId}/versions", &endpoint_page},
    {HTTP_GET, "/studio/{appId}/versions/{version}", &endpoint_page},
    {HTTP_GET, "/web/assets/{file}", &endpoint_asset},
    {HTTP_GET, "/welcome", &endpoint_page},
    {HTTP_GET, "/worker.js", &endpoint_page_file},
#ifdef WEB_DEVELOPMENT
    {HTTP_GET, "/web/components", &endpoint_page},
#endif
};

const struct route_table web_page_routes = {routes, array_length(routes)};
