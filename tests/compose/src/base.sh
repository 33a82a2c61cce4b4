# Makes what the image debian:bookworm-slim holds, from Debian's packages, as an archive. Its packages' lists of files are whole;
# manuals, other languages and documents are left out, as there.
#
# usage: base.sh FILE
set -euo pipefail
file=$1
work=$(mktemp -d "$file.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
cat >"$root/etc/apt/sources.list" <<END
deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian bookworm-updates main
deb http://deb.debian.org/debian-security bookworm-security main
END
mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
for left in doc man info locale; do
  echo "path-exclude /usr/share/$left/*"
  rm -rf "$root/usr/share/$left"/*
done >"$root/etc/dpkg/dpkg.cfg.d/docker"
# The image's own settings keep no package after its installation.
cat >"$root/etc/apt/apt.conf.d/docker-clean" <<'END'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
END
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/log/* "$root/etc/resolv.conf" "$root/etc/hostname"
mkdir -p "$root/var/cache/apt/archives/partial" "$root/var/lib/apt/lists/partial" "$root/var/log/apt"
tar --create --file "$work/base.tar" --directory "$root" --sort=name --numeric-owner --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' .
mv "$work/base.tar" "$file"
