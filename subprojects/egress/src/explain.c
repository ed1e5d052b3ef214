#include "explain.h"
#include "download.h"

#include <stdio.h>
#include <string.h>

/* libcurl ends the line of a trailer there (DYN_H1_TRAILER). */
#define TRAILER_LINE_MAX_KIB 4
/* CURLE_TOO_LARGE of later versions of libcurl. */
#define CODE_TOO_LARGE 100

void explain_host(const struct transfer *transfer, char *to, size_t size)
{
	char *url = NULL, *host = NULL;
	CURLU *parts = curl_url();

	snprintf(to, size, "%.200s", transfer->request->host);
	curl_easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &url);
	if (parts && url && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
		snprintf(to, size, "%.200s", host);
		curl_free(host);
	}
	curl_url_cleanup(parts);
}

/* Explains an address that is refused. Whoever may not reach local addresses is not told to which
 * one a name resolves. */
static void explain_address(const struct transfer *transfer, const char *host, struct reply *reply)
{
	bool is_local = strcmp(transfer->why_refused, TRANSFER_NOT_PUBLIC) == 0;
	const char *unlisted =
	    is_local && transfer->is_unlisted ? reach_sentence(REACH_NOT_LISTED) : NULL;
	const char *public = is_local ? transfer->request->why_public : NULL;
	const char *bare = host[0] == '[' ? host + 1 : host;
	size_t length = strlen(transfer->refused);
	bool is_literal = strncmp(bare, transfer->refused, length) == 0 &&
			  (bare[length] == '\0' || bare[length] == ']');

	if (transfer->request->why_public && !is_literal)
		reply_set_error(reply, "%s has an address that is %s%s%s%s%s", host,
				transfer->why_refused, is_local ? ": " : "", unlisted ?: "",
				unlisted && public ? "; " : "", public ?: "");
	else
		reply_set_error(reply, "%s has the address %s, which is %s%s%s%s%s", host,
				transfer->refused, transfer->why_refused, is_local ? ": " : "",
				unlisted ?: "", unlisted && public ? "; " : "", public ?: "");
}

/* Explains what the transfer itself has refused. Returns false if it has not refused anything. */
static bool explain_refusal(const struct transfer *transfer, const char *host, struct reply *reply)
{
	if (transfer->share != SHARE_TAKEN)
		shares_explain(transfer->share, host, reply);
	else if (transfer->is_too_large)
		reply_set_error(reply, "the response of %s is larger than %d MiB", host,
				TRANSFER_BODY_MAX >> 20);
	else if (transfer->has_long_headers)
		reply_set_error(reply, "the headers of %s are longer than %d KiB", host,
				TRANSFER_HEADERS_MAX >> 10);
	else if (transfer->has_many_headers)
		reply_set_error(reply,
				"the headers of %s, those of redirects and interim responses "
				"included, are longer than %d KiB",
				host, TRANSFER_HEADERS_TOTAL_MAX >> 10);
	else if (transfer->is_other_coding)
		reply_set_error(reply, "%s answers in a coding that was not offered: gzip was",
				host);
	else if (tenant_ran_out(transfer->tenant))
		reply_set_error(reply,
				"the response of %s takes more memory than the requests of an "
				"account have: %d MiB for each response",
				host, TENANT_TRANSFER_BYTES >> 20);
	else
		return false;
	return true;
}

/* Explains why there is no connection. */
static void explain_connection(const struct transfer *transfer, const char *host,
			       struct reply *reply)
{
	if (transfer->refused[0])
		explain_address(transfer, host, reply);
	else if (transfer->refused_port)
		reply_set_error(reply, "%s redirects to port %d, which belongs to another protocol",
				host, transfer->refused_port);
	else
		reply_set_error(reply, "%s cannot be reached", host);
}

/* Whether a line was longer than libcurl keeps: it reports a lack of memory then, of trailers in
 * words only. A real lack is the account's, and was explained before. */
static bool is_long_line(const struct transfer *transfer, CURLcode code)
{
	return code == CURLE_OUT_OF_MEMORY || (int)code == CODE_TOO_LARGE ||
	       (code == CURLE_RECV_ERROR && strstr(transfer->why, "Out of memory"));
}

/* The limit of libcurl for a line of the head is above TRANSFER_HEADERS_MAX. */
static void explain_line(const struct transfer *transfer, const char *host, struct reply *reply)
{
	if (transfer->has_head)
		reply_set_error(reply, "a trailer line of %s is longer than %d KiB", host,
				TRAILER_LINE_MAX_KIB);
	else
		reply_set_error(reply, "the headers of %s are longer than %d KiB", host,
				TRANSFER_HEADERS_MAX >> 10);
}

/* Explains an answer that began, or did not begin, and was not HTTP. */
static void explain_answer(const struct transfer *transfer, CURLcode code, const char *host,
			   struct reply *reply)
{
	const char *why = transfer->why[0] ? transfer->why : curl_easy_strerror(code);

	if (transfer->is_answered)
		reply_set_error(reply, "the response of %s is incomplete or invalid: %s", host,
				why);
	else if (code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_UNSUPPORTED_PROTOCOL)
		reply_set_error(reply, "%s does not speak HTTP", host);
	else if (code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR)
		reply_set_error(reply, "%s closed the connection before it answered", host);
	else
		reply_set_error(reply, "%s did not answer: %s", host, why);
}

void explain(const struct transfer *transfer, CURLcode code, struct reply *reply)
{
	char host[256];

	explain_host(transfer, host, sizeof(host));
	if (transfer->request->download && transfer->share == SHARE_TAKEN &&
	    download_explain(transfer, code, host, reply))
		return;
	if (explain_refusal(transfer, host, reply))
		return;
	if (code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK)
		explain_connection(transfer, host, reply);
	else if (code == CURLE_COULDNT_RESOLVE_HOST)
		reply_set_error(reply, "host %s was not found", host);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		reply_set_error(reply, "%s takes more than %ds", host, TRANSFER_TIMEOUT_MS / 1000);
	else if (code == CURLE_TOO_MANY_REDIRECTS)
		reply_set_error(reply, "%s redirects more than %d times", host,
				TRANSFER_REDIRECTS_MAX);
	else if (code == CURLE_UNSUPPORTED_PROTOCOL && transfer->has_head)
		reply_set_error(
		    reply, "%s redirects to an address with neither https:// nor http://", host);
	else if (code == CURLE_URL_MALFORMAT && transfer->has_head)
		reply_set_error(reply, "%s redirects to an invalid address", host);
	else if (code == CURLE_PEER_FAILED_VERIFICATION)
		reply_set_error(reply, "the certificate of %s is not valid: %s", host,
				transfer->why);
	else if (code == CURLE_SSL_CONNECT_ERROR)
		reply_set_error(reply, "the TLS handshake with %s failed: %s", host, transfer->why);
	else if (code == CURLE_BAD_CONTENT_ENCODING)
		reply_set_error(reply, "the response of %s is not valid gzip", host);
	else if (is_long_line(transfer, code))
		explain_line(transfer, host, reply);
	else
		explain_answer(transfer, code, host, reply);
}
