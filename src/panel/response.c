#include "response.h"

#include <string.h>

static int on_name(llhttp_t *parser, const char *data, size_t size)
{
	struct response *response = parser->data;

	for (size_t i = 0; i < size && response->name_length < RESPONSE_NAME_MAX; i++)
		response->name[response->name_length++] = data[i];
	return 0;
}

static int on_value(llhttp_t *parser, const char *data, size_t size)
{
	struct response *response = parser->data;

	for (size_t i = 0; i < size && response->value_length < RESPONSE_VALUE_MAX; i++)
		response->value[response->value_length++] = data[i];
	return 0;
}

static int on_field_complete(llhttp_t *parser)
{
	struct response *response = parser->data;
	struct str name = {response->name, response->name_length};
	struct str value = {response->value, response->value_length};

	response->name_length = response->value_length = 0;
	/* Trailers say nothing that matters to a panel. */
	if (response->on_header && !response->head_complete)
		response->on_header(response->context, name, str_trim(value));
	return 0;
}

static int on_head_complete(llhttp_t *parser)
{
	struct response *response = parser->data;

	response->head_complete = true;
	return 0;
}

static int on_body(llhttp_t *parser, const char *data, size_t size)
{
	struct response *response = parser->data;

	if (buffer_length(&response->body) + size > response->body_max) {
		response->body_too_large = true;
		return -1;
	}
	buffer_append(&response->body, data, size);
	return 0;
}

static int on_complete(llhttp_t *parser)
{
	struct response *response = parser->data;

	response->complete = true;
	/* For another protocol llhttp stops by itself. */
	return parser->upgrade ? HPE_OK : HPE_PAUSED;
}

void response_init(struct response *response, size_t body_max)
{
	*response = (struct response){.body_max = body_max};
	llhttp_settings_init(&response->settings);
	response->settings.on_header_field = on_name;
	response->settings.on_header_value = on_value;
	response->settings.on_header_value_complete = on_field_complete;
	response->settings.on_headers_complete = on_head_complete;
	response->settings.on_body = on_body;
	response->settings.on_message_complete = on_complete;
	llhttp_init(&response->parser, HTTP_RESPONSE, &response->settings);
	response->parser.data = response;
}

void response_finish(struct response *response)
{
	buffer_finish(&response->body);
}

static enum response_state fail(struct response *response, const char *fault)
{
	response->fault = fault;
	return RESPONSE_FAILED;
}

static enum response_state state_of(struct response *response, llhttp_errno_t error)
{
	if (error == HPE_PAUSED_UPGRADE)
		return RESPONSE_UPGRADED;
	if (response->body_too_large)
		return fail(response, "the body is larger than 460,000 bytes");
	if (error != HPE_OK && error != HPE_PAUSED)
		return fail(response, llhttp_get_error_reason(&response->parser));
	if (!response->head_complete && response->head_bytes > RESPONSE_HEAD_MAX)
		return fail(response, "the head is larger than 16 KiB");
	return response->complete ? RESPONSE_DONE : RESPONSE_MORE;
}

enum response_state response_feed(struct response *response, const uint8_t *data, size_t size,
				  size_t *ret_used)
{
	bool was_head = !response->head_complete;
	llhttp_errno_t error = llhttp_execute(&response->parser, (const char *)data, size);
	size_t used = size;

	if (error != HPE_OK)
		used = (size_t)((const uint8_t *)llhttp_get_error_pos(&response->parser) - data);
	/* Where a body follows in the same piece this counts too much: nobody asks then. */
	if (was_head)
		response->head_bytes += used;
	*ret_used = used;
	return state_of(response, error);
}

enum response_state response_end(struct response *response)
{
	llhttp_finish(&response->parser);
	if (response->complete)
		return RESPONSE_DONE;
	return fail(response, "the connection was closed before the answer was complete");
}

int response_status(const struct response *response)
{
	return llhttp_get_status_code((llhttp_t *)&response->parser);
}
