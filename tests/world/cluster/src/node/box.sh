# The first process of a namespace box: makes the box's mounts, then waits until nobody holds the other end of its input any
# more. With its end the kernel ends every process, mount and network of the box.
#
# usage: box.sh FOLDER NUMBER
# Prints `process PID`, as the host counts, when others may enter.
set -euo pipefail
folder=$1 number=$2

# /proc is still the host's.
read -r process _ </proc/self/stat
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
# The root of each hierarchy is the box's own cgroup. There is no `unified`: programs take the hybrid form for version 2.
while IFS=: read -r _ controllers _; do
  [ -n "$controllers" ] || continue
  name=${controllers#name=}
  mkdir "/sys/fs/cgroup/$name"
  case $controllers in
  name=*) mount -t cgroup -o "none,$controllers" cgroup "/sys/fs/cgroup/$name" ;;
  *) mount -t cgroup -o "$controllers" cgroup "/sys/fs/cgroup/$name" ;;
  esac
  for alone in ${name//,/ }; do
    [ -e "/sys/fs/cgroup/$alone" ] || ln -s "$name" "/sys/fs/cgroup/$alone"
  done
done </proc/self/cgroup

# The places that kubelet and containerd take for granted.
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/netns /run/lock "$folder/var"
mount --bind "$folder/var" /var/lib
mount --bind "$folder/log" /var/log
# For pods that pass mounts on.
mount --make-rshared /
hostname "node-$number"
echo "process $process"

while read -r _; do :; done
