#include "base/clock.h"
#include "base/memory.h"
#include "panels.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum opcode { TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

/* Panels that share a source address: well below the number of ports that the kernel assigns. */
enum { PANELS_PER_ADDRESS = 20000 };

/* Offsets in an animation written by libwebp: of the last letter of "VP8X", and of the first byte
 * of the first frame's duration. */
enum { EXTENDED_AT = 15, DELAY_AT = 64 };

static unsigned number_of(const struct fleet *fleet, const struct panel *panel)
{
	return (unsigned)(panel - fleet->panels);
}

static void leave(struct fleet *fleet, struct panel *panel)
{
	if (panel->state == PANEL_OPEN) {
		fleet->shared->dropped++;
		fleet->shared->connected--;
	} else {
		fleet->shared->refused++;
		fleet->shaking--;
	}
	close(panel->fd);
	*panel = (struct panel){.fd = -1};
}

/* ---- sending ---- */

/* Sends a masked frame, as a client must; with a mask of zeros, which costs nothing. A panel never
 * sends more than the socket takes at once. */
static void send_frame(struct fleet *fleet, struct panel *panel, enum opcode opcode,
		       struct str payload)
{
	char frame[6 + 125] = {(char)(0x80 | opcode), (char)(0x80 | payload.length)};
	size_t size = 6 + payload.length;

	memcpy(frame + 6, payload.data, payload.length);
	if (send(panel->fd, frame, size, MSG_NOSIGNAL) != (ssize_t)size)
		leave(fleet, panel);
}

static void send_counter(struct fleet *fleet, struct panel *panel, const char *name)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "{\"%s\":%u}", name, panel->counter);

	if (panel->state == PANEL_OPEN)
		send_frame(fleet, panel, TEXT, (struct str){text, (size_t)length});
}

void panel_ping(struct fleet *fleet, struct panel *panel)
{
	panel->ping_ms = fleet->now_ms + PING_MS;
	send_frame(fleet, panel, PING, STR("panel"));
}

/* ---- what the firmware does with what comes ---- */

static void note(struct fleet *fleet, _Atomic uint64_t *moment_ns)
{
	if (fleet->shared->since_ns && *moment_ns == 0)
		*moment_ns = clock_monotonic_us() * 1000;
}

static bool has_awaited_delay(const struct fleet *fleet, const struct panel *panel)
{
	return panel->delay_ms && panel->delay_ms == fleet->shared->delay_ms;
}

void panel_display(struct fleet *fleet, struct panel *panel)
{
	/* Without a new picture it repeats the current one for another dwell. */
	if (panel->queued_s == 0) {
		panel->due_ms = 0;
		return;
	}
	panel->due_ms = fleet->now_ms + panel->queued_s * 1000U;
	panel->queued_s = 0;
	panel->has_picture = true;
	if (has_awaited_delay(fleet, panel))
		note(fleet, &fleet->shared->receipts[number_of(fleet, panel)].displayed_ns);
	send_counter(fleet, panel, "displaying");
}

static void on_picture(struct fleet *fleet, struct panel *panel)
{
	if (panel->length <= DELAY_AT || panel->text[EXTENDED_AT] != 'X')
		panel->delay_ms = 0;
	if (panel->length == fleet->shared->length || has_awaited_delay(fleet, panel))
		note(fleet, &fleet->shared->receipts[number_of(fleet, panel)].got_ns);
	panel->counter++;
	panel->queued_s = panel->dwell_s ? panel->dwell_s : 1;
	send_counter(fleet, panel, "queued");
	/* It takes the queued picture when the dwell of the current one is over. */
	if (panel->state == PANEL_OPEN && (!panel->has_picture || panel->due_ms == 0))
		panel_display(fleet, panel);
}

static void on_text(struct fleet *fleet, struct panel *panel)
{
	struct str text = {panel->text, panel->length < TEXT_MAX ? panel->length : TEXT_MAX};
	const struct str dwell = STR("{\"dwell_secs\":");

	if (str_starts_with(text, dwell) && text.length < TEXT_MAX) {
		panel->text[text.length] = '\0';
		panel->dwell_s = (uint16_t)strtoul(panel->text + dwell.length, NULL, 10);
	} else if (str_equal(text, STR("{\"immediate\":true}"))) {
		panel_display(fleet, panel);
	}
}

static void on_frame(struct fleet *fleet, struct panel *panel)
{
	panel->header_length = 0;
	switch (panel->opcode) {
	case TEXT:
		on_text(fleet, panel);
		break;
	case BINARY:
		on_picture(fleet, panel);
		break;
	case PING:
		send_frame(fleet, panel, PONG, (struct str){panel->text, panel->length});
		break;
	case PONG:
		break;
	default: /* a server must not send a CLOSE to a panel */
		fleet->shared->faults++;
		leave(fleet, panel);
		break;
	}
}

/* ---- reading ---- */

/* Takes the header's next byte; it is 2 or 4 long. */
static void take_header(struct fleet *fleet, struct panel *panel, char byte)
{
	uint8_t *header = panel->header;

	header[panel->header_length++] = (uint8_t)byte;
	if (panel->header_length == 2 && (!(header[0] & 0x80) || header[1] > 126)) {
		fleet->shared->faults++;
		leave(fleet, panel);
		return;
	}
	if (panel->header_length < 2 || (header[1] == 126 && panel->header_length < 4))
		return;
	panel->opcode = header[0] & 0x0f;
	panel->length = header[1] == 126 ? (uint32_t)header[2] << 8 | header[3] : header[1];
	panel->left = panel->length;
	panel->header_length = sizeof(panel->header);
	if (panel->opcode == PING && panel->length > TEXT_MAX) {
		fleet->shared->faults++;
		leave(fleet, panel);
	}
}

