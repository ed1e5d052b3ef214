#include "transfer.h"
#include "download.h"
#include "explain.h"

#include <netinet/in.h>
#include <sandboxed/clock.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define AGENT "displayd"

/* Called before a name is looked up, also if the name is a numeric address. */
static int begin_look_up(void *state, void *reserved, void *context)
{
	struct transfer *transfer = context;

	(void)state;
	(void)reserved;
	transfer->is_looking_up = true;
	return 0;
}

/* Returns why an app may not reach the address; NULL: it may. */
static const char *why_refused(struct transfer *transfer, const struct address *address)
{
	bool is_open = network_list_has(transfer->tools->allowed, address);

	transfer->is_unlisted = !is_open;
	if (is_open && !transfer->request->why_public)
		return NULL;
	if (!address_is_public(address))
		return TRANSFER_NOT_PUBLIC;
	return address_is_own(address) ? "this server's own" : NULL;
}

/* ---- shares ---- */

static bool has_paid(const struct transfer *transfer, const struct address *address)
{
	for (unsigned i = 0; i < transfer->paid_count; i++)
		if (memcmp(&transfer->paid[i], address, sizeof(*address)) == 0)
			return true;
	return false;
}

static enum share_result pay_parts(struct transfer *transfer, const struct address *address)
{
	struct shares *shares = transfer->tools->shares;
	const struct key *account = &transfer->request->account;
	enum share_result result = SHARE_TAKEN;
	char host[256];

	if (transfer->request->is_paced)
		return SHARE_TAKEN;
	if (!transfer->has_paid_name) {
		explain_host(transfer, host, sizeof(host));
		result = shares_take_name(shares, account, host, clock_us());
		transfer->has_paid_name = result == SHARE_TAKEN;
	}
	if (result != SHARE_TAKEN || has_paid(transfer, address))
		return result;
	result = shares_take_address(shares, account, address, clock_us());
	if (result == SHARE_TAKEN && transfer->paid_count < TRANSFER_PAID_MAX)
		transfer->paid[transfer->paid_count++] = *address;
	return result;
}

/* Takes the request that goes to the address next from the shares of its name and of the address,
 * each once. Another address of the host may still have a share. */
static bool pay(struct transfer *transfer, const struct address *address)
{
	transfer->share = pay_parts(transfer, address);
	return transfer->share == SHARE_TAKEN;
}

/* Called when a request is sent: the next one is another. */
static void use_payment(struct transfer *transfer)
{
	transfer->has_paid_name = false;
	transfer->paid_count = 0;
}

static bool take_bytes(struct transfer *transfer, int64_t bytes)
{
	const struct request *request = transfer->request;
	struct shares *shares = transfer->tools->shares;

	if (bytes <= 0 ||
	    (request->download
		 ? shares_take_download(shares, &request->downloads, (size_t)bytes, clock_us())
		 : shares_take_bytes(shares, &request->account, (size_t)bytes, clock_us())))
		return true;
	transfer->share = request->download ? SHARE_DOWNLOADS_USED_UP : SHARE_BYTES_USED_UP;
	return false;
}

/* Counts the bytes of bodies that are sent and received, including dropped bodies of redirects. The
 * counts of libcurl begin anew with each request. */
static int count_bytes(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
		       curl_off_t up)
{
	struct transfer *transfer = context;
	int64_t moved = down + up;
	int64_t more = moved < transfer->moved ? moved : moved - transfer->moved;

	(void)down_total;
	(void)up_total;
	transfer->moved = moved;
	if (transfer->request->download && !download_may_move(transfer, more))
		return 1;
	return take_bytes(transfer, more) ? 0 : 1;
}

/* ---- connections ---- */

/* Opens each connection, those of redirects included. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *wanted)
{
	struct transfer *transfer = context;
	struct address address;

	transfer->is_looking_up = false;
	if (address_of_socket(&wanted->addr, &address) &&
	    address_is_bad_port(address_port(&wanted->addr))) {
		transfer->refused_port = address_port(&wanted->addr);
		return CURL_SOCKET_BAD;
	}
	transfer->why_refused = "neither IPv4 nor IPv6";
	if (purpose == CURLSOCKTYPE_IPCXN && wanted->socktype == SOCK_STREAM &&
	    address_of_socket(&wanted->addr, &address) &&
	    !(transfer->why_refused = why_refused(transfer, &address)) && pay(transfer, &address)) {
		transfer->refused[0] = '\0'; /* that of another address of the host */
		return socket(wanted->family, wanted->socktype | SOCK_CLOEXEC, wanted->protocol);
	}
	if (address_of_socket(&wanted->addr, &address))
		address_write(&address, transfer->refused);
	else
		snprintf(transfer->refused, sizeof(transfer->refused), "of an unknown type");
	return CURL_SOCKET_BAD;
}

