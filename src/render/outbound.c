#include "outbound.h"
#include "base/clock.h"
#include "base/require.h"
#include "record/json_memory.h"
#include "record/json_text.h"

#include <stdlib.h>

struct outbound {
	struct loop *loop;
	struct egress *egress;
	struct list flights; /* requests at the egress */
	struct list failed;  /* requests whose done() must still be called */
	struct later later;
	bool is_draining;
};

struct outbound_flight {
	struct list node;
	struct outbound *outbound;
	struct outbound_request *request;
	struct egress_fetch fetch;
	uint64_t since_us;
};

static const char no_host[] = "this server cannot send requests, see its log";
static const char ends[] = "the server is being restarted";

static void finish(struct outbound_flight *flight)
{
	struct outbound_request *request = flight->request;

	request->took_ms = (clock_monotonic_us() - flight->since_us) / 1000;
	request->flight = NULL;
	list_remove(&flight->node);
	free(flight);
	request->done(request);
}

static void set_problem(struct outbound_request *request, struct str words)
{
	snprintf(request->problem, sizeof(request->problem), "%.*s", STR_ARG(words));
}

static void on_answered(struct egress_fetch *fetch, struct str head, struct str body)
{
	struct outbound_flight *flight = container_of(fetch, struct outbound_flight, fetch);
	struct outbound_request *request = flight->request;
	yyjson_doc *doc = yyjson_read_opts((char *)head.data, head.length, 0, &json_memory, NULL);
	yyjson_val *answer = yyjson_obj_get(yyjson_doc_get_root(doc), "fetch");
	yyjson_val *error = yyjson_obj_get(answer, "error");

	request->answer = body;
	request->status = yyjson_get_int(yyjson_obj_get(answer, "status"));
	if (yyjson_is_str(error))
		set_problem(request, json_text(error));
	yyjson_doc_free(doc);
	finish(flight);
}

static void fail_later(struct outbound *outbound, struct outbound_flight *flight, const char *words)
{
	set_problem(flight->request, str_from(words));
	list_append(&outbound->failed, &flight->node);
	loop_later(outbound->loop, &outbound->later);
}

static void on_later(struct later *later)
{
	struct outbound *outbound = container_of(later, struct outbound, later);
	struct list failed;

	list_init(&failed);
	list_move_all(&failed, &outbound->failed);
	list_for_each (node, &failed)
		finish(container_of(node, struct outbound_flight, node));
}

static yyjson_mut_doc *make_head(const struct outbound_request *request, const char *method)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(&json_memory);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *headers;

	yyjson_mut_doc_set_root(doc, root);
	yyjson_mut_obj_add_int(doc, root, "id", 0);
	yyjson_mut_obj_add_str(doc, root, "method", method);
	yyjson_mut_obj_add_strn(doc, root, "url", request->url.data, request->url.length);
	headers = yyjson_mut_obj_add_obj(doc, root, "headers");
	for (unsigned i = 0; i < request->header_count; i++)
		yyjson_mut_obj_add_strn(doc, headers, request->headers[i].name,
					request->headers[i].value.data,
					request->headers[i].value.length);
	return doc;
}

void outbound_ask(struct egress *egress, struct egress_fetch *fetch,
		  const struct egress_asker *asker, const struct outbound_request *request,
		  const char *method)
{
	yyjson_mut_doc *made = make_head(request, method);
	yyjson_doc *head = yyjson_mut_doc_imut_copy(made, &json_memory);

	egress_ask(egress, fetch, yyjson_doc_get_root(head), request->body, asker);
	yyjson_doc_free(head);
	yyjson_mut_doc_free(made);
}

static void ask(struct outbound_flight *flight)
{
	const struct outbound_request *request = flight->request;
	struct egress_asker asker = {.account = request->account,
				     .scope = request->scope,
				     .why_public = request->why_public,
				     .is_own = true};

	flight->fetch.answered = on_answered;
	outbound_ask(flight->outbound->egress, &flight->fetch, &asker, request,
		     request->method ? request->method : "POST");
}

void outbound_send(struct outbound *outbound, struct outbound_request *request)
{
	struct outbound_flight *flight = memory_zalloc(sizeof(*flight));

	request->flight = flight;
	request->status = 0;
	request->problem[0] = '\0';
	request->answer = (struct str){0};
	request->is_dropped = outbound->is_draining;
	flight->outbound = outbound;
	flight->request = request;
	flight->since_us = clock_monotonic_us();
	list_init(&flight->node);
	if (outbound->is_draining || !outbound->egress) {
		fail_later(outbound, flight, outbound->is_draining ? ends : no_host);
		return;
	}
	list_append(&outbound->flights, &flight->node);
	ask(flight);
}

struct outbound *outbound_create(struct loop *loop, struct egress *egress)
{
	struct outbound *outbound = memory_zalloc(sizeof(*outbound));

	outbound->loop = loop;
	outbound->egress = egress;
	list_init(&outbound->flights);
	list_init(&outbound->failed);
	loop_later_init(&outbound->later, on_later);
	return outbound;
}

void outbound_drain(struct outbound *outbound)
{
	outbound->is_draining = true;
	list_for_each (node, &outbound->flights) {
		struct outbound_flight *flight = container_of(node, struct outbound_flight, node);

		egress_forget(&flight->fetch);
		list_remove(&flight->node);
		flight->request->is_dropped = true;
		fail_later(outbound, flight, ends);
	}
}

void outbound_destroy(struct outbound *outbound)
{
	require(list_is_empty(&outbound->flights) && list_is_empty(&outbound->failed));
	loop_later_cancel(&outbound->later);
	free(outbound);
}
