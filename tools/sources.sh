# Sourced by tools/setup and tools/package, after tools/apt.sh: the libraries that are built from their source, each
# the newest source package of a Debian suite and of its security updates, with Debian's patches. apt checks it by
# the signed lists.

# The name of the subproject, the source package of Debian, the upstream versions that our changes fit, and the suites
# that may have it, the first before the next. Backports go on to other versions some day: a snapshot stays.
sources=(
	"mbedtls mbedtls 3.6 trixie"
	"quickjs quickjs-ng 0.16 trixie-backports 20261129T000000Z:trixie-backports"
)
changes=subprojects/packagefiles # our files, by the name of the subproject
unpacked_tools=build/tools/debian # dpkg-source and what it runs, if this machine has not installed them

has_source() { [ -e "subprojects/$1/debian/changelog" ] && [ -e "subprojects/$1/meson.build" ]; }

# NAME: Debian's version of the source that is here.
source_version() { sed -n '1s/.*(\(.*\)).*/\1/p' "subprojects/$1/debian/changelog"; }

# PACKAGE [SERIES]: prints the versions in the private configuration's suites, the newest first; those of the series, if
# one is given.
list_versions() {
	apt-cache "${private_options[@]}" showsrc --only-source "$1" 2>/dev/null |
		sed -nE "s/^Version: (${2:+${2//./\\.}[.+~-]}.*)/\1/p" | sort -Vru
}

# Runs a command that finds the unpacked tools after those of the system.
with_tools() {
	env PATH="$PATH:$PWD/$unpacked_tools/usr/bin:$PWD/$unpacked_tools/bin" \
		PERL5LIB="$PWD/$unpacked_tools/usr/share/perl5" "$@" >&2
}

# FOLDER: unpacks the source package that download_source() has fetched into a new folder, with Debian's patches.
unpack_source() {
	with_tools dpkg-source --extract "$private"/source/*.dsc "$private/source/unpacked" && mv "$private/source/unpacked" "$1"
}

# FOLDER VERSION: unpacks the tarball of the authors alone. Its changelog says so: the version has no revision of Debian.
unpack_original() {
	mkdir "$1" && with_tools tar --directory "$1" --strip-components 1 --no-same-owner --no-same-permissions \
		--extract --file "$private"/source/*.orig.tar.* || return
	mkdir -p "$1/debian" && echo "${2%%=*} (${2#*=}) without the patches of Debian" |
		sed 's/-[^-]*) /) /' >"$1/debian/changelog"
}

# NAME FOLDER: puts our files into the unpacked source. Fails if our changes do not fit it.
change_source() {
	local file
	for file in "$changes/$1"/*; do
		ln -sfn "../packagefiles/$1/${file##*/}" "$2/${file##*/}"
	done
	[ ! -e "$changes/$1/mend.py" ] || python3 "$changes/$1/mend.py" "$2/quickjs.c" /dev/null
}

# PACKAGE=VERSION [OPTION]: fetches a source package into the folder source of the private configuration.
download_source() {
	rm -rf "$private/source"
	mkdir "$private/source"
	(cd "$private/source" && apt-get -q "${private_options[@]}" -o APT::Sandbox::User=root \
		source --download-only --only-source ${2:+"$2"} "$1" </dev/null >&2)
}

# FOLDER PACKAGE=VERSION PART: fetches and unpacks one version, "whole" or its "original" tarball.
get_source() {
	rm -rf "$1"
	case $3 in
	whole) download_source "$2" && unpack_source "$1" ;;
	original) download_source "$2" --tar-only && unpack_original "$1" "$2" ;;
	esac
}

# NAME PACKAGE=VERSION PART: fetches, unpacks and changes one version. Removes what displayd 0.1.0 unpacked.
try_source() {
	local fresh=subprojects/.$1.new
	get_source "$fresh" "$2" "$3" && change_source "$1" "$fresh" || {
		rm -rf "$fresh"
		return 1
	}
	rm -rf "subprojects/$1" "subprojects/${2%%=*}-"* "$changes/${2%%=*}_"*.tar.*
	mv "$fresh" "subprojects/$1"
}

# NAME PACKAGE SERIES SUITE...: fetches the newest version that can be had and that our changes fit. If an archive has
# lost the files of Debian of all of them, the authors' tarball is taken alone. What was passed over is in the file
# passed-over of the source.
fetch_source() {
	local name=$1 package=$2 series=$3 part suite version private="" private_options passed=()
	shift 3
	for part in whole original; do
		for suite in "$@"; do
			! make_private deb-src "$suite" || for version in $(list_versions "$package" "$series"); do
				if try_source "$name" "$package=$version" $part; then
					rm -rf "$private"
					echo "${passed[*]}" >"subprojects/$name/passed-over"
					return 0
				fi
				[ $part = original ] || passed+=("$version")
			done
			rm -rf "$private"
		done
	done
	return 1
}

# NAME: names newer versions that could not be fetched, or that our changes do not fit, what that means, and a remedy.
tell_passed_over() {
	local passed version lacking="the fixes of the newer version"
	passed=$(cat "subprojects/$1/passed-over")
	[ -n "$passed" ] || return 0
	version=$(source_version "$1")
	[[ $version == *-* ]] || lacking="Debian's patches for it"
	say "Debian's $1 $passed cannot be fetched or used now, so $version is built in. displayd works with it, but lacks" \
		"$lacking. To try again on another day: rm -r subprojects/$1, then run this again."
}

# Reads lines "SUITE PACKAGE VERSION", sorted, and prints "PACKAGE NEWEST" for each of which Debian has a newer version.
# Fails if the lists cannot be fetched.
list_newer() {
	local suite package version newest last="" private="" private_options status=0
	while read -r suite package version; do
		if [ "$suite" != "$last" ]; then
			rm -rf "$private"
			make_private deb-src "$suite" || status=$?
			last=$suite
		fi
		newest=$([ $status != 0 ] || list_versions "$package" | head -n 1)
		! dpkg --compare-versions "$newest" gt "$version" || echo "$package $newest"
	done
	[ -z "$private" ] || rm -rf "$private"
	return $status
}