/* An open connection may have been opened for a request that may reach more addresses. */
static int check_connection(void *context, char *to, char *from, int to_port, int from_port)
{
	struct transfer *transfer = context;
	struct address address;

	(void)from;
	(void)to_port;
	(void)from_port;
	transfer->is_answered = transfer->has_head = transfer->has_coding = false;
	transfer->why_refused = "neither IPv4 nor IPv6";
	if (address_read(str_from(to), &address) &&
	    !(transfer->why_refused = why_refused(transfer, &address)) && pay(transfer, &address)) {
		use_payment(transfer);
		return CURL_PREREQFUNC_OK;
	}
	snprintf(transfer->refused, sizeof(transfer->refused), "%s", to);
	return CURL_PREREQFUNC_ABORT;
}

static bool is_field(const char *data, size_t length, const char *name)
{
	return length >= strlen(name) && strncasecmp(data, name, strlen(name)) == 0;
}

/* Whether the line is that field, with another value than those. */
static bool has_other_value(const char *data, size_t length, const char *name,
			    const char *const *values)
{
	size_t start = strlen(name);

	if (!is_field(data, length, name))
		return false;
	while (start < length && memchr(" \t", data[start], 2))
		start++;
	while (length > start && memchr(" \t\r\n", data[length - 1], 4))
		length--;
	for (; *values; values++)
		if (strlen(*values) == length - start &&
		    strncasecmp(data + start, *values, length - start) == 0)
			return false;
	return true;
}

/* Nothing of the answer to a webhook is decoded, which is not read, nor of a download. */
static bool decodes(const struct request *request)
{
	return !request->stays && request->download == 0;
}

/* Whether the field announces a coding that libcurl would decode although it was not offered: a
 * frame of zstd takes up to 128 MiB of memory, as its sender chooses. Without an offer, libcurl
 * decodes transfer codings only. Of an answer it would decode five fields, one in the other: each
 * makes a byte into a thousand, and so a packet into gigabytes, at once. */
static bool is_other_coding(struct transfer *transfer, const char *data, size_t length)
{
	static const char *const contents[] = {"gzip", "x-gzip", "identity", "", NULL};
	static const char *const transfers[] = {"chunked", "identity", "", NULL};
	bool had_coding = transfer->has_coding;

	if (has_other_value(data, length, "transfer-encoding:", transfers))
		return true;
	if (!decodes(transfer->request) || !is_field(data, length, "content-encoding:"))
		return false;
	transfer->has_coding = true;
	return had_coding || has_other_value(data, length, "content-encoding:", contents);
}

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t length = size * count;

	transfer->is_looking_up = false;
	transfer->is_answered = true;
	/* A status line begins a new answer: the lines before belong to a redirect or a 1xx. In
	 * trailers it does not. */
	if (length >= 5 && memcmp(data, "HTTP/", 5) == 0 && transfer->body.length == 0) {
		bytes_finish(&transfer->headers);
		transfer->has_head = false;
	}
	transfer->has_head |= length > 0 && memchr("\r\n", data[0], 2) != NULL;
	transfer->headers_total += length;
	transfer->has_long_headers = transfer->headers.length + length > TRANSFER_HEADERS_MAX;
	transfer->has_many_headers = transfer->headers_total > TRANSFER_HEADERS_TOTAL_MAX;
	if (transfer->has_long_headers || transfer->has_many_headers)
		return 0;
	transfer->is_other_coding = is_other_coding(transfer, data, length);
	if (transfer->is_other_coding || !take_bytes(transfer, (int64_t)length))
		return 0;
	bytes_add(&transfer->headers, data, length);
	return transfer->headers.failed ? 0 : length;
}

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t length = size * count;

	if (transfer->body.length + length > TRANSFER_BODY_MAX) {
		transfer->is_too_large = true;
		return 0;
	}
	/* Reserve the maximum for a large body, instead of growing by half of its size. */
	if (transfer->body.length + length > TRANSFER_BODY_MAX / 2)
		bytes_reserve(&transfer->body, TRANSFER_BODY_MAX - transfer->body.length);
	bytes_add(&transfer->body, data, length);
	return transfer->body.failed ? 0 : length;
}

static bool set_text(CURL *easy, CURLoption option, const char *text)
{
	return curl_easy_setopt(easy, option, text) == CURLE_OK;
}

