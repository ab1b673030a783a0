#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# deb.sh ROOT VERSION OUT: makes OUT/pageset_VERSION_ARCH.deb of the files installed below ROOT. Byte-identical from run to
# run with the same files: the times are those of SOURCE_DATE_EPOCH, or of the last commit.
set -eu

root=$1 version=$2 out=$3
arch=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

strip --strip-unneeded "$root/usr/bin/pageset"
find "$root/usr/share/man" -type f -exec gzip -9n {} +
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/pageset"
mv "$root/usr/share/doc/pageset/LICENSE" "$root/usr/share/doc/pageset/copyright"
# which packages the libraries come from
depends=$(ldd "$root/usr/bin/pageset" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | while read -r lib; do
	dpkg -S "$lib" "$(readlink -f "$lib")" "/usr${lib}" "/usr$(readlink -f "$lib")" 2>/dev/null | head -n 1 | cut -d: -f1
done | sort -u | paste -sd, | sed 's/,/, /g')
size=$(du -sk --apparent-size "$root/usr" | cut -f1)
cat >"$root/DEBIAN/control" <<END
Package: pageset
Version: $version
Architecture: $arch
Maintainer: pageset maintainers <maintainers@pageset.invalid>
Installed-Size: $size
Depends: $depends
Section: education
Priority: optional
Description: laboratory for the Linux kernel's per-CPU pagesets
 Runs the page allocator's state machine step by step and page for page, at
 every set of the patches of "mm: PCP high auto-tuning", and compares them.
END
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/pageset_${version}_${arch}.deb"
