# Sourced by tools/setup and tools/package: gets packages of another suite than this machine's
# without changing its sources. The sourcing script defines say() and fail().

archive_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# An archive of snapshots, which has all that Debian ever had: suites of a date are taken from it, or passed over.
snapshots=${DEBIAN_SNAPSHOTS-}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		fail "packages are missing; run this as root, or install sudo"
	fi
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" \
		</dev/null >&2
}

# Prints the first Debian mirror in the machine's sources, deb822 or one-line style.
debian_mirror() {
	local found
	found=$(apt-get indextargets --format '$(SITE) $(ORIGIN)' 2>/dev/null |
		sed -n 's/ Debian$//p' | grep -v security | head -1)
	if [ -z "$found" ]; then
		found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
			sed -nE 's/^URIs: *([^ ]*debian\/?)( .*)?$/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]*debian\/?) .*/\2/p' | head -1)
	fi
	[ -n "$found" ] || fail "no Debian mirror in apt's sources"
	echo "$found"
}

# Prints the mirror of security updates in the machine's sources, else the one that belongs to
# Debian's own mirror; nothing if neither is known.
security_mirror() {
	local found mirror
	found=$(apt-get indextargets --format '$(SITE) $(LABEL)' 2>/dev/null |
		sed -n 's/ Debian-Security$//p' | head -1)
	mirror=$(debian_mirror)
	case "$found$mirror" in
	*://deb.debian.*/debian | *://deb.debian.*/debian/) found=${mirror%/}-security ;;
	esac
	echo "$found"
}

# TYPE URI SUITE [OPTION]: prints a source of packages, for apt.
source_of() {
	printf '%s\n' "Types: $1" "URIs: $2" "Suites: $3" "Components: main" "Signed-By: $archive_keyring" ${4:+"$4"} ""
}

# TYPE SUITE [ARCHITECTURE]: makes a private apt configuration for the suite with its security
# updates, and updates its lists, which needs no root. TYPE is deb or deb-src. SUITE is that of a snapshot of
# Debian's archive as TIME:SUITE. The architecture is by default this machine's. Sets private, the folder to remove
# afterwards, and private_options.
make_private() {
	local type=$1 suite=$2 mirror security=""
	[ -n "$snapshots" ] || [ "${suite#*:}" = "$suite" ] || return
	private=$(mktemp -d)
	chmod 755 "$private"
	mkdir -p "$private/lists/partial" "$private/parts" "$private/preferences"
	if [ "${suite#*:}" != "$suite" ]; then
		# The signature holds; the date until which the lists are valid is over.
		source_of "$type" "$snapshots/${suite%%:*}" "${suite#*:}" "Check-Valid-Until: no"
	else
		mirror=$(debian_mirror)
		source_of "$type" "$mirror" "$suite"
		[ "${suite%-backports}" != "$suite" ] || security=$(security_mirror) # backports have none
		[ -z "$security" ] || source_of "$type" "$security" "$suite-security"
	fi >"$private/newer.sources"
	private_options=(
		-o "Dir::Etc::sourcelist=$private/newer.sources"
		-o "Dir::Etc::sourceparts=$private/parts"
		-o "Dir::Etc::preferencesparts=$private/preferences"
		-o "Dir::State::lists=$private/lists"
		-o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache="
	)
	[ -z "${3:-}" ] || private_options+=(-o "APT::Architectures::=$3")
	apt-get -q "${private_options[@]}" -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any \
		update </dev/null >&2
}