static bool set_method(CURL *easy, const struct request *request)
{
	bool has_body = request->body.length > 0;

	if (strcmp(request->method, "HEAD") == 0) {
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	} else if (strcmp(request->method, "POST") == 0 || has_body) {
		curl_easy_setopt(easy, CURLOPT_POST, 1L);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, has_body ? request->body.data : "");
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)request->body.length);
	}
	if (strcmp(request->method, "GET") == 0
		? has_body
		: strcmp(request->method, "HEAD") != 0 && strcmp(request->method, "POST") != 0)
		return set_text(easy, CURLOPT_CUSTOMREQUEST, request->method);
	return true;
}

/* Sets the options that libcurl copies. Returns false if there is no memory: without one of them
 * the transfer would be another. Of content, only gzip is decoded. */
static bool set_texts(const struct transfer *transfer)
{
	const struct request *request = transfer->request;
	const char *protocols = request->download ? "https" : "http,https";
	CURL *easy = transfer->easy;

	return set_text(easy, CURLOPT_URL, request->url) &&
	       set_text(easy, CURLOPT_PROTOCOLS_STR, protocols) &&
	       set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, protocols) &&
	       set_text(easy, CURLOPT_PROXY, "") &&
	       (!decodes(request) || set_text(easy, CURLOPT_ACCEPT_ENCODING, "gzip")) &&
	       (request->has_user_agent || set_text(easy, CURLOPT_USERAGENT, AGENT)) &&
	       set_method(easy, request) && trust_use(&transfer->tools->trust, easy);
}

/* Sets the other options: no password file and no cookie of an earlier request is used. */
static void set_up(struct transfer *transfer)
{
	CURL *easy = transfer->easy;
	const struct request *request = transfer->request;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->why);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, request->stays ? 0L : 1L);
	curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)TRANSFER_REDIRECTS_MAX);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, check_connection);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, count_bytes);
	curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)TRANSFER_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, begin_look_up);
	curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, transfer);
	/* A silent name server must not block the loop: the thread of the look-up is abandoned. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	/* The thread that looks a name up allocates what it finds, for no tenant: it is kept for
	 * the transfer only. */
	curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
	/* Frames of HTTP/2 that libcurl answers, such as SETTINGS, would keep the loop busy for
	 * seconds: it reads 100 pieces of 32 KiB before it turns to other connections. */
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->headers);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	if (request->download)
		download_set_up(transfer);
}

static bool add_easy(struct transfer *transfer)
{
	transfer->easy = curl_easy_init();
	if (!transfer->easy)
		return false;
	set_up(transfer);
	if (set_texts(transfer) &&
	    curl_multi_add_handle(transfer->tenant->multi, transfer->easy) == CURLM_OK)
		return true;
	curl_easy_cleanup(transfer->easy);
	transfer->easy = NULL;
	return false;
}

bool transfer_start(struct transfer *transfer, const struct transfer_tools *tools,
		    struct tenant *tenant, const struct request *request)
{
	struct budget *before = budget_enter(tenant->budget);
	bool is_started;

	*transfer = (struct transfer){.request = request,
				      .tools = tools,
				      .tenant = tenant,
				      .is_new = true,
				      .has_paid_name = true};
	is_started = add_easy(transfer);
	(void)budget_enter(before);
	return is_started;
}

void transfer_end(struct transfer *transfer, CURLcode code, struct reply *ret_reply,
		  int64_t *ret_lifetime_s)
{
	long status = 0, sent = 0;
	char *url = NULL;

	struct budget *before;

	*ret_lifetime_s = 0;
	if (curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent) == CURLE_OK)
		(void)!take_bytes(transfer, sent);
	/* libcurl takes a head that is cut off for a whole one. */
	if (code == CURLE_OK && !transfer->has_head)
		code = CURLE_PARTIAL_FILE;
	if (code != CURLE_OK) {
		explain(transfer, code, ret_reply);
		return;
	}
	before = budget_enter(transfer->tenant->budget);
	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &url);
	if (!transfer->request->download)
		*ret_lifetime_s =
		    reply_lifetime_s(transfer->request->method, transfer->request->ttl_s, status,
				     &transfer->headers);
	reply_set_answer(ret_reply, status, url ? url : transfer->request->url, &transfer->headers,
			 &transfer->body);
	(void)budget_enter(before);
	if (ret_reply->members.length == 0) {
		*ret_lifetime_s = 0;
		explain(transfer, CURLE_OUT_OF_MEMORY, ret_reply);
	}
}

void transfer_finish(struct transfer *transfer)
{
	if (transfer->easy) {
		struct budget *before = budget_enter(transfer->tenant->budget);

		curl_multi_remove_handle(transfer->tenant->multi, transfer->easy);
		curl_easy_cleanup(transfer->easy);
		(void)budget_enter(before);
	}
	bytes_finish(&transfer->headers);
	bytes_finish(&transfer->body);
	*transfer = (struct transfer){0};
}
