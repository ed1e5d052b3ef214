#include "http/head_check.h"
#include "base/memory.h"
#include "http/head_scan.h"

/* Fields that determine framing and target of a request; each at most once. */
struct single_fields {
	const struct http_field *host;
	const struct http_field *content_length;
	const struct http_field *transfer_encoding;
	const struct http_field *expect;
};

static struct http_protocol_error take_once(const struct http_field **single,
					    const struct http_field *field, const char *detail)
{
	if (*single)
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED, detail);
	*single = field;
	return HTTP_NO_ERROR;
}

static struct http_protocol_error collect(const struct http_head *head,
					  struct single_fields *ret_fields)
{
	struct single_fields found = {0};

	for (unsigned i = 0; i < head->field_count; i++) {
		const struct http_field *field = &head->fields[i];
		struct http_protocol_error error = HTTP_NO_ERROR;

		if (str_equal_ignore_case(field->name, STR("host")))
			error = take_once(&found.host, field, "more than one Host field");
		else if (str_equal_ignore_case(field->name, STR("content-length")))
			error = take_once(&found.content_length, field,
					  "more than one Content-Length field");
		else if (str_equal_ignore_case(field->name, STR("transfer-encoding")))
			error = take_once(&found.transfer_encoding, field,
					  "more than one Transfer-Encoding field");
		else if (str_equal_ignore_case(field->name, STR("expect")))
			error = take_once(&found.expect, field, "more than one Expect field");
		if (error.kind)
			return error;
	}
	*ret_fields = found;
	return HTTP_NO_ERROR;
}

static bool is_registered_coding(struct str coding)
{
	static const char *const names[] = {"chunked", "compress",   "deflate", "gzip",
					    "x-gzip",  "x-compress", "identity"};

	for (size_t i = 0; i < array_length(names); i++) {
		if (str_equal_ignore_case(coding, str_from(names[i])))
			return true;
	}
	return false;
}

struct http_protocol_error transfer_coding_check(struct str value)
{
	struct str rest = value;
	struct str coding;
	bool is_unknown = false;

	if (str_equal_ignore_case(value, STR("chunked")))
		return HTTP_NO_ERROR;
	while (str_next(&rest, ',', &coding)) {
		coding = str_trim(coding);
		if (!is_token(coding))
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "the Transfer-Encoding field is malformed");
		if (!is_registered_coding(coding))
			is_unknown = true;
	}
	if (is_unknown)
		return HTTP_PROTOCOL_ERROR(PROBLEM_TRANSFER_CODING_UNKNOWN,
					   "the transfer coding is not supported");
	return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
				   "the only supported transfer coding is chunked");
}

static struct http_protocol_error check_framing(const struct http_head *head,
						const struct single_fields *fields,
						struct head_facts *facts)
{
	unsigned long long length;

	if (fields->transfer_encoding) {
		struct http_protocol_error error =
		    transfer_coding_check(fields->transfer_encoding->value);

		if (head->is_http_1_0)
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "HTTP/1.0 has no Transfer-Encoding");
		if (fields->content_length)
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "both Content-Length and Transfer-Encoding");
		if (error.kind)
			return error;
		facts->is_chunked = true;
	}
	if (fields->content_length) {
		/* Below 2^63, so that sums with it cannot overflow. */
		if (!str_to_uint64(fields->content_length->value, INT64_MAX, &length))
			return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
						   "the Content-Length field is malformed");
		facts->content_length = length;
	}
	return HTTP_NO_ERROR;
}

struct http_protocol_error head_check(const struct http_head *head, struct head_facts *ret_facts)
{
	struct single_fields fields;
	struct http_protocol_error error;
	struct str host;

	*ret_facts = (struct head_facts){0};
	error = collect(head, &fields);
	if (error.kind)
		return error;
	if (!fields.host && !head->is_http_1_0)
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED, "the Host field is missing");
	host = fields.host ? fields.host->value : (struct str){0};
	if (fields.host && !host_is_valid(host))
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
					   "the Host field is malformed");
	error = target_check(head->method, head->target, host, &ret_facts->path, &ret_facts->query);
	if (error.kind)
		return error;
	error = check_framing(head, &fields, ret_facts);
	if (error.kind)
		return error;
	if (!fields.expect || head->is_http_1_0) /* RFC 9110 section 10.1.1 */
		return HTTP_NO_ERROR;
	if (!str_equal_ignore_case(fields.expect->value, STR("100-continue")))
		return HTTP_PROTOCOL_ERROR(PROBLEM_EXPECTATION_UNSUPPORTED,
					   "the only supported expectation is 100-continue");
	ret_facts->expects_continue = ret_facts->is_chunked || ret_facts->content_length > 0;
	return HTTP_NO_ERROR;
}
