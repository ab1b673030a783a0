#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh: makes recordings in a virtual machine (qemu-system-x86_64, busybox-static, cpio; no KVM needed).
# usage: guest.sh KERNEL OUT-DIR MEMORY [numa] < LIST     LIST: lines "NAME [VAR=VALUE...] KIND ARG..." (see pcpwork.c)
# KERNEL is a vmlinuz with the serial port built in, such as /boot/vmlinuz of a cloud image. MEMORY as in 2G or 256M.
# With numa there are two nodes, CPUs 0 and 1 on the first, 2 and 3 on the second, half the memory each.
set -eu
[ $# -ge 3 ] || { sed -n '3,6s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
kernel=$1 out=$2 memory=$3 numa=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev" "$work/root/out" "$out"
cp /bin/busybox "$work/root/bin/busybox"
gcc -O2 -static -Wall -o "$work/root/bin/pcpwork" "$here/pcpwork.c"
cat >"$work/root/list"
cat >"$work/root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tracefs none /sys/kernel/tracing
mount -t tmpfs -o size=80% none /out
# with huge pages on khugepaged raises min_free_kbytes
echo never >/sys/kernel/mm/transparent_hugepage/enabled
stty -F /dev/ttyS1 raw
cat /proc/zoneinfo >/out/boot.zoneinfo.txt
uname -r >/out/uname-r.txt
tar -c -C /out boot.zoneinfo.txt uname-r.txt >/dev/ttyS1
while read -r name rest; do
	echo "== $name $rest"
	vars=
	set -- $rest
	while case ${1:-} in *=*) true ;; *) false ;; esac; do vars="$vars $1"; shift; done
	if env $vars pcpwork /out "$name" "$@"; then
		gzip /out/$name.trace.txt /out/$name.snaps.txt
		tar -c -C /out $name.trace.txt.gz $name.snaps.txt.gz >/dev/ttyS1
		rm -f /out/$name.*
	fi
done </list
sync
poweroff -f
INIT
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"

nodes=()
if [ "$numa" = numa ]; then
	half=$(numfmt --from=iec "$memory")
	half=$((half / 2))
	nodes=(-object "memory-backend-ram,id=m0,size=$half" -object "memory-backend-ram,id=m1,size=$half"
		-numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1,memdev=m1,cpus=2-3)
fi
nice qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max,la57=off -smp 4,sockets=2,cores=2 -m "$memory" "${nodes[@]}" \
	-kernel "$kernel" -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1 mitigations=off" \
	-display none -no-reboot -serial stdio -serial "file:$work/tars" </dev/null
# archives one after another
(cd "$out" && tar -x --ignore-zeros -f "$work/tars")
