#include "download.h"

#include "client.h"

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

enum { STATUS_OK = 200, STATUS_PART = 206, MICROSECONDS_A_MS = 1000, ORDER_LENGTH_MAX = 128 };

void download_set_up(struct transfer *transfer)
{
	CURL *easy = transfer->easy;

	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)DOWNLOAD_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)DOWNLOAD_CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, (long)DOWNLOAD_SLOW_BYTES);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)DOWNLOAD_SLOW_S);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, download_write);
}

static void send_part(struct transfer *transfer, struct str data)
{
	struct download *download = &transfer->download;
	struct budget *before = budget_enter(NULL);
	curl_off_t size = -1;

	curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
	client_send_part(download->client, download->id, size, data);
	download->window -= data.length;
	download->bytes += data.length;
	(void)budget_enter(before);
}

size_t download_write(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	struct download *download = &transfer->download;
	size_t length = size * count;
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != STATUS_OK && status != STATUS_PART)
		return length; /* count_bytes() limits it */
	if (length > transfer->request->download - download->bytes) {
		transfer->is_too_large = true;
		return 0;
	}
	if (length > download->window) {
		download->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	send_part(transfer, (struct str){data, length});
	return download->client->is_gone ? 0 : length;
}

bool download_may_move(struct transfer *transfer, int64_t more)
{
	struct download *download = &transfer->download;

	download->moved += more;
	/* Paused bytes have moved, too, but are not passed on yet. */
	if (download->moved <=
	    (int64_t)transfer->request->download + DOWNLOAD_OTHER_BYTES_MAX + DOWNLOAD_WINDOW)
		return true;
	transfer->is_too_large = true;
	return false;
}

bool download_order_read(struct str head, struct download_order *ret_order)
{
	yyjson_doc *doc =
	    head.length <= ORDER_LENGTH_MAX ? yyjson_read(head.data, head.length, 0) : NULL;
	yyjson_val *root = yyjson_doc_get_root(doc), *take = yyjson_obj_get(root, "take");
	yyjson_val *drop = yyjson_obj_get(root, "drop"), *id;
	int64_t bytes = yyjson_get_sint(yyjson_obj_get(take, "bytes"));
	bool is_order;

	id = yyjson_obj_get(take ? take : drop, "id");
	is_order = yyjson_is_int(id) && (!take || (bytes > 0 && bytes <= DOWNLOAD_WINDOW));
	*ret_order = (struct download_order){yyjson_get_sint(id), take ? (size_t)bytes : 0};
	yyjson_doc_free(doc);
	return is_order;
}

void download_take(struct transfer *transfer, size_t bytes)
{
	struct download *download = &transfer->download;
	struct budget *before;

	download->window += bytes;
	if (download->window > DOWNLOAD_WINDOW)
		download->window = DOWNLOAD_WINDOW;
	/* With half of it, not for each part. */
	if (!download->is_paused || !transfer->easy || download->window < DOWNLOAD_WINDOW / 2)
		return;
	download->is_paused = false;
	before = budget_enter(transfer->tenant->budget);
	curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
	(void)budget_enter(before);
}

static bool was_slow(const struct transfer *transfer)
{
	curl_off_t took_us = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME_T, &took_us);
	return took_us < (curl_off_t)DOWNLOAD_TIMEOUT_MS * MICROSECONDS_A_MS;
}

bool download_explain(const struct transfer *transfer, CURLcode code, const char *host,
		      struct reply *reply)
{
	enum { KIB = 1 << 10, MIB = 1 << 20 };
	size_t size = transfer->request->download; /* whole units */
	curl_off_t connected_us = 0;

	if (transfer->is_too_large || code == CURLE_FILESIZE_EXCEEDED) {
		reply_set_error(reply, "the file of %s is larger than %zu %s", host,
				size >= MIB ? size / MIB : size / KIB, size >= MIB ? "MiB" : "KiB");
		return true;
	}
	if (code == CURLE_UNSUPPORTED_PROTOCOL && transfer->has_head) {
		reply_set_error(reply, "%s redirects to an address without https://", host);
		return true;
	}
	if (code != CURLE_OPERATION_TIMEDOUT)
		return false;
	curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	if (connected_us == 0)
		reply_set_error(reply, "%s takes more than %ds to connect", host,
				DOWNLOAD_CONNECT_MS / 1000);
	else if (was_slow(transfer))
		reply_set_error(reply, "%s is too slow: less than %d kB a second for %d s", host,
				DOWNLOAD_SLOW_BYTES / 1000, DOWNLOAD_SLOW_S);
	else
		reply_set_error(reply, "the file of %s takes more than %d minutes", host,
				DOWNLOAD_TIMEOUT_MS / 60000);
	return true;
}
