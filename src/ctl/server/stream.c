#include "ctl/server/stream.h"
#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECT_MS = 10 * 1000, ANSWER_MS = 30 * 1000, PIECE_BYTES = 16 * 1024 };

/* Waits this long for each piece, but not beyond the stream's end. */
static bool set_patience(const struct stream *stream, int most_ms)
{
	uint64_t now_ms = clock_monotonic_ms();
	uint64_t left_ms = stream->ends_at_ms > now_ms ? stream->ends_at_ms - now_ms : 0;
	struct timeval patience;

	if (left_ms > (uint64_t)most_ms)
		left_ms = (uint64_t)most_ms;
	patience.tv_sec = (time_t)(left_ms / 1000);
	patience.tv_usec = (suseconds_t)(left_ms % 1000 * 1000);
	setsockopt(stream->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(stream->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return left_ms > 0;
}

int stream_connect_socket(const char *path, int patience_ms, struct stream *ret)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*ret = (struct stream){
	    .fd = -1, .piece_ms = patience_ms ? patience_ms : ANSWER_MS, .ends_at_ms = UINT64_MAX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ret->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ret->fd < 0)
		return -errno;
	set_patience(ret, ret->piece_ms);
	return connect(ret->fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno
											: 0;
}

/* ---- TCP ---- */

static int try_address(const struct addrinfo *address, struct stream *stream)
{
	const int on = 1;

	stream->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (stream->fd < 0)
		return -errno;
	set_patience(stream, CONNECT_MS);
	if (connect(stream->fd, address->ai_addr, address->ai_addrlen) == 0) {
		setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		return 0;
	}
	/* A connect() that takes longer than SO_SNDTIMEO says so. */
	return errno == EINPROGRESS ? -ETIMEDOUT : -errno;
}

static int connect_tcp(const struct wire_url *url, struct stream *stream, struct reason *reterr)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
	struct addrinfo *addresses = NULL;
	char port[sizeof("65535")];
	int error;

	snprintf(port, sizeof(port), "%u", url->port);
	error = getaddrinfo(url->host, port, &hints, &addresses);
	if (error)
		return reason_set(reterr, "cannot reach %s: %s", url->authority,
				  gai_strerror(error));
	error = -EHOSTUNREACH;
	for (const struct addrinfo *one = addresses; one && error; one = one->ai_next) {
		error = try_address(one, stream);
		if (error)
			stream_close(stream);
	}
	freeaddrinfo(addresses);
	if (error)
		return reason_set(reterr, "cannot reach %s: %s", url->authority, strerror(-error));
	return 0;
}

static bool send_all(struct stream *stream, struct str text)
{
	while (text.length) {
		ssize_t sent;

		if (!set_patience(stream, stream->piece_ms)) {
			errno = EAGAIN;
			return false;
		}
		sent = send(stream->fd, text.data, text.length, MSG_NOSIGNAL);
		if (sent < 0)
			return false;
		text = str_from_offset(text, (size_t)sent);
	}
	return true;
}

static ssize_t receive(struct stream *stream, void *data, size_t room)
{
	if (set_patience(stream, stream->piece_ms))
		return recv(stream->fd, data, room, 0);
	errno = EAGAIN;
	return -1;
}

/* ---- TLS ---- */

static bool flush(struct stream *stream)
{
	size_t size;
	void *data = wire_tls_output(stream->tls, &size);
	bool is_sent = !data || send_all(stream, (struct str){data, size});

	free(data);
	return is_sent;
}

/* Goes on until the session has something to say; WIRE_TLS_MORE: the network has ended, *ret_got
 * as of recv(). */
static enum wire_tls_event next_event(struct stream *stream, void *data, size_t room,
				      size_t *ret_size, ssize_t *ret_got)
{
	char piece[PIECE_BYTES];

	for (;;) {
		enum wire_tls_event event = wire_tls_read(stream->tls, data, room, ret_size);

		*ret_got = -1;
		/* An alert for a server that has left already matters no more. */
		if (!flush(stream) && event == WIRE_TLS_MORE)
			return event;
		stream->has_failed_tls = event == WIRE_TLS_FAILED;
		if (event != WIRE_TLS_MORE)
			return event;
		*ret_got = receive(stream, piece, sizeof(piece));
		if (*ret_got <= 0)
			return event;
		wire_tls_feed(stream->tls, piece, (size_t)*ret_got);
	}
}

static int shake_hands(const struct wire_url *url, struct stream *stream, struct reason *reterr)
{
	char none[1];
	size_t size;
	ssize_t got;
	enum wire_tls_event event = next_event(stream, none, sizeof(none), &size, &got);

	if (event == WIRE_TLS_AGAIN) {
		close(stream->fd);
		stream->fd = -1;
		if (connect_tcp(url, stream, reterr) < 0)
			return -1;
		event = next_event(stream, none, sizeof(none), &size, &got);
	}
	if (event == WIRE_TLS_OPEN)
		return 0;
	if (event == WIRE_TLS_FAILED)
		return reason_set(reterr, "%s: %s", url->authority, wire_tls_fault(stream->tls));
	return reason_set(reterr, "%s does not speak TLS: %s", url->authority,
			  got < 0 && errno != EAGAIN ? strerror(errno)
			  : got < 0		     ? "it does not answer"
						     : "it has closed the connection");
}

int stream_connect_url(const struct wire_url *url, struct wire_tls_config *tls, int patience_ms,
		       struct stream *ret, struct reason *reterr)
{
	struct wire_tls_session *session = url->is_tls ? wire_tls_connect(tls, url->host) : NULL;

	*ret = (struct stream){.fd = -1,
			       .piece_ms = ANSWER_MS,
			       .ends_at_ms = clock_monotonic_ms() + (uint64_t)patience_ms};
	if (url->is_tls && !session)
		return reason_set(reterr, "TLS cannot be set up for %s", url->authority);
	if (connect_tcp(url, ret, reterr) < 0) {
		wire_tls_session_destroy(session);
		return -1;
	}
	ret->tls = session;
	return session ? shake_hands(url, ret, reterr) : 0;
}

/* ---- bytes ---- */

bool stream_write(struct stream *stream, struct str text)
{
	if (!stream->tls)
		return send_all(stream, text);
	stream->has_failed_tls = wire_tls_write(stream->tls, text.data, text.length) < 0;
	return flush(stream) && !stream->has_failed_tls;
}

ssize_t stream_read(struct stream *stream, void *data, size_t room)
{
	size_t size = 0;
	ssize_t got;

	if (!stream->tls)
		return receive(stream, data, room);
	switch (next_event(stream, data, room, &size, &got)) {
	case WIRE_TLS_DATA:
		return (ssize_t)size;
	case WIRE_TLS_CLOSED:
		return 0;
	case WIRE_TLS_MORE:
		/* An end without TLS's own may be somebody's on the way. */
		if (got == 0)
			errno = ECONNRESET;
		return -1;
	default:
		return -1;
	}
}

void stream_close(struct stream *stream)
{
	wire_tls_session_destroy(stream->tls);
	stream->tls = NULL;
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}
