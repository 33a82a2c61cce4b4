# The first process of the box: has mounts and a network of the box's own, and waits until nobody holds the other end of its input
# any more. With its end the kernel ends every process, mount and network of the box.
#
# usage: box.sh FOLDER
# Prints `process PID` and `network PID`, as the host counts, when others may enter: the box, and the box with its own network.
set -euo pipefail
folder=$1

# /proc is still the host's here.
read -r process _ </proc/self/stat
unshare --net bash -c '
  read -r network _ </proc/self/stat
  ip link set lo up
  echo "$network" >"$0/network"
  exec sleep infinity' "$folder" </dev/null >/dev/null &
until [ -s "$folder/network" ]; do sleep 0.02; done
mount -t proc proc /proc

# What the tools write outside of the folder goes with the box. Names are resolved as on the host.
names=$(readlink -f /etc/resolv.conf)
cp "$names" "$folder/resolv.conf"
for place in /run /dev/shm; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
mkdir -p /run/netns /run/lock "$(dirname "$names")"
[ -e "$names" ] || cp "$folder/resolv.conf" "$names"
# The hybrid of both versions of cgroups is what crun does not take.
if mountpoint -q /sys/fs/cgroup/unified; then umount --lazy /sys/fs/cgroup/unified; fi
echo "process $process"
echo "network $(cat "$folder/network")"

while read -r _; do :; done
