#include "domain/mqtt.h"

enum { PORT_PLAIN = 1883, PORT_TLS = 8883, PORT_MAX = 65535, NAME_MAX_LENGTH = 256 };

static const char no_url[] = "must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]";

static bool is_host_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

static bool is_ipv6_character(char c)
{
	return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') ||
	       c == ':' || c == '.';
}

/* Reads a host; in brackets an address of IPv6. Returns its length in the text; 0: there is none.
 */
static size_t read_host(struct str text, struct mqtt_broker *broker)
{
	bool has_brackets = text.length && text.data[0] == '[';
	size_t from = has_brackets, to = from;

	while (to < text.length &&
	       (has_brackets ? is_ipv6_character(text.data[to]) : is_host_character(text.data[to])))
		to++;
	if (to == from || to - from >= sizeof(broker->host))
		return 0;
	memcpy(broker->host, text.data + from, to - from);
	broker->host[to - from] = '\0';
	if (!has_brackets)
		return to;
	return to < text.length && text.data[to] == ']' ? to + 1 : 0;
}

static bool read_port(struct str text, unsigned *ret_port)
{
	unsigned value = 0;

	if (text.length == 0 || text.length > 5 || text.data[0] == '0')
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		value = value * 10 + (unsigned)(text.data[i] - '0');
	}
	*ret_port = value;
	return value > 0 && value <= PORT_MAX;
}

const char *mqtt_url_read(struct str url, struct mqtt_broker *ret_broker)
{
	const struct str plain = STR("mqtt://"), tls = STR("mqtts://");
	struct str rest;
	size_t length;

	*ret_broker = (struct mqtt_broker){.is_tls = str_starts_with(url, tls)};
	ret_broker->port = ret_broker->is_tls ? PORT_TLS : PORT_PLAIN;
	if (!ret_broker->is_tls && !str_starts_with(url, plain))
		return no_url;
	rest = str_from_offset(url, ret_broker->is_tls ? tls.length : plain.length);
	length = read_host(rest, ret_broker);
	if (length == 0)
		return no_url;
	rest = str_from_offset(rest, length);
	if (rest.length && rest.data[rest.length - 1] == '/')
		rest.length--;
	if (rest.length == 0)
		return NULL;
	if (rest.data[0] != ':' || !read_port(str_from_offset(rest, 1), &ret_broker->port))
		return no_url;
	return NULL;
}

static const char *check_url(struct str url)
{
	struct mqtt_broker broker;

	return mqtt_url_read(url, &broker);
}

static const char *check_name(struct str name)
{
	for (size_t i = 0; i < name.length; i++)
		if ((unsigned char)name.data[i] < ' ' || name.data[i] == 0x7f)
			return "must have no control characters";
	return NULL;
}

static const struct record_field connection_fields[] = {
    RECORD_STR(struct mqtt_connection, url, .name = "url", .column = "url", .nullable = true),
    RECORD_STR(struct mqtt_connection, username, .name = "username", .column = "username",
	       .nullable = true),
    RECORD_BOOL(struct mqtt_connection, has_password, .name = "hasPassword",
		.column = "has_password"),
    RECORD_BOOL(struct mqtt_connection, is_of_instance, .name = "isOfInstance",
		.column = "is_of_instance"),
    RECORD_STR(struct mqtt_connection, state, .name = "state", .column = "state"),
    RECORD_TIMESTAMP(struct mqtt_connection, state_at_us, .name = "since", .column = "state_at",
		     .nullable = true),
    RECORD_STR(struct mqtt_connection, error, .name = "error", .column = "error", .nullable = true),
};
const struct record mqtt_connection_record = RECORD(struct mqtt_connection, connection_fields);

static const struct record_field wish_fields[] = {
    RECORD_STR(struct mqtt_wish, url, .body = "url", .required = true, .minimum = 1,
	       .maximum = MQTT_URL_MAX, .check = check_url),
    RECORD_STR(struct mqtt_wish, username, .body = "username", .minimum = 1,
	       .maximum = NAME_MAX_LENGTH, .check = check_name),
    RECORD_STR(struct mqtt_wish, password, .body = "password", .minimum = 1,
	       .maximum = MQTT_PASSWORD_MAX, .check = check_name),
};

static void check_wish(void *body, uint64_t seen, struct faults *faults)
{
	const struct mqtt_wish *wish = body;

	(void)seen;
	if (wish->password.length && !wish->username.length)
		faults_add(faults, STR("password"), "needs a username");
}

const struct record mqtt_wish_record = RECORD(struct mqtt_wish, wish_fields, .check = check_wish);
