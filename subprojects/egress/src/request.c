#include "request.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <text/reach.h>
#include <yyjson.h>

/* Text of a request while it is read. */
struct reading {
	struct request *request;
	yyjson_val *fetch;
	char *words;
};

static const char no_memory[] = "the network of apps has no memory left";

__attribute__((format(printf, 2, 3))) static bool refuse(struct reading *reading,
							 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reading->words, REQUEST_WORDS_MAX, format, arguments);
	va_end(arguments);
	return false;
}

static bool read_method(struct reading *reading)
{
	static const char *const methods[] = {"GET",   "HEAD",	 "POST",   "PUT",
					      "PATCH", "DELETE", "OPTIONS"};
	const char *method = yyjson_get_str(yyjson_obj_get(reading->fetch, "method"));

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (method && strcmp(method, methods[i]) == 0) {
			snprintf(reading->request->method, sizeof(reading->request->method), "%s",
				 method);
			return true;
		}
	return refuse(reading, "apps cannot use the method %.20s", method ? method : "");
}

/* Whether the URL is without the part: none is the code that says so. */
static bool lacks(struct reading *reading, CURLU *url, CURLUPart part, CURLUcode none)
{
	char *text = NULL;
	CURLUcode code = curl_url_get(url, part, &text, 0);

	curl_free(text);
	if (code == none)
		return true;
	return refuse(reading, "%s",
		      code == CURLUE_OK ? "leave user and password out of the address, and send "
					  "the header Authorization"
					: no_memory);
}

static bool check_port(struct reading *reading, CURLU *url)
{
	char *port = NULL;
	bool is_fine = true;

	if (curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK)
		return refuse(reading, "%s", no_memory);
	if (address_is_bad_port(strtol(port, NULL, 10)))
		is_fine = refuse(reading, "port %s belongs to another protocol", port);
	curl_free(port);
	return is_fine;
}

/* Takes the dot from behind an IPv4 address, which would be looked up as a name. */
static bool trim_host(struct reading *reading, CURLU *url)
{
	char *host = NULL;
	struct str whole, trimmed;
	bool is_fine = true;

	if (curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		return refuse(reading, "%s", no_memory);
	whole = str_from(host);
	trimmed = reach_host_trim(whole);
	if (trimmed.length < whole.length) {
		host[trimmed.length] = '\0';
		is_fine = curl_url_set(url, CURLUPART_HOST, host, 0) == CURLUE_OK ||
			  refuse(reading, "%s", no_memory);
	}
	curl_free(host);
	return is_fine;
}

/* Takes the URL without its fragment, which is not sent. */
static bool take_url(struct reading *reading, CURLU *url)
{
	struct request *request = reading->request;

	if (curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
	    curl_url_get(url, CURLUPART_URL, &request->url, 0) == CURLUE_OK &&
	    curl_url_get(url, CURLUPART_HOST, &request->host, 0) == CURLUE_OK)
		return true;
	return refuse(reading, "%s", no_memory);
}

static bool read_url(struct reading *reading)
{
	yyjson_val *member = yyjson_obj_get(reading->fetch, "url");
	const char *text = yyjson_get_str(member);
	CURLU *url;
	bool is_fine;

	if (!text || yyjson_get_len(member) > REQUEST_URL_MAX ||
	    strlen(text) != yyjson_get_len(member))
		return refuse(reading, "this is not a valid address");
	if (strncasecmp(text, "http://", 7) != 0 && strncasecmp(text, "https://", 8) != 0)
		return refuse(reading,
			      "an address must begin with https:// or http://, not with %.20s",
			      text);
	if (reading->request->download && strncasecmp(text, "https://", 8) != 0)
		return refuse(reading, "a file is only fetched from an address with https://");
	url = curl_url();
	if (!url)
		return refuse(reading, "%s", no_memory);
	if (curl_url_set(url, CURLUPART_URL, text, CURLU_URLENCODE) != CURLUE_OK)
		is_fine = refuse(reading, "this is not a valid address: %.100s", text);
	else
		is_fine = lacks(reading, url, CURLUPART_USER, CURLUE_NO_USER) &&
			  lacks(reading, url, CURLUPART_PASSWORD, CURLUE_NO_PASSWORD) &&
			  check_port(reading, url) && trim_host(reading, url) &&
			  take_url(reading, url);
	curl_url_cleanup(url);
	return is_fine;
}

/* Headers that belong to the connection, not to the app (RFC 9110 section 7.6.1). Browsers and the
 * library of the community's apps drop them silently, too. */
static bool is_ours(const char *name)
{
	static const char *const names[] = {"Accept-Encoding",
					    "Connection",
					    "Content-Length",
					    "Expect",
					    "Host",
					    "Keep-Alive",
					    "TE",
					    "Trailer",
					    "Transfer-Encoding",
					    "Upgrade",
					    "Via"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return strncasecmp(name, "Proxy-", 6) == 0;
}

/* A token (RFC 9110 section 5.6.2). */
static bool is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return false;
	}
	return length > 0;
}

