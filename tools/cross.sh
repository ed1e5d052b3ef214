# Sourced by tools/package: a separate Debian root in which packages for another architecture are
# built. It has the compilers of this machine's architecture and the libraries of the other one,
# side by side by Debian's multiarch. This machine itself gets no foreign architecture and no
# foreign packages. The sourcing script defines say(), fail(), as_root(), native and architecture.

# To compile, to bundle the pages, and to run the built programs with an emulated processor.
cross_packages=(build-essential "crossbuild-essential-$architecture" ccache fakeroot qemu-user-static)
# Unit tests use a PostgreSQL of this machine's architecture.
cross_packages+=(postgresql procps python3-pytest tzdata)

# Sets cross_root to a folder in the user's cache, as for files of tests, and makes it if it is
# missing.
find_cross_root() {
	local suite wanted folder=${XDG_CACHE_HOME:-$HOME/.cache}/displayd
	command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing: run tools/setup"
	suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	wanted=$({
		echo "$suite" "$profiles" "${cross_packages[@]}"
		sed '/^Build-Depends:/,/^Standards/!d' debian/control
	} | sha256sum)
	cross_root=$folder/cross-$suite-$architecture-${wanted:0:16}
	[ -e "$cross_root" ] || step "Debian that compiles for $architecture" make_cross_root
}

make_cross_root() {
	local mirror fresh hook
	mkdir -p "$folder"
	fresh=$(mktemp -d "$folder/new-XXXXXXXX")
	mirror=$(debian_mirror)
	hook='mkdir -p "$1/etc/postgresql-common/createcluster.d" &&
		echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/none.conf"'
	as_root mmdebstrap --quiet --variant=minbase --architectures="$native,$architecture" \
		--dpkgopt=force-unsafe-io --include="$(IFS=, && echo "${cross_packages[*]}")" \
		--essential-hook="$hook" --customize-hook='mkdir -p "$1/srv/displayd"' \
		--customize-hook="copy-in $root/debian /srv/displayd" \
		--customize-hook='chroot "$1" apt-get -q -y --no-install-recommends \
			--host-architecture '"$architecture"' --build-profiles '"cross${profiles:+,$profiles}"' \
			build-dep /srv/displayd' \
		"$suite" "$fresh" "$mirror" </dev/null || {
		as_root rm -rf "$fresh"
		echo "${sentence_of_step}no Debian can be made; all of the output is in $log"
		return "$cannot_fetch"
	}
	as_root chmod 755 "$fresh" && as_root mv "$fresh" "$cross_root"
}

# In a mount namespace, so that no mount remains: binds this machine's folders, up to "--".
enter_cross_root='
set -e
root=$1 user=$2 folder=$3
shift 3
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do
	mkdir -p "$root$1"
	mount --rbind "$1" "$root$1"
	shift
done
shift
exec chroot --userspec="$user" "$root" env -i -C "$folder" "$@"
'

# Runs the command in the caller's folder, as the caller's user, with only the variables named in
# kept_variables.
inside() {
	local name go_root variables=(HOME=/tmp LC_ALL=C.UTF-8)
	if [ "$architecture" = "$native" ]; then
		"$@"
		return
	fi
	for name in "${kept_variables[@]}"; do
		[ -z "${!name:-}" ] || variables+=("$name=${!name}")
	done
	go_root=$("$go" env GOROOT)
	variables+=("PATH=/usr/lib/ccache:$go_root/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	as_root unshare --mount bash -c "$enter_cross_root" enter "$cross_root" "$(id -u):$(id -g)" "$PWD" \
		"$root" "$GOMODCACHE" "$GOCACHE" "$CCACHE_DIR" "$go_root" -- "${variables[@]}" "$@" </dev/null
}
