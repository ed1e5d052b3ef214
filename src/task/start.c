#include "http/listener.h"
#include "task/access.h"
#include "task/cors.h"
#include "task_private.h"

void task_start(struct service *service, struct http_request *request,
		const struct endpoint *endpoint, const struct route_match *match)
{
	bool is_of_operator =
	    request->listener->role == HTTP_ROLE_OPERATOR && endpoint->is_for_operator;
	bool is_of_bridge = request->listener->role == HTTP_ROLE_BRIDGE && endpoint->is_for_bridge;
	const struct access *access = is_of_operator ? &access_operator
				      : is_of_bridge ? &access_bridge
						     : endpoint->access;
	size_t state_size = access ? access->state_size : 0;
	struct task *task = arena_alloc(&request->arena, sizeof(*task) + state_size);

	memset(task, 0, offsetof(struct task, response.fields));
	memset(task + 1, 0, state_size);
	task->service = service;
	task->request = request;
	if (endpoint->same_as)
		endpoint = endpoint->same_as;
	task->endpoint = endpoint;
	task->access = access;
	task->match = *match;
	task->is_of_operator = is_of_operator;
	task->is_of_bridge = is_of_bridge;
	if (access ? access->allows_other_origins : endpoint->allows_other_origins)
		cors_add_fields(service, request, &task->response);
	service->task_count++;
	faults_init(&task->faults, &request->arena);
	request->handler_data = task;
	request->log_route = match->route->path;
	if (endpoint->state_size)
		task->state = arena_zalloc(&request->arena, endpoint->state_size);
	task->pre_handler = task_pre_handler;
	task->resumed = task_resumed;
	task->submit_again = task_submit_again;
	task_run(task, task_pre_handler);
}