static bool is_value(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool add_header(struct reading *reading, yyjson_val *name, yyjson_val *value)
{
	struct request *request = reading->request;
	const char *text = yyjson_get_str(name), *content = yyjson_get_str(value);
	struct curl_slist *longer;
	char *line = NULL;

	if (!content || !is_name(text, yyjson_get_len(name)) ||
	    !is_value(content, yyjson_get_len(value)))
		return refuse(reading, "the header %.40s cannot be sent", text);
	if (is_ours(text))
		return true;
	if (strcasecmp(text, "User-Agent") == 0)
		request->has_user_agent = true;
	/* Empty headers end in ";": for curl, "Name:" means to send no such header. */
	if (asprintf(&line, content[0] ? "%s: %s" : "%s;", text, content) < 0)
		return refuse(reading, "%s", no_memory);
	longer = curl_slist_append(request->headers, line);
	free(line);
	if (!longer)
		return refuse(reading, "%s", no_memory);
	request->headers = longer;
	return true;
}

static bool read_headers(struct reading *reading)
{
	yyjson_val *headers = yyjson_obj_get(reading->fetch, "headers"), *name, *value;
	size_t i, count;

	if (!headers)
		return true;
	if (!yyjson_is_obj(headers))
		return refuse(reading, "headers must be an object");
	if (yyjson_obj_size(headers) > REQUEST_HEADERS_MAX)
		return refuse(reading, "a request may have at most %d headers",
			      REQUEST_HEADERS_MAX);
	yyjson_obj_foreach(headers, i, count, name, value)
	{
		if (!add_header(reading, name, value))
			return false;
	}
	return true;
}

static void hash_text(crypto_generichash_state *state, const char *text)
{
	crypto_generichash_update(state, (const unsigned char *)text, strlen(text) + 1);
}

/* Makes the keys, from everything that the answer depends on. */
static void make_keys(struct reading *reading)
{
	struct request *request = reading->request;
	yyjson_val *scope = yyjson_obj_get(reading->fetch, "scope");
	yyjson_val *account = yyjson_obj_get(reading->fetch, "account");
	crypto_generichash_state state;

	crypto_generichash(request->scope.bytes, KEY_BYTES,
			   (const unsigned char *)yyjson_get_str(scope), yyjson_get_len(scope),
			   NULL, 0);
	request->account = request->scope;
	if (yyjson_is_str(account) && yyjson_get_len(account) > 0)
		crypto_generichash(request->account.bytes, KEY_BYTES,
				   (const unsigned char *)yyjson_get_str(account),
				   yyjson_get_len(account), NULL, 0);
	crypto_generichash_init(&state, NULL, 0, KEY_BYTES);
	crypto_generichash_update(&state, request->account.bytes, KEY_BYTES);
	hash_text(&state, "downloads");
	crypto_generichash_final(&state, request->downloads.bytes, KEY_BYTES);
	crypto_generichash_init(&state, NULL, 0, KEY_BYTES);
	crypto_generichash_update(&state, request->scope.bytes, KEY_BYTES);
	hash_text(&state, request->why_public ? request->why_public : "");
	hash_text(&state, request->stays ? "stays" : "");
	hash_text(&state, request->method);
	hash_text(&state, request->url);
	for (struct curl_slist *header = request->headers; header; header = header->next)
		hash_text(&state, header->data);
	hash_text(&state, "");
	if (request->body.length > 0)
		crypto_generichash_update(&state, (const unsigned char *)request->body.data,
					  request->body.length);
	crypto_generichash_final(&state, request->key.bytes, KEY_BYTES);
}

/* Reads how much of a file is fetched at most. */
static bool read_download(struct reading *reading)
{
	yyjson_val *member = yyjson_obj_get(reading->fetch, "download");
	int64_t bytes = yyjson_get_sint(member);

	if (!member)
		return true;
	if (!yyjson_is_int(member) || bytes < 1 || bytes > REQUEST_DOWNLOAD_MAX)
		return refuse(reading, "a file may have 1 to %d bytes", REQUEST_DOWNLOAD_MAX);
	if (strcmp(reading->request->method, "GET") != 0)
		return refuse(reading, "a file is only fetched by GET");
	reading->request->download = (size_t)bytes;
	return true;
}

/* Reads which addresses may be reached. */
static bool read_reach(struct reading *reading)
{
	const char *public = yyjson_get_str(yyjson_obj_get(reading->fetch, "public"));

	if (reading->request->body.failed ||
	    (public && !(reading->request->why_public = strdup(public))))
		return refuse(reading, "%s", no_memory);
	return true;
}

enum request_status request_read(struct str head, struct str body, struct request *ret_request,
				 char ret_words[static REQUEST_WORDS_MAX])
{
	yyjson_doc *doc = yyjson_read(head.data, head.length, 0);
	yyjson_val *fetch = yyjson_obj_get(yyjson_doc_get_root(doc), "fetch");
	yyjson_val *id = yyjson_obj_get(fetch, "id");
	struct reading reading = {.request = ret_request, .fetch = fetch, .words = ret_words};
	enum request_status status = REQUEST_BROKEN;

	*ret_request = (struct request){0};
	bytes_add(&ret_request->body, body.data, body.length);
	ret_request->bytes = head.length + body.length;
	snprintf(ret_words, REQUEST_WORDS_MAX, "this is not a valid address");
	if (yyjson_is_int(id)) {
		ret_request->id = yyjson_get_sint(id);
		ret_request->ttl_s = yyjson_get_sint(yyjson_obj_get(fetch, "ttl_s"));
		ret_request->stays = yyjson_get_bool(yyjson_obj_get(fetch, "stays"));
		ret_request->is_paced = yyjson_get_bool(yyjson_obj_get(fetch, "paced"));
		status = REQUEST_REFUSED;
		if (read_reach(&reading) && read_method(&reading) && read_download(&reading) &&
		    read_url(&reading) && read_headers(&reading)) {
			make_keys(&reading);
			status = REQUEST_FINE;
		}
	}
	yyjson_doc_free(doc);
	return status;
}

void request_finish(struct request *request)
{
	curl_free(request->url);
	curl_free(request->host);
	free(request->why_public);
	curl_slist_free_all(request->headers);
	bytes_finish(&request->body);
	*request = (struct request){0};
}
