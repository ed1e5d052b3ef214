/* TLS clients that connect, send one request, and leave or stay, to measure a server's cost of
 * handshakes. Many in one process with one thread; by OpenSSL, whose own cost is small. */
#include "base/clock.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <text/str.h>
#include <unistd.h>

static const char usage[] = "tls_clients PORT 1.2|1.3 full|resumed times SECONDS CONNECTIONS\n"
			    "    connects again and again, so many at a time\n"
			    "tls_clients PORT 1.2|1.3 full|resumed stay FILE\n"
			    "    connects once for each path of the file, all at once, each from "
			    "an address of its own, and\n"
			    "    asks for a WebSocket there; one that is refused tries again after "
			    "a second. Ends with its\n"
			    "    input.\n"
			    "The server is at 127.0.0.1. Prints one line of JSON.\n";

enum { EVENTS = 256, RETRY_MS = 1000, PATHS_MAX = 20000, ANSWER_BYTES = 4096 };

struct client {
	int fd; /* -1: the client waits until retry_ms, or is done */
	SSL *ssl;
	bool is_late; /* in run.late */
	bool has_asked;
	bool is_done; /* it has its answer, and stays */
	uint64_t began_us;
	uint64_t retry_ms;
};

static struct {
	int epoll;
	int late; /* clients that wait for the end of their handshake; in epoll, too */
	struct sockaddr_in server;
	SSL_CTX *context;
	SSL_SESSION *session; /* NULL: each handshake is a full one */
	bool stays;
	char *paths[PATHS_MAX];
	struct client *clients;
	unsigned count;
	unsigned done, resumed, failed;
	uint32_t *times_us;
	unsigned times_room;
} run;

static void tls_clients_fail(const char *what)
{
	fprintf(stderr, "tls_clients: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned read_number(const char *text)
{
	unsigned long long value;

	if (!str_to_uint64(str_from(text), 1000000, &value)) {
		fprintf(stderr, "tls_clients: not a number: %s\n", text);
		exit(2);
	}
	return (unsigned)value;
}

static int keep_session(SSL *ssl, SSL_SESSION *session)
{
	(void)ssl;
	SSL_SESSION_free(run.session);
	run.session = session;
	return 1;
}

static void drop(struct client *client)
{
	struct linger at_once = {.l_onoff = 1};

	if (client->fd < 0)
		return;
	/* Closes with a reset, so that the kernel keeps no state of the connection. */
	setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(client->fd);
	/* Otherwise OpenSSL marks the session as invalid. */
	SSL_set_shutdown(client->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
	SSL_free(client->ssl);
	client->fd = -1;
	client->ssl = NULL;
}

static void tls_clients_begin(struct client *client)
{
	unsigned number = (unsigned)(client - run.clients);
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = client};
	struct sockaddr_in own = {.sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(0x7f010000 + number)};

	*client = (struct client){.began_us = clock_monotonic_us()};
	client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		tls_clients_fail("socket");
	/* The end of the handshake and the request are two writes. */
	setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	if (run.stays && bind(client->fd, (struct sockaddr *)&own, sizeof(own)) < 0)
		tls_clients_fail("bind");
	if (connect(client->fd, (struct sockaddr *)&run.server, sizeof(run.server)) < 0 &&
	    errno != EINPROGRESS)
		tls_clients_fail("connect");
	client->ssl = SSL_new(run.context);
	SSL_set_fd(client->ssl, client->fd);
	SSL_set_tlsext_host_name(client->ssl, "localhost");
	SSL_set_connect_state(client->ssl);
	if (run.session)
		SSL_set_session(client->ssl, run.session);
	if (epoll_ctl(run.epoll, EPOLL_CTL_ADD, client->fd, &event) < 0)
		tls_clients_fail("epoll_ctl");
}

static void note_time(uint64_t time_us)
{
	if (run.done == run.times_room) {
		run.times_room = run.times_room ? 2 * run.times_room : 4096;
		run.times_us =
		    memory_realloc(run.times_us, run.times_room * sizeof(run.times_us[0]));
	}
	run.times_us[run.done++] = (uint32_t)time_us;
}

/* Sends the request once the handshake is done. Returns false if it waits (errno is 0) or has
 * failed (errno). */
static bool tls_clients_ask(struct client *client)
{
	char request[512];
	const char *path = run.stays ? run.paths[client - run.clients] : "/livez";
	int length;

	if (SSL_do_handshake(client->ssl) != 1)
		return false;
	if (client->has_asked)
		return true;
	length =
	    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path,
		     run.stays ? "Connection: Upgrade\r\nUpgrade: websocket\r\n"
				 "Sec-WebSocket-Version: 13\r\n"
				 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
			       : "");
	client->has_asked = SSL_write(client->ssl, request, length) == length;
	return client->has_asked;
}

static bool is_waiting(const struct client *client, int result)
{
	int error = SSL_get_error(client->ssl, result);

	return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

static void step(struct client *client)
{
	char answer[ANSWER_BYTES];
	int result = -1;
	bool is_answer;

	if (client->fd < 0 || client->is_done)
		return;
	ERR_clear_error();
	if (tls_clients_ask(client))
		result = SSL_read(client->ssl, answer, sizeof(answer));
	if (result <= 0 && is_waiting(client, result))
		return;
	is_answer =
	    result > 12 && memcmp(answer, run.stays ? "HTTP/1.1 101" : "HTTP/1.1 200", 12) == 0;
	if (is_answer) {
		note_time(clock_monotonic_us() - client->began_us);
		run.resumed += SSL_session_reused(client->ssl);
		client->is_done = run.stays;
	} else {
		run.failed++;
	}
	if (!client->is_done)
		drop(client);
	if (!is_answer && run.stays)
		client->retry_ms = clock_monotonic_ms() + RETRY_MS;
	else if (!run.stays)
		tls_clients_begin(client);
}

/* Moves a client to run.late if it has computed its part, and waits for the server's last message.
 */
static void be_late(struct client *client)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = client};

	if (client->fd < 0 || client->is_late || SSL_get_state(client->ssl) != TLS_ST_CW_FINISHED)
		return;
	client->is_late = true;
	if (epoll_ctl(run.epoll, EPOLL_CTL_DEL, client->fd, NULL) < 0 ||
	    epoll_ctl(run.late, EPOLL_CTL_ADD, client->fd, &event) < 0)
		tls_clients_fail("epoll_ctl");
}

