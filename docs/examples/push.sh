#!/bin/sh
# Shows a picture on the first device of an account: push.sh PICTURE
set -eu

# METHOD PATH FILE: the body is in the file; the answer is left in $answer. The key comes to curl through
# a pipe, as others can see the arguments of programs; printf is a part of the shell.
call() {
	answer=$(printf 'Authorization: Bearer %s\n' "$DISPLAYD_KEY" |
		curl --silent --show-error --fail-with-body --max-time 10 --request "$1" \
			--header @- --header 'Content-Type: application/json' \
			--data-binary "@$3" "$DISPLAYD_URL$2") || fail "$answer"
}

fail() {
	echo "$1" >&2
	exit 1
}

[ -n "${DISPLAYD_URL-}" ] || fail 'push.sh PICTURE: missing DISPLAYD_URL'
[ -n "${DISPLAYD_KEY-}" ] || fail 'push.sh PICTURE: missing DISPLAYD_KEY'
[ -f "${1-}" ] && [ -r "$1" ] || fail "push.sh PICTURE: there is no file '${1-}' that can be read"
call GET /v1/devices /dev/null
device=$(echo "$answer" | sed -n 's/^\[{"id":"\([^"]*\)".*/\1/p')
[ -n "$device" ] || fail 'the account has no device'

body=$(mktemp)
trap 'rm -f "$body"' EXIT
image=$(base64 <"$1" | tr -d '\n')
printf '{"image":"%s","installationId":"example"}' "$image" >"$body"
call POST "/v1/devices/$device/push" "$body"
echo '{"brightness":40}' >"$body"
call PATCH "/v1/devices/$device" "$body"
echo "$device shows $1 at 40 %"
