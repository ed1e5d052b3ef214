/* A worker's connection to the egress, with a render host and an egress played by the test. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "egress.h"
#include "frame.h"
#include "render/host.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FETCHES = 64, MEBIBYTE = 1024 * 1024 };

static struct loop loop;
static uv_idle_t idle; /* keeps an idle loop turning */
static struct host_link *host_link;
static struct egress *egress;
static int host;	/* the test's end */
static int link_socket; /* the egress's end */
static char body[MEBIBYTE];

static struct asked {
	struct egress_fetch fetch;
	unsigned answered;
	char head[256];
} asked[FETCHES];

static void on_idle(uv_idle_t *handle)
{
	(void)handle;
}

static void step(void)
{
	for (int i = 0; i < 3; i++)
		uv_run(&loop.uv, UV_RUN_NOWAIT);
}

static void on_answered(struct egress_fetch *fetch, struct str head, struct str bytes)
{
	struct asked *mine = container_of(fetch, struct asked, fetch);

	(void)bytes;
	mine->answered++;
	snprintf(mine->head, sizeof(mine->head), "%.*s", STR_ARG(head));
}

static void ask(unsigned number, uint8_t account, size_t length)
{
	struct egress_asker asker = {{{account}}, STR("app")};
	yyjson_doc *doc = yyjson_read("{\"id\":7,\"url\":\"http://a\"}", 25, YYJSON_READ_NOFLAG);

	assert_non_null(doc);
	asked[number] = (struct asked){.fetch.answered = on_answered};
	egress_ask(egress, &asked[number].fetch, yyjson_doc_get_root(doc),
		   (struct str){body, length}, &asker);
	yyjson_doc_free(doc);
	step();
}

static bool is_refused(unsigned number)
{
	return asked[number].answered == 1 && strstr(asked[number].head, "too many requests");
}

/* ---- the host and the egress ---- */

static void start_link(void)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct host_message message = {0};
	struct iovec part = {.iov_base = &message, .iov_len = sizeof(message)};
	struct msghdr packet = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control.bytes,
				.msg_controllen = sizeof(control.bytes)};
	int links[2];

	do
		assert_int_equal(recv(host, &message, sizeof(message), MSG_DONTWAIT),
				 sizeof(message));
	while (message.kind != HOST_START);
	assert_int_equal(message.program, RENDER_EGRESS);
	message.kind = HOST_STARTED;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, links), 0);
	link_socket = links[0];
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &links[1], sizeof(int));
	assert_int_equal(sendmsg(host, &packet, 0), sizeof(message));
	close(links[1]);
	step();
}

static void write_head(const char *head)
{
	struct buffer bytes = {0};
	struct str view;

	assert_true(frame_append(&bytes, str_from(head), STR("")));
	view = buffer_view(&bytes);
	assert_int_equal(write(link_socket, view.data, view.length), view.length);
	buffer_finish(&bytes);
	step();
}

static void start_greeted(void)
{
	start_link();
	write_head("{\"engine\":\"EGRESS\",\"library\":\"test\",\"layers\":\"none\"}");
}

static void read_all(void)
{
	while (recv(link_socket, body, sizeof(body), MSG_DONTWAIT) > 0)
		step();
}

static int open_all(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(loop_init(&loop), 0);
	uv_idle_init(&loop.uv, &idle);
	uv_idle_start(&idle, on_idle);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	host = ends[0];
	link_socket = -1;
	host_link = host_link_open(&loop, ends[1], NULL);
	egress = egress_create(&loop, host_link);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	egress_destroy(egress);
	host_link_close(host_link);
	step();
	uv_close((uv_handle_t *)&idle, NULL);
	loop_finish(&loop);
	close(host);
	if (link_socket >= 0)
		close(link_socket);
	return 0;
}

#define CASE(name) TEST_IN(name, open_all, close_all)