static struct str take_payload(struct panel *panel, struct str data)
{
	uint32_t taken = panel->left < data.length ? panel->left : (uint32_t)data.length;
	uint32_t offset = panel->length - panel->left;

	if (offset < TEXT_MAX)
		memcpy(panel->text + offset, data.data,
		       taken < TEXT_MAX - offset ? taken : TEXT_MAX - offset);
	if (panel->opcode == BINARY && offset <= DELAY_AT && DELAY_AT - offset < taken)
		panel->delay_ms = (uint8_t)data.data[DELAY_AT - offset];
	panel->left -= taken;
	return str_from_offset(data, taken);
}

static void take_frames(struct fleet *fleet, struct panel *panel, struct str data)
{
	while (panel->state == PANEL_OPEN) {
		if (panel->header_length == sizeof(panel->header)) {
			data = take_payload(panel, data);
			if (panel->left)
				return;
			on_frame(fleet, panel);
		} else if (data.length) {
			take_header(fleet, panel, data.data[0]);
			data = str_from_offset(data, 1);
		} else {
			return;
		}
	}
}

static void on_handshake(struct fleet *fleet, struct panel *panel)
{
	unsigned number = number_of(fleet, panel);
	char text[160];
	int length;

	panel->state = PANEL_OPEN;
	panel->ping_ms = fleet->now_ms + PING_MS * (1 + number % 100) / 100;
	fleet->shaking--;
	fleet->shared->connected++;
	length = snprintf(text, sizeof(text),
			  "{\"client_info\":{\"firmware_version\":\"1.6.6\",\"firmware_type\":"
			  "\"bench\",\"mac\":\"02:00:00:%02x:%02x:%02x\"}}",
			  number >> 16 & 255, number >> 8 & 255, number & 255);
	send_frame(fleet, panel, TEXT, (struct str){text, (size_t)length});
}

/* Reads the answer up to the blank line; checks only the status. */
static struct str take_answer(struct fleet *fleet, struct panel *panel, struct str data)
{
	static const char end[] = "\r\n\r\n";
	static const char status[] = "HTTP/1.1 101 ";
	size_t used = 0;

	while (used < data.length && panel->state == PANEL_SHAKING) {
		char byte = data.data[used++];

		/* length: number of bytes of the answer so far */
		if (panel->length < sizeof(status) - 1 && byte != status[panel->length]) {
			leave(fleet, panel);
			break;
		}
		panel->length++;
		if (byte == end[panel->matched])
			panel->matched++;
		else
			panel->matched = byte == '\r';
		if (panel->matched == sizeof(end) - 1)
			on_handshake(fleet, panel);
	}
	return str_from_offset(data, used);
}

static void read_some(struct fleet *fleet, struct panel *panel)
{
	ssize_t size = recv(panel->fd, fleet->input, sizeof(fleet->input), 0);
	struct str data = {fleet->input, (size_t)size};

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size <= 0) {
		leave(fleet, panel);
		return;
	}
	if (panel->state == PANEL_SHAKING)
		data = take_answer(fleet, panel, data);
	if (panel->state == PANEL_OPEN)
		take_frames(fleet, panel, data);
}

/* ---- connecting ---- */

static void send_handshake(struct fleet *fleet, struct panel *panel)
{
	struct str url = fleet->urls->lines[number_of(fleet, panel)];
	struct str host = url_host(url);
	struct str target = url_target(url);
	char head[1024];
	int length = snprintf(head, sizeof(head),
			      "GET %.*s HTTP/1.1\r\nHost: %.*s\r\nUpgrade: websocket\r\n"
			      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
			      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
			      STR_ARG(target), STR_ARG(host));
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = panel};

	panel->state = PANEL_SHAKING;
	if ((size_t)length >= sizeof(head) ||
	    send(panel->fd, head, (size_t)length, MSG_NOSIGNAL) != length ||
	    epoll_ctl(fleet->epoll, EPOLL_CTL_MOD, panel->fd, &event) != 0)
		leave(fleet, panel);
}

/* Uses further loopback addresses if there are more panels than one address has ports. */
static int bind_source(int fd, unsigned number)
{
	struct sockaddr_in source = {.sin_family = AF_INET};
	int on = 1;

	if (number < PANELS_PER_ADDRESS)
		return 0;
	source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + number / PANELS_PER_ADDRESS);
	setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&source, sizeof(source));
}

bool panel_connect(struct fleet *fleet, unsigned number)
{
	struct panel *panel = &fleet->panels[number];
	struct epoll_event event = {.events = EPOLLOUT, .data.ptr = panel};
	const struct sockaddr *server = (const struct sockaddr *)&fleet->urls->server;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1;

	*panel = (struct panel){.fd = fd};
	if (fd < 0) {
		fleet->shared->refused++;
		return false;
	}
	panel->state = PANEL_CONNECTING;
	fleet->shaking++;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bind_source(fd, number_of(fleet, panel)) != 0 ||
	    (connect(fd, server, sizeof(fleet->urls->server)) != 0 && errno != EINPROGRESS) ||
	    epoll_ctl(fleet->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		leave(fleet, panel);
	return true;
}

void panel_on_event(struct fleet *fleet, struct panel *panel, uint32_t events)
{
	if (panel->state == PANEL_AWAY)
		return; /* closed by an event before in the same turn */
	if (panel->state == PANEL_CONNECTING) {
		if (events & (EPOLLERR | EPOLLHUP))
			leave(fleet, panel);
		else
			send_handshake(fleet, panel);
		return;
	}
	read_some(fleet, panel);
}
