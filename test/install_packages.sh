#!/bin/sh
#
# Installs the Debian packages that building and testing need and that are
# missing, as root or through sudo; otherwise prints them. With everything
# present it touches no network.
#
#   PG_MAJOR   server version when none is installed or named (default 15)
set -eu

pg_config=${PG_CONFIG:-pg_config}
pg_major=${PG_MAJOR:-15}

wanted="gcc libc6-dev make pkg-config
	libcurl4-openssl-dev libjson-c-dev zlib1g-dev libpq-dev libssl-dev libmicrohttpd-dev
	perl libipc-run-perl python3 openssl"

# a server that is there, with its headers, is the one to use
if ! { [ -f "$("$pg_config" --pgxs 2>/dev/null)" ] && [ -x "$("$pg_config" --bindir)/initdb" ]; }; then
	wanted="$wanted postgresql-$pg_major postgresql-server-dev-$pg_major"
fi
[ -n "${PG_CONFIG:-}" ] && [ "$pg_config" != pg_config ] || wanted="$wanted postgresql-common"

if ! command -v dpkg-query >/dev/null; then
	echo "no dpkg here: what Debian calls the following is needed:" $wanted >&2
	exit 0
fi

missing=
for package in $wanted; do
	state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
	run=
elif command -v sudo >/dev/null; then
	run=sudo
else
	echo "missing packages, and neither root nor sudo to install them:$missing" >&2
	exit 1
fi
echo "installing:$missing"
$run apt-get update -q
$run env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
