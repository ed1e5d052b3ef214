#!/bin/sh
# Shows a picture on the first device of an account: push.sh PICTURE
set -eu

call() { # METHOD PATH [BODY FILE]
	curl --silent --show-error --fail-with-body --max-time 10 --request "$1" "$DISPLAYD_URL$2" \
		--header "Authorization: Bearer $DISPLAYD_KEY" \
		--header 'Content-Type: application/json' ${3:+--data-binary "@$3"}
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT

device=$(call GET /v1/devices | sed -n 's/^\[{"id":"\([^"]*\)".*/\1/p')
printf '{"image":"%s","installationId":"example"}' "$(base64 -w0 "$1")" >"$body"
call POST "/v1/devices/$device/push" "$body" >/dev/null
echo '{"brightness":40}' >"$body"
call PATCH "/v1/devices/$device" "$body" >/dev/null
echo "$device shows $1 at 40 %"