/* This also holds if the script has named one. */
CASE(requests_name_their_account)
{
	char bytes[512] = {0};
	struct frame frame;
	struct egress_asker asker = {{{3}}, STR("app")};
	const char *text = "{\"id\":7,\"url\":\"http://a\",\"account\":\"another\","
			   "\"stays\":true,\"paced\":true}";
	yyjson_doc *doc = yyjson_read(text, strlen(text), YYJSON_READ_NOFLAG);
	char id[ID_TEXT_LENGTH + 1];
	ssize_t length;

	asked[0] = (struct asked){.fetch.answered = on_answered};
	egress_ask(egress, &asked[0].fetch, yyjson_doc_get_root(doc), STR(""), &asker);
	yyjson_doc_free(doc);
	step();
	start_link();
	write_head("{\"engine\":\"EGRESS\"}");
	length = recv(link_socket, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);
	assert_true(length > 0);
	assert_int_equal(frame_read((struct str){bytes, (size_t)length}, &frame), FRAME_IS_WHOLE);
	id_format(asker.account, id);
	assert_non_null(memmem(frame.head.data, frame.head.length, id, strlen(id)));
	assert_null(memmem(frame.head.data, frame.head.length, "another", 7));
	/* These are for displayd itself. */
	assert_null(memmem(frame.head.data, frame.head.length, "stays", 5));
	assert_null(memmem(frame.head.data, frame.head.length, "paced", 5));
	egress_forget(&asked[0].fetch);
}

/* ---- the tests ---- */

/* Fills with fetches that were cancelled. They keep their places until they are written. */
static unsigned fill(uint8_t account)
{
	unsigned count = 0;

	for (; count < FETCHES; count++) {
		ask(count, account, sizeof(body));
		if (asked[count].answered)
			break;
		egress_forget(&asked[count].fetch);
	}
	assert_true(count < FETCHES);
	assert_true(is_refused(count));
	return count;
}

CASE(test_what_waits_has_a_bound_and_shares)
{
	unsigned first, second;

	ask(0, 1, 0);
	start_greeted();
	first = fill(1);
	assert_in_range(first, 6, 10);
	/* Other accounts have the rest. */
	second = fill(2);
	assert_in_range(second, 2, 6);
	ask(0, 3, 0);
	assert_int_equal(asked[0].answered, 0);
	read_all();
	assert_true(fill(1) >= first);
}

CASE(test_what_waits_for_the_start_has_the_bound_too)
{
	assert_in_range(fill(1), 6, 8);
	start_greeted();
	read_all();
	assert_true(fill(1) >= 6);
}

CASE(test_a_text_that_is_no_utf8_fails_its_fetch_alone)
{
	static const char *const bad[] = {
	    "{\"fetch\":{\"id\":1,\"error\":\"aaaa\xc3\"}}",
	    "{\"fetch\":{\"id\":1,\"status\":200,\"headers\":{\"a\xff\":\"b\"}}}",
	};

	for (size_t i = 0; i < array_length(bad); i++) {
		ask(0, 1, 0);
		ask(1, 2, 0);
		start_greeted();
		write_head(bad[i]);
		assert_int_equal(asked[0].answered, 1);
		assert_non_null(strstr(asked[0].head, "\"id\":7,\"error\":\"the network is unav"));
		assert_int_equal(asked[1].answered, 0);
		write_head("{\"fetch\":{\"id\":2,\"status\":200}}");
		assert_int_equal(asked[1].answered, 1);
		assert_non_null(strstr(asked[1].head, "\"status\":200"));
		close_all(state);
		open_all(state);
	}
}

static void pass_deadline(void)
{
	struct deadline *deadline = loop.heap[1];

	deadline_clear(&loop, deadline);
	deadline->run(deadline);
	step();
}

/* Neither cancelled nor new requests give it more time. */
CASE(test_one_that_hangs_is_left)
{
	uint64_t at;

	ask(0, 1, 0);
	start_greeted();
	at = loop.heap[1]->at_ms;
	egress_forget(&asked[0].fetch);
	ask(1, 1, 0);
	ask(2, 1, 0);
	assert_int_equal(loop.heap[1]->at_ms, at);
	pass_deadline();
	for (unsigned i = 1; i <= 2; i++) {
		assert_int_equal(asked[i].answered, 1);
		assert_non_null(strstr(asked[i].head, "the network is unavailable"));
	}
	assert_int_equal(asked[0].answered, 0);
}

/* The egress survives a late answer, but ends when idle. */
CASE(test_the_last_one_is_forgotten)
{
	uint64_t at;

	ask(0, 1, 0);
	start_greeted();
	at = loop.heap[1]->at_ms;
	egress_forget(&asked[0].fetch);
	write_head("{\"fetch\":{\"id\":1,\"status\":200}}");
	assert_true(loop.heap[1]->at_ms > at + 60 * 1000);
	assert_int_equal(asked[0].answered, 0);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	return run_all_tests(NULL, NULL);
}
