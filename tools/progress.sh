# Sourced by tools/setup, tools/build and tools/package, in the repository's folder: shows one line of progress for
# each step. All other output of a step goes to build/setup.log, whose end is shown if the step
# fails. The sourcing script sets program, the name before messages.
#
# On a terminal the line is redrawn while the step runs; elsewhere it is printed once, at the end.
# With is_verbose=true the output of steps is shown, too.

readonly log=build/setup.log shown_lines=20
readonly ended=step-ended: sentence_of_step=step-failed:
is_verbose=false
is_step=false # whether this is the process of a step

# Width of the terminal on which messages are shown; 80 if there is none.
columns() {
	local size
	size=$(stty size <&2 2>/dev/null) && [ "${size#* }" -gt 0 ] && echo "${size#* }" || echo 80
}

# On a terminal lines are broken between words.
say() {
	if [ -t 2 ]; then
		echo "$program: $*" | fold -s -w "$(columns)" >&2
	else
		echo "$program: $*" >&2
	fi
}

# Prints words as indented lines of at most 80 columns.
list_words() { echo "$*" | fold -s -w 76 | sed 's/ *$//; s/^/  /' >&2; }

# Ends the script with an error message of one sentence. In a step, the sentence is the last line of
# the step's output.
fail() {
	if $is_step; then
		echo "$sentence_of_step$*"
	else
		say "$*"
	fi
	exit 1
}

interrupted() {
	say "interrupted; run it again, and it goes on from there"
	exit 130
}
trap interrupted INT

# PATH MB...: ends the script if a file system has less free space than all of its paths need.
need_room() {
	local path place free
	declare -A needed=() frees=()
	while [ $# -gt 0 ]; do
		path=$1
		while [ ! -e "$path" ]; do path=$(dirname "$path"); done
		read -r free place < <(df -BM --output=avail,target "$path" | tail -n 1)
		frees[$place]=${free%M}
		needed[$place]=$((${needed[$place]:-0} + $2))
		shift 2
	done
	for place in "${!needed[@]}"; do
		[ "${frees[$place]}" -ge "${needed[$place]}" ] ||
			fail "no room: ${needed[$place]} MB are needed on $place, and ${frees[$place]} MB are free;" \
				"make room, and run this again"
	done
}

# COUNT SIZE: the columns of a step's line, such as "153" and "720 MB".
progress() { echo "progress:$1:${2:-}"; }

# TITLE COMMAND...: runs the command in a process of its own, without input. If it fails, the script ends with
# a sentence that says why.
#
# progress() sets the columns of the line; apt (APT::Status-Fd=1) and ninja set its state. If the
# title begins with "?", the step may have nothing to do: the line appears only with the first
# column.
step() {
	local title=$1
	shift
	mkdir -p "${log%/*}"
	{
		is_step=true
		trap 'echo "$ended 130"; exit 130' INT
		"$@" && echo "$ended 0" || echo "$ended $?"
	} 2>&1 </dev/null | follow "$title" || exit $?
}

# Reads the output of a step until it ends; returns its exit status. Does not wait for programs that
# the step has started and left running.
follow() {
	local title=${1#\?} is_shown=true line="" part="" count="" size="" state="" status="" sentence="" from
	local started=$SECONDS width
	width=$(columns)
	[ "$title" = "$1" ] || is_shown=false
	trap "" INT # the signal ends the step, which is waited for
	[ -e "$log" ] || : >"$log"
	from=$(wc -c <"$log")
	echo "==== $(date -u +%FT%TZ) $title" >>"$log"
	while [ -z "$status" ]; do
		draw
		if IFS= read -r -t 1 part; then
			take_line "$line$part"
			line=""
		elif [ $? -gt 128 ]; then
			line+=$part
		else
			status=1
		fi
	done
	erase
	if [ "$status" = 0 ]; then
		! $is_shown || print_line >&2
	elif [ "$status" != 130 ]; then
		explain >&2
	fi
	return "$status"
}

take_line() {
	local apt='^(dl|pm)status:.*:([0-9]+)\.[0-9]+:' ninja='^\[([0-9]+)/([0-9]+)\] '
	case "$1" in
	"$ended "*) status=${1#* } ;;
	"$sentence_of_step"*) sentence=${1#*:} ;;
	progress:*)
		IFS=: read -r _ part size <<<"$1"
		count=${part:-$count}
		is_shown=true
		;;
	*)
		if [[ $1 =~ $apt ]]; then
			state="${BASH_REMATCH[2]} %"
			[ "${BASH_REMATCH[1]}" = pm ] || state="fetching $state"
			return
		elif [[ $1 =~ $ninja ]]; then
			count=${BASH_REMATCH[2]} is_shown=true
			state="$((100 * BASH_REMATCH[1] / count)) %"
		elif [[ $1 =~ ^added\ ([0-9]+)\ packages ]]; then # npm
			count=${BASH_REMATCH[1]}
		elif [[ $1 == "go: downloading "* ]]; then
			count=$((count + 1))
		fi
		echo "$1" >>"$log"
		! $is_verbose || { erase && echo "$1" >&2; }
		;;
	esac
}

duration() {
	if [ "$1" -lt 60 ]; then
		echo "$1 s"
	else
		echo "$(($1 / 60)) min $(($1 % 60)) s"
	fi
}

print_line() {
	printf '  %-30s %6s %8s %12s  %s\n' "$title" "$count" "$size" "$(duration $((SECONDS - started)))" "$*" |
		sed 's/ *$//'
}

# Draws only changes: there may be thousands of lines per second. A line that is wider than the terminal could not be
# redrawn.
draw() {
	local now="$count $size $state $SECONDS"
	[ -t 2 ] && $is_shown && [ "$now" != "${drawn:-}" ] || return 0
	drawn=$now
	printf '\r\033[K%.*s' "$((width - 1))" "$(print_line "$state")" >&2
}

erase() {
	[ ! -t 2 ] || [ -z "${drawn:-}" ] || printf '\r\033[K' >&2
	drawn=""
}

# Shows why a step has failed: the end of its output, then a sentence.
explain() {
	local output
	output=$(tail -c "+$((from + 1))" "$log")
	if [ -z "$sentence" ]; then
		print_line "failed"
		$is_verbose || tail -n $shown_lines <<<"$output"
		sentence=$(guess_reason <<<"$output")
	fi
	say "$sentence"
}

# Recognizes the messages of programs on a machine without network or free space.
guess_reason() {
	local output
	output=$(cat)
	if grep -qiE 'no space left on device|enough free space|ENOSPC' <<<"$output"; then
		echo "there is no room left; make some, and run this again"
	elif grep -qE "failure resolving|(Could not|Failed to) resolve|Could not connect|is unreachable|Failed to fetch|NewConnectionError|ENOTFOUND|EAI_AGAIN|$(
	)ECONNREFUSED|ETIMEDOUT|dial tcp|No matching distribution" <<<"$output"; then
		echo "$title: nothing can be fetched; connect this machine to the network, and run this again"
	else
		echo "$title: this step failed; all of its output is in $log"
	fi
}