static void step_late(void)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(run.late, events, EVENTS, 0);

	for (int i = 0; i < count; i++)
		step(events[i].data.ptr);
}

static void retry(void)
{
	uint64_t now_ms = clock_monotonic_ms();

	for (unsigned i = 0; run.stays && i < run.count; i++)
		if (run.clients[i].retry_ms && run.clients[i].retry_ms <= now_ms)
			tls_clients_begin(&run.clients[i]);
}

/* A client whose handshake ends asks at once, as if each had a processor of its own. Otherwise all
 * would ask in the same moment, after the last one has computed its part. */
static void turn(void)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(run.epoll, events, EVENTS, 100);

	for (int i = 0; i < count; i++) {
		if (events[i].data.ptr) {
			step(events[i].data.ptr);
			be_late(events[i].data.ptr);
		}
		step_late();
	}
	retry();
}

/* ---- */

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static unsigned at(double share)
{
	return run.done ? run.times_us[(unsigned)(share * (run.done - 1))] : 0;
}

static void tell(uint64_t began_us)
{
	double seconds = (double)(clock_monotonic_us() - began_us) / 1e6;

	qsort(run.times_us, run.done, sizeof(run.times_us[0]), compare);
	printf("{\"handshakes\":%u,\"resumed\":%u,\"failed\":%u,\"seconds\":%.3f,\"p50_us\":%u,"
	       "\"p99_us\":%u,\"p999_us\":%u,\"max_us\":%u}\n",
	       run.done, run.resumed, run.failed, seconds, at(0.5), at(0.99), at(0.999), at(1));
	fflush(stdout);
}

static void begin_all(unsigned count)
{
	run.clients = memory_zalloc(count * sizeof(run.clients[0]));
	run.count = count;
	for (unsigned i = 0; i < count; i++)
		tls_clients_begin(&run.clients[i]);
}

/* Gets a session for all clients from a first connection that is not counted. */
static void fetch_session(void)
{
	bool stays = run.stays;

	SSL_CTX_set_session_cache_mode(run.context,
				       SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(run.context, keep_session);
	run.stays = false;
	begin_all(1);
	while (run.done == 0)
		turn();
	drop(&run.clients[0]);
	SSL_CTX_set_session_cache_mode(run.context, SSL_SESS_CACHE_OFF);
	free(run.clients);
	run.done = run.resumed = run.failed = 0;
	run.stays = stays;
	if (!run.session) {
		fprintf(stderr, "tls_clients: the server gives no tickets\n");
		exit(1);
	}
}

static void make_polls(void)
{
	run.epoll = epoll_create1(EPOLL_CLOEXEC);
	run.late = epoll_create1(EPOLL_CLOEXEC);
	if (run.epoll < 0 || run.late < 0 ||
	    epoll_ctl(run.epoll, EPOLL_CTL_ADD, run.late,
		      &(struct epoll_event){.events = EPOLLIN}) < 0)
		tls_clients_fail("epoll");
}

static void set_up(char **argv)
{
	int version = strcmp(argv[2], "1.3") == 0 ? TLS1_3_VERSION : TLS1_2_VERSION;
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	signal(SIGPIPE, SIG_IGN);
	run.server = (struct sockaddr_in){.sin_family = AF_INET,
					  .sin_port = htons((uint16_t)read_number(argv[1])),
					  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	make_polls();
	run.context = SSL_CTX_new(TLS_client_method());
	SSL_CTX_set_min_proto_version(run.context, version);
	SSL_CTX_set_max_proto_version(run.context, version);
	SSL_CTX_set_mode(run.context, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set1_groups_list(run.context, "P-256");
	/* The suite that nginx is limited to: displayd takes the client's first one, SHA-384. */
	SSL_CTX_set_ciphersuites(run.context, "TLS_AES_128_GCM_SHA256");
	if (strcmp(argv[3], "resumed") == 0)
		fetch_session();
}

static unsigned read_paths(const char *name)
{
	FILE *file = fopen(name, "re");
	char line[300];
	unsigned count = 0;

	if (!file)
		tls_clients_fail(name);
	while (count < PATHS_MAX && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		run.paths[count++] = strdup(line);
	}
	fclose(file);
	return count;
}

int main(int argc, char **argv)
{
	bool stays = argc == 6 && strcmp(argv[4], "stay") == 0;
	uint64_t began_us;

	if (!stays && argc != 7) {
		fputs(usage, stderr);
		return 2;
	}
	set_up(argv);
	run.stays = stays;
	began_us = clock_monotonic_us();
	if (stays) {
		begin_all(read_paths(argv[5]));
		while (run.done < run.count)
			turn();
	} else {
		uint64_t end_us = began_us + read_number(argv[5]) * UINT64_C(1000000);

		begin_all(read_number(argv[6]));
		while (clock_monotonic_us() < end_us)
			turn();
	}
	tell(began_us);
	while (stays && getchar() != EOF)
		;
	return 0;
}
